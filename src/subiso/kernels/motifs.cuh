// What the passes of motif sums share: the sums, the arguments, teams that take seeds, lists dealt to lanes. Each pass is a
// file of its own (motifs_*.cuh); what the sums mean is said in native/motifs/sums.hpp, and engine/cuda/motifs.py asks for them.
#pragma once
#include "codegrees.cuh"

namespace subiso::motif {

// In the order of SUMS in engine/cuda/motif_layout.py, which also says what the host divides them by: falling factorials
// are summed here, not binomial coefficients.
enum Sum : u32 {
  kStars2, kStars3, kStars4, kPaths, kSpiders, kLongPaths, kTriangleEnds, kTriangleDegrees, kTrianglePairs,
  kTriangleMeetings, kBooks2, kBooks3, kBulls, kTails, kDarts, kCycles4, kCycleTriangles, kClosedWalks5, kTailsUp,
  kSquareDegrees, kCommon3, kFans, kKites, kWheels, kSpokes, kCliqueEdges, kCliqueDegrees, kCliqueBooks, kCliquePairs,
  kCliques3, kSums
};

// What all launches of a run share; the host clears it before the first.
struct alignas(128) Board {
  u64 unused[32];
  alignas(128) u32 stop;  // set by the host; it stands where the control block of a search has it
  alignas(128) Total sums[kSums];
};

// Vertices for which a table of wedges' ends has room. All bounds but the end are multiples of four.
struct Range {
  u32 begin, end;
  u32 narrow_end;    // up to here they have fewer than 256 neighbours each
  u32 half_end;      // and up to here fewer than 65,536
  u32 words;         // of the table
  u32 unused;
};

struct Tile {
  Range range;
  u32* lower;        // per vertex: its neighbours below the range; null: none
  const u32* upper;  // its neighbours below the range's end; null: all
  const u32* cuts;   // kTileParts + 1 vertices: parts of the range that are the ends of about as many edges
};
inline constexpr u32 kTileParts = 64;

// Below the tile, in device memory.
struct Far {
  Range range;
  u32* counts;       // of every block, all zero between seeds
  u32* ends;         // those with a count, `capacity` for every block
  u64 capacity;
};

template <class StoreType>
struct Args {
  using Store = StoreType;
  Store store;            // relation 0: symmetric lists without loops
  CodegreeArgs table;     // of passes that count wedges
  Board* board;
  u64* ticket;            // of this launch: the first unit that nobody has taken
  const u32* seeds;       // those with most work first
  const u32* parts;       // of items that are dealt to blocks: Part in motifs_deal.cuh
  const u32* starts;      // unit i is the seeds from starts[i] to starts[i + 1]
  u64 num_units;
  const u32* sources;     // the owner of every list entry
  u64 num_entries;
  u32* triangles;         // per list entry, those of its edge
  u64* corners;           // per vertex, twice its triangles
  u64* reach;             // per vertex, its neighbours' other neighbours
  u32* pairs;             // common neighbours, of block teams: the upper vertices of pairs
  u32* numbers;           // and how many they have in common
  u64 pair_words;         // of one team
  u32* sets;              // bits over the seed's neighbours: per pair, the common ones
  u64 set_words;          // of one team
  u32* rows;              // bits over the seed's neighbours: per neighbour, those it is joined to
  u64 row_words;          // of one team; seeds that need more do without
  Tile tile;
  Far far;
  u32 num_vertices;
  u32 capacity;           // triangles: members that a team's table has room for, a power of two
};

SUBISO_DEVICE Wide falling2(Wide n) { return n * (n - 1); }
SUBISO_DEVICE Wide falling3(Wide n) { return n * (n - 1) * (n - 2); }

// The bits of a word below `end`, which is at most 32.
SUBISO_DEVICE u32 bits_up_to(u32 end) { return end >= 32 ? kFull : (1u << end) - 1; }

// ---- teams -----------------------------------------------------------------------------------------------------------
// A warp or a block that works on one seed at a time.
template <bool kBlock>
struct Crew {
  SUBISO_DEVICE static u32 self() { return kBlock ? warp_in_block() * kWarp + lane_id() : lane_id(); }
  SUBISO_DEVICE static u32 width() { return kBlock ? warps_per_block() * kWarp : kWarp; }
  SUBISO_DEVICE static u32 warp() { return kBlock ? warp_in_block() : 0; }
  SUBISO_DEVICE static u32 warps() { return kBlock ? warps_per_block() : 1; }
  SUBISO_DEVICE static u32 number() { return kBlock ? block_id() : block_id() * warps_per_block() + warp_in_block(); }
  SUBISO_DEVICE static void sync() {
    if (kBlock)
      sync_block();
    else
      sync_warp();
  }
  // Shared memory of this team, which has so many bytes.
  SUBISO_DEVICE static u8* memory(u32 bytes) { return shared_memory() + (kBlock ? 0 : u64{warp_in_block()} * bytes); }
};

// Every team takes units until there are none; f(number of a seed) is called by all of its lanes. `slot` is shared by the
// team.
template <bool kBlock, class Store, class F>
SUBISO_DEVICE void each_item(const Args<Store>& args, u64* slot, F f) {
  using Team = Crew<kBlock>;
  while (true) {
    if (Team::self() == 0) {
      const u64 unit = atomic_add(args.ticket, u64{1});
      *slot = load_fresh(&args.board->stop) != 0 ? args.num_units : unit;
    }
    Team::sync();
    const u64 unit = *slot;
    Team::sync();
    if (unit >= args.num_units) return;
    const u32 end = load_constant(args.starts + unit + 1);
    for (u32 s = load_constant(args.starts + unit); s < end; ++s) f(s);
  }
}
template <bool kBlock, class Store, class F>
SUBISO_DEVICE void each_seed(const Args<Store>& args, u64* slot, F f) {
  each_item<kBlock>(args, slot, [&](u32 s) { f(load_constant(args.seeds + s)); });
}

// Passes in which every lane has its own items.
SUBISO_DEVICE u64 grid_self() { return (u64{block_id()} * warps_per_block() + warp_in_block()) * kWarp + lane_id(); }
SUBISO_DEVICE u64 grid_width() { return u64{num_blocks()} * warps_per_block() * kWarp; }

// At a kernel's end, by all lanes: the block adds up in shared memory, which nobody else uses any more.
template <u32 kCount>
struct Share {
  Sum which[kCount];
  Wide value[kCount];
};
template <u32 kCount>
SUBISO_DEVICE void add_up(Board* board, const Share<kCount>& mine) {
  Wide* totals = reinterpret_cast<Wide*>(shared_memory());
  const u32 number = warp_in_block();
  sync_block();
  SUBISO_UNROLL
  for (u32 i = 0; i < kCount; ++i) {
    const Wide total = reduce_add(mine.value[i]);
    if (lane_id() == 0) totals[number * kCount + i] = total;
  }
  sync_block();
  const u32 i = number * kWarp + lane_id();
  if (i >= kCount) return;
  Wide sum = 0;
  for (u32 w = 0; w < warps_per_block(); ++w) sum += totals[w * kCount + i];
  u32 which = 0;
  SUBISO_UNROLL
  for (u32 k = 0; k < kCount; ++k) which = k == i ? mine.which[k] : which;
  if (sum != 0) atomic_add(&board->sums[which], sum);
}

// ---- lists dealt to lanes --------------------------------------------------------------------------------------------
inline constexpr u32 kLongList = 32;

// Every lane has a list of `size` elements; all of them are dealt to the warp's lanes, long lists one by one, short ones
// together. fetch(owner) gets from lane `owner` what hit(fetched, owner, at, present) needs to know of its list to say
// whether element `at` of it counts; where not `present` there is none. All lanes call both. Returns the hits in the
// lane's own list.
template <class Fetch, class Hit>
SUBISO_DEVICE u32 deal_lists(u32 size, Fetch fetch, Hit hit) {
  const u32 lane = lane_id();
  u32 hits = 0;
  for (u32 open = ballot(size >= kLongList); open != 0; open &= open - 1) {
    const u32 owner = lowest_bit(open), all = shuffle(size, owner);
    const auto fetched = fetch(owner);
    u32 found = 0;
    for (u32 base = 0; base < all; base += kWarp)
      found += popcount(ballot(hit(fetched, owner, base + lane, base + lane < all)));
    if (lane == owner) hits = found;
  }
  const u32 mine = size >= kLongList ? 0 : size;
  const u32 end = scan_add(mine), begin = end - mine, total = shuffle(end, kWarp - 1);
  for (u32 base = 0; base < total; base += kWarp) {
    u32 owner = 0;  // the number of lists that end at or before this lane's element
    SUBISO_UNROLL
    for (u32 half = kWarp / 2; half != 0; half /= 2)
      if (shuffle(end, owner + half - 1) <= base + lane) owner += half;
    const u32 before = shuffle(begin, owner);
    const u32 votes = ballot(hit(fetch(owner), owner, base + lane - before, base + lane < total));
    const u32 from = begin > base ? begin - base : 0, to = end > base ? end - base : 0;
    if (from < kWarp) hits += popcount(votes & bits_up_to(to) & ~bits_up_to(from));
  }
  return hits;
}

}  // namespace subiso::motif
