// Schedule `levels`: tables of partial matches, one column per position, extended step by step. What its kernels are
// given, and sums over the rows of a table. A step finds what fits (levels_join.cuh, levels_combine.cuh), and another
// kernel writes the next table (levels_link.cuh).
#pragma once
#include "edges.cuh"
#include "levels_balance.cuh"
#include "share.cuh"

namespace subiso {

inline constexpr u32 kTile = 1024;      // rows that one warp sums up
inline constexpr u32 kNoSlot = 255;
inline constexpr u32 kAdded = 128;

// What is known of a table; the host clears it before the table is filled anew.
struct LevelState {
  u64 rows;
  u64 total;                 // candidates of all rows at the next step, before any check
  u32 pool_rows;             // rows that the warps of a block share,
  u32 block_rows;            // rows that take a block each,
  u32 grid_rows;             // and rows that all blocks share,
  Limits limits;             // as these say
  u32 histogram[kBins];      // of rows with 32 candidates or more
};

// A table of partial matches, and where the candidates of its rows for the next step begin.
struct LevelRows {
  u32* columns;              // slot s of row r: columns[s * capacity + r]
  u64 capacity;
  u64* rows;                 // how many there are
  LevelState* state;
  u32* sizes;                // row -> its candidates
  u64* starts;               // row -> address of the first one, and in the highest byte the operation whose list it is
  u64* offsets;              // row -> candidates of the rows before it
  u64* tiles;                // candidates of kTile rows
  u32* lists;                // rows of the pool from the front, rows of blocks from the back
  u32* grid_list;
  u8 slot[kMaxPositions];    // position -> slot; kNoSlot: nobody reads it any more
};

// Candidates that fit, for some rows of a table, where several positions are matched at once: at most two sets of them.
struct Hand {
  LevelState* state;         // rows: the first row that has no lists yet; total: combinations of all
  u64* offsets;              // row - first row -> combinations of the rows before it
  u64* tiles;
  u32* lists[2];             // candidates of a row stand from where its unchecked ones are numbered
  u32* counts[2];            // row -> how many they are
  u64 room;                  // of a list
};

template <class Store>
struct LevelsArgs {
  Reads<Store> reads;
  Control* control;
  const Tables* tables;
  LevelRows from, to;        // the table before, and the one that is written
  LevelRows from_second;     // where several positions are matched at once: the other set of candidates of the same rows
  LevelRows to_second;
  Hand hand;
  const u32* seeds;          // level 0 takes its candidates from here
  u64 begin, end;            // the window: candidates of `from` that this launch looks at
  u64 base;                  // rows that `to` has before
  u64 first_row;             // of the hand
  u32* parents;              // pairs that the join finds: a row of `from`,
  u32* vertices;             // and the vertex that goes on it; or a buffer with room for every candidate of the window
  u32* counts;               // row of `from` -> candidates that fit
  u64* count_tiles;
  u64* places;               // row of `from` -> fitting candidates of the rows before it
  u32* rows;                 // the last step of a listing: matches leave here, row by row
  const u32* translate;      // rank -> what leaves
  u32* cleared;              // memory to clear, and its words
  u64 cleared_words;
  u32 level;                 // whose demands are checked
  u32 known;                 // positions that the rows of `from` hold
  u32 width;                 // positions that this step adds; the first is number `known`
  u32 columns;               // of rows that leave
  u32 num_slots;             // of `to`
  u32 next_level;            // whose candidates are looked up for the new rows; 0: nobody's
  u32 next_second;           // the same for the second set
  u32 only;                  // the operation whose list holds these candidates; kNoOrigin: the shortest list
  u32 only_second;
  Limits limits;             // whose work rows are,
  u32 multiprocessors;       // unless a cost model says it, for so many of these; 0: it does not
  u32 staged;                // operands of up to so many elements are read into shared memory; 0: none
  u32 alone;                 // a row with so many candidates has the warp for itself, where it has operands to be read
  u32 cache;                 // write 32 elements at a time
  u32 reuse;                 // rows with the same operand share its copy in shared memory
  u32 spanned;               // the window is as many rows from `first_row` on as the hand has room for
  u32 unused;
  u32 num_sifted;            // checks of rows: further levels of the plan from `level` on,
  u8 sifted[kMaxPositions];  // each for the vertex at this position
  u8 member[kMaxPositions];  // added position -> its set of candidates
  u8 source[kMaxPositions];  // slot of `to` -> slot of `from`; from kAdded on: the positions that this step adds
};

// Rows of a table as the checks read partial matches.
struct RowsView {
  const LevelRows& table;
  SUBISO_DEVICE u32 vertex(int position, u32 row) const {
    const u32 slot = table.slot[position];
    return slot == kNoSlot ? 0 : load_own(table.columns + slot * table.capacity + row);
  }
  SUBISO_DEVICE u32 parent(int, u32 row) const { return row; }
  SUBISO_DEVICE List set(u32, u32) const { return {nullptr, 0}; }
};

template <class Store>
SUBISO_DEVICE bool stopped(const LevelsArgs<Store>& args) {
  return ballot(load_fresh(&args.control->stop) != 0) != 0;
}

SUBISO_DEVICE u32 grid_warp() { return block_id() * warps_per_block() + warp_in_block(); }
SUBISO_DEVICE u32 grid_warps() { return num_blocks() * warps_per_block(); }

// The row to which candidate number `at` belongs: the last one that begins at or before it and is not empty.
SUBISO_DEVICE u32 row_of(const u64* offsets, u64 rows, u64 at) {
  u64 first = 0, left = rows;
  while (left > 1) {
    const u64 half = left / 2;
    const bool go = load_own(offsets + first + half) <= at;
    first += go ? half : 0;
    left -= half;
  }
  return static_cast<u32>(first);
}

// The same where it is row `first` or, most often soon, a later one.
SUBISO_DEVICE u64 row_from(const u64* offsets, u64 rows, u64 first, u64 at) {
  u64 step = 1;
  for (; first + step < rows && load_own(offsets + first + step) <= at; step *= 2) first += step;
  return first + row_of(offsets + first, least(step, rows - first), at);
}

// ---- clearing --------------------------------------------------------------------------------------------------------
template <class Store>
SUBISO_DEVICE void levels_clear(const LevelsArgs<Store>& args) {
  const u64 all = u64{grid_warps()} * kWarp;
  for (u64 i = u64{grid_warp()} * kWarp + lane_id(); i < args.cleared_words; i += all) args.cleared[i] = 0;
}

// ---- sums over rows --------------------------------------------------------------------------------------------------
// f(row, its value, the sum before it) for every row; tiles[t] is the sum of tile t. A warp per tile, 32 rows at a time.
template <class Value, class F>
SUBISO_DEVICE void scan_rows(const u64* tiles, u64 rows, Value value_of, F f) {
  const u64 num_tiles = (rows + kTile - 1) / kTile;
  for (u64 tile = grid_warp(); tile < num_tiles; tile += grid_warps()) {
    u64 before = 0;
    for (u64 t = lane_id(); t < tile; t += kWarp) before += load_own(tiles + t);
    before = reduce_add(before);
    for (u64 first = tile * kTile; first < least((tile + 1) * kTile, rows); first += kWarp) {
      const u64 row = first + lane_id(), value = row < rows ? u64{value_of(row)} : 0;
      const u64 end = before + scan_add(value);
      if (row < rows) f(row, value, end - value);
      before = shuffle(end, kWarp - 1);
    }
  }
}

// Where every row's candidates begin in the space of all, and which rows are too much for one warp.
template <class Store>
SUBISO_DEVICE void levels_offsets(const LevelsArgs<Store>& args) {
  const LevelRows& table = args.to;
  const u64 rows = *table.rows;
  if (stopped(args) || u64{grid_warp()} * kTile >= rows) return;
  const auto size_of = [&](u64 row) { return load_own(table.sizes + row); };
  const Limits limits =
      args.multiprocessors != 0 ? choose_limits(table.state->histogram, args.multiprocessors) : args.limits;
  if (grid_warp() == 0 && lane_id() == 0) table.state->limits = limits;
  scan_rows(table.tiles, rows, size_of, [&](u64 row, u64 size, u64 before) {
    table.offsets[row] = before;
    if (row + 1 == rows) table.offsets[rows] = table.state->total = before + size;
    if (size <= limits.pool) return;
    if (size > limits.grid)
      table.grid_list[atomic_add(&table.state->grid_rows, 1u)] = static_cast<u32>(row);
    else if (size > limits.block)
      table.lists[table.capacity - 1 - atomic_add(&table.state->block_rows, 1u)] = static_cast<u32>(row);
    else
      table.lists[atomic_add(&table.state->pool_rows, 1u)] = static_cast<u32>(row);
  });
}

// The same for candidates that fit: where every row's new rows begin.
template <class Store>
SUBISO_DEVICE void levels_places(const LevelsArgs<Store>& args) {
  const u64 rows = *args.from.rows;
  if (stopped(args)) return;
  const auto count_of = [&](u64 row) { return load_own(args.counts + row); };
  scan_rows(args.count_tiles, rows, count_of, [&](u64 row, u64 count, u64 before) {
    args.places[row] = before;
    if (row + 1 == rows) *args.to.rows = args.base + before + count;
  });
}

}  // namespace subiso
