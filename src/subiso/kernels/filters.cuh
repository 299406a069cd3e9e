// Filters over the candidates of a query's vertices (after GSI): bitmaps of labels and conditions, signatures, then
// neighbours among the neighbours' candidates, round by round, until nothing changes.
#pragma once
#include "bitmaps.cuh"

namespace subiso {

inline constexpr u32 kMostVertices = 64;  // of a pattern
inline constexpr u32 kRounds = 8;         // of one batch

// A pattern vertex that has candidates.
struct FilterVertex {
  u32* bits;   // its candidates
  u32* given;  // what labels and conditions alone leave; null: nobody asks for it
  u32 first_part, end_part;
  u32 first_ask, first_again, end_ask;  // those before `first_again` are asked once
  u32 unused;
};

// Every candidate needs `count` neighbours in `others`, null for any.
struct Ask {
  const u32* bounds;
  const u32* neighbors;
  const u32* others;
  u32 other;  // the vertex whose candidates these are, kFull: they do not change
  u32 count;
};

struct FilterReport {
  u32 changed[kRounds + 1][kMostVertices];  // by round, the first being the one before
  u32 first_sizes[kMostVertices];
  u32 sizes[kMostVertices];
  u64 overlaps[kMostVertices];  // bits of the vertices before that have a candidate in common, ...
  u64 differs[kMostVertices];   // ... and that have other candidates
  u32 members;                  // that are anybody's candidate
  u32 unused;
};

struct FilterArgs {
  const FilterVertex* vertices;
  const u32* const* parts;  // bitmaps that candidates must be in
  const Ask* asks;
  const u64* table;         // signatures, column by column; null: they are not looked at
  const u64* wanted;        // per vertex its signature
  FilterReport* report;
  u64* fans;                // by ask: neighbours among the candidates at the other end, and all neighbours
  u32* all;                 // members
  u32* counts;              // of `all`, by word
  u32 num_vertices;         // of the graph
  u32 signature_words;
  u32 round;                // of this batch
  u32 first;                // this is the very first round
  Pieces pieces;
  u32 force;                // measure whatever has changed
};

// Which of the 32 vertices of a word have all bits of a signature: one lane per vertex, one column after the other.
SUBISO_DEVICE u32 fit_signature(const FilterArgs& args, u32 vertex, u32 at, u32 word) {
  const u64 v = 32 * u64{at} + lane_id();
  bool fits = word >> lane_id() & 1;
  for (u32 column = 0; column < args.signature_words; ++column) {
    const u64 wanted = load_constant(args.wanted + u64{vertex} * args.signature_words + column);
    if (wanted == 0) continue;
    if (fits) fits = (load_constant(args.table + u64{column} * args.num_vertices + v) & wanted) == wanted;
    if (ballot(fits) == 0) break;
  }
  return ballot(fits);
}

// Labels and conditions, then signatures: a lane per word, then a warp per word.
SUBISO_DEVICE void filter_sift(const FilterArgs& args) {
  each_piece(args.pieces, [&](u32 vertex, u32 first) {
    const FilterVertex mine = args.vertices[vertex];
    const u32 at = first + lane_id();
    const bool here = lane_id() < args.pieces.chunk && at < args.pieces.words;
    u32 word = here ? kFull : 0;
    for (u32 p = mine.first_part; p < mine.end_part; ++p)
      if (word != 0) word &= load_constant(args.parts[p] + at);
    const u32 size = reduce_add(popcount(word));
    if (lane_id() == 0 && size != 0) atomic_add(args.report->first_sizes + vertex, size);
    if (here && mine.given != nullptr) mine.given[at] = word;
    if (args.table != nullptr)
      for (u32 left = ballot(word != 0); left != 0; left &= left - 1) {
        const u32 lane = lowest_bit(left);
        const u32 fits = fit_signature(args, vertex, first + lane, shuffle(word, lane));
        if (lane_id() == lane) word = fits;
      }
    if (here) mine.bits[at] = word;
  });
}

// Whether the list of every lane has `count` elements in a bitmap, or elements at all. A lane looks at the first few of
// its own, which often says enough; what is left of longer lists the lanes look at together.
SUBISO_DEVICE bool has_enough(bool active, List list, const Ask& ask) {
  bool yes = !active || list.size >= ask.count;
  if (ask.others == nullptr) return yes;
  bool open = active && yes;
  const u32 few = open ? least(list.size, kFew) : 0;
  u32 found = 0;
  for (u32 i = 0; i < few && found < ask.count; ++i) found += has_bit(ask.others, load_constant(list.data + i));
  if (open) yes = found >= ask.count;
  open = open && !yes && list.size - few + found >= ask.count;
  for (u32 left = ballot(open); left != 0; left &= left - 1) {
    const u32 lane = lowest_bit(left), size = shuffle(list.size, lane);
    const u32* data = shuffle(list.data, lane);
    u32 hits = shuffle(found, lane);
    for (u32 i = kFew; i < size && hits < ask.count; i += kWarp) {
      const u32 at = i + lane_id();
      hits += popcount(ballot(at < size && has_bit(ask.others, load_constant(data + at))));
    }
    if (lane_id() == lane) yes = hits >= ask.count;
  }
  return yes;
}

// One round: drops candidates that lack a neighbour. Words are changed in place while others read them: bits only ever
// go, so what is dropped is dropped rightly, and who has looked too early is asked again in the next round.
SUBISO_DEVICE void filter_round(const FilterArgs& args) {
  const u32* before = args.report->changed[args.round];
  each_piece(args.pieces, [&](u32 vertex, u32 first) {
    const FilterVertex mine = args.vertices[vertex];
    bool dropped = false;
    for (u32 a = args.first ? mine.first_ask : mine.first_again; a < mine.end_ask; ++a) {
      const Ask ask = args.asks[a];
      if (!args.first && (ask.other == kFull || before[ask.other] == 0)) continue;
      each_member(mine.bits, args.pieces, first, [&](u32 v) {
        const List list = v == kFull ? List{ask.neighbors, 0} : list_at(ask.bounds, ask.neighbors, v);
        if (has_enough(v != kFull, list, ask)) return;
        atomic_and(mine.bits + (v >> 5), ~(1u << (v & 31)));
        dropped = true;
      });
      sync_warp();  // the next question is asked of those that are left
    }
    if (ballot(dropped) != 0 && lane_id() == 0) store_fresh(args.report->changed[args.round + 1] + vertex, 1u);
  });
}

// True when the last round of the batch still changed something: what follows would be in vain.
SUBISO_DEVICE bool unsettled(const FilterArgs& args) {
  if (args.force) return false;
  const u32* last = args.report->changed[args.round];
  return ballot(last[lane_id()] != 0 || last[lane_id() + kWarp] != 0) != 0;
}

SUBISO_DEVICE u64 any_of_warp(u64 bits) {
  for (u32 step = kWarp / 2; step != 0; step /= 2) bits |= shuffle(bits, lane_id() ^ step);
  return bits;
}

SUBISO_DEVICE void note_bits(u64* at, u64 bits) {
  const u64 fresh = any_of_warp(bits) & ~load_fresh(at);
  u32* halves = reinterpret_cast<u32*>(at);
  if (lane_id() != 0) return;
  if (static_cast<u32>(fresh) != 0) atomic_or(halves, static_cast<u32>(fresh));
  if (fresh >> 32 != 0) atomic_or(halves + 1, static_cast<u32>(fresh >> 32));
}

// Sizes, who has candidates in common and whose are the same; and the members of all bitmaps together, as one more.
SUBISO_DEVICE void filter_measure(const FilterArgs& args) {
  if (unsettled(args)) return;
  Pieces pieces = args.pieces;
  ++pieces.bitmaps;
  each_piece(pieces, [&](u32 vertex, u32 first) {
    const u32 at = first + lane_id();
    const bool here = lane_id() < pieces.chunk && at < pieces.words;
    if (vertex == args.pieces.bitmaps) {
      u32 word = 0;
      for (u32 v = 0; here && v < vertex; ++v) word |= load_constant(args.vertices[v].bits + at);
      if (here) args.all[at] = word, args.counts[at] = popcount(word);
      const u32 size = reduce_add(popcount(word));
      if (lane_id() == 0 && size != 0) atomic_add(&args.report->members, size);
      return;
    }
    const u32 word = here ? load_constant(args.vertices[vertex].bits + at) : 0;
    u64 overlaps = 0, differs = 0;
    for (u32 v = 0; here && v < vertex; ++v) {
      const u32 other = load_constant(args.vertices[v].bits + at);
      overlaps |= u64{(word & other) != 0} << v;
      differs |= u64{word != other} << v;
    }
    const u32 size = reduce_add(popcount(word));
    if (lane_id() == 0 && size != 0) atomic_add(args.report->sizes + vertex, size);
    note_bits(args.report->overlaps + vertex, overlaps);
    note_bits(args.report->differs + vertex, differs);
  });
}

// How many elements of every lane's list are in a bitmap, summed up over the warp.
SUBISO_DEVICE u32 count_members(List list, const u32* others) {
  u32 found = 0;
  if (list.size <= kFew)
    for (u32 i = 0; i < list.size; ++i) found += has_constant_bit(others, load_constant(list.data + i));
  for (u32 left = ballot(list.size > kFew); left != 0; left &= left - 1) {
    const u32 lane = lowest_bit(left), size = shuffle(list.size, lane);
    const u32* data = shuffle(list.data, lane);
    for (u32 i = lane_id(); i < size; i += kWarp) found += has_constant_bit(others, load_constant(data + i));
  }
  return reduce_add(found);
}

// How many neighbours among the other end's candidates the candidates of a vertex have, per link.
SUBISO_DEVICE void filter_fans(const FilterArgs& args) {
  if (unsettled(args)) return;
  each_piece(args.pieces, [&](u32 vertex, u32 first) {
    const FilterVertex mine = args.vertices[vertex];
    for (u32 a = mine.first_again; a < mine.end_ask; ++a) {
      const Ask ask = args.asks[a];
      u64 met = 0, all = 0;
      each_member(mine.bits, args.pieces, first, [&](u32 v) {
        const List list = v == kFull ? List{ask.neighbors, 0} : list_at(ask.bounds, ask.neighbors, v);
        const u32 sizes = reduce_add(list.size);
        all += sizes, met += ask.others == nullptr ? sizes : count_members(list, ask.others);
      });
      if (lane_id() != 0 || all == 0) continue;
      atomic_add(args.fans + 2 * a, met);
      atomic_add(args.fans + 2 * a + 1, all);
    }
  });
}

}  // namespace subiso
