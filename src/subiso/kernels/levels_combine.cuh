// Steps of schedule `levels` that look at whole rows (after GENEVA): combinations of candidates for several positions, of
// which only what they ask of each other is left to check; and elimination, which checks edges between matched vertices.
#pragma once
#include "levels_group.cuh"
#include "levels_output.cuh"

namespace subiso {

// A row and the vertices of a combination, as the checks read partial matches.
struct CombinedView {
  RowsView rows;
  u32 known;
  const u32* added;
  SUBISO_DEVICE u32 vertex(int position, u32 row) const {
    const u32 p = static_cast<u32>(position);
    return p < known ? rows.vertex(position, row) : added[p - known];
  }
  SUBISO_DEVICE u32 parent(int, u32 row) const { return row; }
  SUBISO_DEVICE List set(u32, u32) const { return {nullptr, 0}; }
};

// Does a combination keep what its members ask of each other? What they ask of the row was checked when its lists were made.
template <class Store>
SUBISO_DEVICE bool agrees(const LevelsArgs<Store>& args, u64 row, u64 at) {
  const TablePlan plan{args.tables};
  u32 added[kMaxPositions];
  const CombinedView view{{args.from}, args.known, added};
  return Combination<Store>(args, row, at).each([&](u32 m, u32 vertex) {
    added[m] = vertex;
    const int level = static_cast<int>(args.known + m);
    for (int p = static_cast<int>(args.known); p < level; ++p)
      for (int i = args.tables->first[level][p]; i < args.tables->first[level][p + 1]; ++i)
        if (!passes(args.reads, view, plan.op(i), vertex, added[p - static_cast<int>(args.known)], 0)) return false;
    return true;
  });
}

// Every warp has an equal part of the combinations, one after another, so that it need not look far for their rows.
template <class Store, Output kOutput>
SUBISO_DEVICE void levels_combine(const LevelsArgs<Store>& args) {
  OutputWarp<Store, kOutput> out(args);
  const u64 total = least(args.end, args.hand.state->total), rows = args.hand.state->rows - args.first_row;
  const u64 part = total > args.begin ? ((total - args.begin) / grid_warps() / kWarp + 1) * kWarp : 0;
  const u64 begin = args.begin + grid_warp() * part, end = least(begin + part, total);
  u64 row = begin < end ? row_of(args.hand.offsets, rows, begin) : 0;
  for (u64 first = begin; first < end; first += kWarp) {
    if (stopped(args)) break;
    const u64 at = first + lane_id();
    const u64 mine = row_from(args.hand.offsets, rows, row, least(at, end - 1));
    const bool ok = at < end && agrees(args, args.first_row + mine, at);
    sync_warp();
    out.put(ok, static_cast<u32>(args.first_row + mine), static_cast<u32>(at - args.begin));
    row = shuffle(mine, kWarp - 1);
  }
  out.finish();
}

// Rows whose vertices have all the edges that a phase asks for.
template <class Store, Output kOutput>
SUBISO_DEVICE void levels_sift(const LevelsArgs<Store>& args) {
  OutputWarp<Store, kOutput> out(args);
  const TablePlan plan{args.tables};
  const RowsView view{args.from};
  const u64 end = least(args.end, *args.from.rows);
  for (u64 first = args.begin + u64{grid_warp()} * kWarp; first < end; first += u64{grid_warps()} * kWarp) {
    if (stopped(args)) break;
    const u32 row = static_cast<u32>(first) + lane_id();
    bool ok = row < end;
    for (u32 i = 0; i < args.num_sifted && ok; ++i) {
      const int position = args.sifted[i];
      ok = fits(plan, args.reads, view, static_cast<int>(args.level + i), position - 1, view.vertex(position, row), row,
                kNoOrigin);
    }
    sync_warp();
    out.put(ok, row, 0);
  }
  out.finish();
}

}  // namespace subiso
