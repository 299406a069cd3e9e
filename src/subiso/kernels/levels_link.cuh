// Writes the next table of schedule `levels` from what a step has found, and looks up where its rows' candidates are.
#pragma once
#include "levels_group.cuh"
#include "levels_output.cuh"

namespace subiso {

// Where results stand.
enum class Found {
  kPairs,   // as pairs of a row and a vertex
  kBuffer,  // in the rows' own room, as many as `counts` says
  kTuples,  // as pairs of a row and the number of a combination
};

template <class Store>
SUBISO_DEVICE u32 look_up(const LevelsArgs<Store>& args, const LevelRows& table, u32 level, u32 only, u32 row) {
  const int last = static_cast<int>(args.known + args.width) - 1;
  const TablePlan plan{args.tables};
  const Frontier f = local_candidates(plan, args.reads, RowsView{args.to}, static_cast<int>(level), last, row, only);
  table.sizes[row] = f.left;
  table.starts[row] = reinterpret_cast<u64>(f.next) | u64{f.origin} << 56;
  if (f.left >= kWarp) atomic_add(&table.state->histogram[bin_of(f.left)], 1u);
  return f.left;
}

// Candidates of 32 rows that were written, into the sum of their tile.
SUBISO_DEVICE void add_to_tile(const LevelRows& table, u64 first, u32 size) {
  const u64 sum = reduce_add(u64{size});
  if (lane_id() == 0 && sum != 0) atomic_add(table.tiles + first / kTile, sum);
}

// Number k of this window's results: a pair as it was written, or one element of the rows' buffers.
template <Found kFound, class Store>
SUBISO_DEVICE Result result_at(const LevelsArgs<Store>& args, u64 k) {
  if constexpr (kFound != Found::kBuffer) return {load_own(args.parents + k), load_own(args.vertices + k)};
  const u32 row = row_of(args.places, *args.from.rows, k);
  const u64 first = greatest(load_own(args.from.offsets + row), args.begin) - args.begin;
  return {row, load_own(args.vertices + first + (k - load_own(args.places + row)))};
}

// f(added position, its vertex) for all that this step adds.
template <Found kFound, class Store, class F>
SUBISO_DEVICE void each_added(const LevelsArgs<Store>& args, Result result, F f) {
  if constexpr (kFound == Found::kTuples) {
    Combination<Store>(args, result.parent, args.begin + result.vertex).each([&](u32 m, u32 vertex) {
      f(m, vertex);
      return true;
    });
  } else if (args.width != 0) {
    f(0u, result.vertex);
  }
}

template <Found kFound, class Store>
SUBISO_DEVICE void write_match(const LevelsArgs<Store>& args, u64 row, Result result) {
  u32* const out = args.rows + row * args.columns;
  const TablePlan plan{args.tables};
  const RowsView before{args.from};
  const auto write = [&](u32 position, u32 vertex) {
    out[plan.column(static_cast<int>(position))] = load_constant(args.translate + vertex);
  };
  for (u32 p = 0; p < args.known; ++p) write(p, before.vertex(static_cast<int>(p), result.parent));
  each_added<kFound>(args, result, [&](u32 m, u32 vertex) { write(args.known + m, vertex); });
}

template <Found kFound, class Store>
SUBISO_DEVICE void write_row(const LevelsArgs<Store>& args, u64 row, Result result) {
  const LevelRows &from = args.from, &to = args.to;
  for (u32 s = 0; s < args.num_slots; ++s) {
    const u32 source = args.source[s];
    if (source < kAdded) to.columns[s * to.capacity + row] = load_own(from.columns + source * from.capacity + result.parent);
  }
  each_added<kFound>(args, result, [&](u32 m, u32 vertex) {
    const u32 slot = to.slot[args.known + m];
    if (slot != kNoSlot) to.columns[slot * to.capacity + row] = vertex;
  });
}

template <class Store, Found kFound>
SUBISO_DEVICE void levels_link(const LevelsArgs<Store>& args) {
  const u64 end = *args.to.rows, aligned = args.base / kWarp * kWarp;
  for (u64 first = aligned + u64{grid_warp()} * kWarp; first < end; first += u64{grid_warps()} * kWarp) {
    if (stopped(args)) return;
    const u64 row = first + lane_id();
    u32 sizes[2] = {0, 0};
    if (row >= args.base && row < end) {
      const Result result = result_at<kFound>(args, row - args.base);
      if (args.rows != nullptr) write_match<kFound>(args, row, result);
      if (args.num_slots != 0) write_row<kFound>(args, row, result);
      if (args.next_level != 0) sizes[0] = look_up(args, args.to, args.next_level, args.only, static_cast<u32>(row));
      if (args.next_second != 0)
        sizes[1] = look_up(args, args.to_second, args.next_second, args.only_second, static_cast<u32>(row));
    }
    if (args.next_level != 0) add_to_tile(args.to, first, sizes[0]);
    if (args.next_second != 0) add_to_tile(args.to_second, first, sizes[1]);
  }
}

}  // namespace subiso
