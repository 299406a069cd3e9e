// Exclusive prefix sums of many rows of numbers, in three launches: sums of tiles, of rows, and of everything before each
// number. Numbers come in pairs (below, above), and what is longest among them is found on the way.
#pragma once
#include "warp.cuh"

namespace subiso {

// Of one tile, then of a row: the sum, and of its pairs the two largest sums and seconds.
struct Tile {
  u32 sum;
  u32 longest, next_longest;
  u32 above, next_above;
  u32 first_long;  // the first pair whose sum is larger than `long_from`; kFull: there is none
};

struct ScanArgs {
  const u32* values;  // rows of `length`
  u32* sums;          // rows of `length` + 1
  Tile* tiles;        // per row, then per tile; the sums become those of all tiles before
  Tile* totals;       // per row
  u32 rows;
  u32 length;
  u32 tile;           // numbers of a tile, an even number
  u32 long_from;

  SUBISO_DEVICE u32 num_tiles() const { return (length + tile - 1) / tile; }
};

SUBISO_DEVICE void note_largest(u32 value, u32& largest, u32& next) {
  next = greatest(next, least(value, largest));
  largest = greatest(largest, value);
}

// Both lanes' largest two become those of all lanes.
SUBISO_DEVICE void largest_of_warp(u32& largest, u32& next) {
  for (u32 step = kWarp / 2; step != 0; step /= 2) {
    const u32 other = shuffle(largest, lane_id() ^ step), other_next = shuffle(next, lane_id() ^ step);
    note_largest(other, largest, next);
    next = greatest(next, other_next);
  }
}

SUBISO_DEVICE u32 least_of_warp(u32 value) {
  for (u32 step = kWarp / 2; step != 0; step /= 2) value = least(value, shuffle(value, lane_id() ^ step));
  return value;
}

SUBISO_DEVICE void join_lanes(Tile& t) {
  t.sum = reduce_add(t.sum);
  largest_of_warp(t.longest, t.next_longest);
  largest_of_warp(t.above, t.next_above);
  t.first_long = least_of_warp(t.first_long);
}

// A warp per tile.
SUBISO_DEVICE void scan_tiles(const ScanArgs& args) {
  const u32 tiles = args.num_tiles(), warps = num_blocks() * warps_per_block();
  for (u64 at = block_id() * warps_per_block() + warp_in_block(); at < u64{args.rows} * tiles; at += warps) {
    const u32 begin = static_cast<u32>(at % tiles) * args.tile, end = least(args.length, begin + args.tile);
    const u32* row = args.values + at / tiles * args.length;
    Tile mine{0, 0, 0, 0, 0, kFull};
    for (u32 i = begin + 2 * lane_id(); i < end; i += 2 * kWarp) {
      const u32 below = load_constant(row + i), above = i + 1 < end ? load_constant(row + i + 1) : 0;
      mine.sum += below + above;
      note_largest(below + above, mine.longest, mine.next_longest);
      note_largest(above, mine.above, mine.next_above);
      if (below + above > args.long_from) mine.first_long = least(mine.first_long, i / 2);
    }
    join_lanes(mine);
    if (lane_id() == 0) args.tiles[at] = mine;
  }
}

// A warp per row.
SUBISO_DEVICE void scan_carry(const ScanArgs& args) {
  const u32 tiles = args.num_tiles(), warps = num_blocks() * warps_per_block();
  for (u32 row = block_id() * warps_per_block() + warp_in_block(); row < args.rows; row += warps) {
    Tile* mine = args.tiles + u64{row} * tiles;
    Tile all{0, 0, 0, 0, 0, kFull};
    u32 before = 0;
    for (u32 first = 0; first < tiles; first += kWarp) {
      const u32 t = first + lane_id();
      Tile one{0, 0, 0, 0, 0, kFull};
      if (t < tiles) one = mine[t];
      const u32 upto = scan_add(one.sum);
      if (t < tiles) mine[t].sum = before + upto - one.sum;
      before += shuffle(upto, kWarp - 1);
      note_largest(one.longest, all.longest, all.next_longest);
      note_largest(one.next_longest, all.longest, all.next_longest);
      note_largest(one.above, all.above, all.next_above);
      note_largest(one.next_above, all.above, all.next_above);
      all.first_long = least(all.first_long, one.first_long);
    }
    join_lanes(all);
    all.sum = before;
    if (lane_id() == 0) args.totals[row] = all, args.sums[u64{row} * (args.length + 1) + args.length] = before;
  }
}

// A warp per tile.
SUBISO_DEVICE void scan_write(const ScanArgs& args) {
  const u32 tiles = args.num_tiles(), warps = num_blocks() * warps_per_block();
  for (u64 at = block_id() * warps_per_block() + warp_in_block(); at < u64{args.rows} * tiles; at += warps) {
    const u32 begin = static_cast<u32>(at % tiles) * args.tile, end = least(args.length, begin + args.tile);
    const u64 row = at / tiles;
    u32 before = args.tiles[at].sum;
    for (u32 first = begin; first < end; first += kWarp) {
      const u32 i = first + lane_id(), value = i < end ? load_constant(args.values + row * args.length + i) : 0;
      const u32 upto = scan_add(value);
      if (i < end) args.sums[row * (args.length + 1) + i] = before + upto - value;
      before += shuffle(upto, kWarp - 1);
    }
  }
}

}  // namespace subiso
