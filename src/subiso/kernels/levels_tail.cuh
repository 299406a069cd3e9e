// The counting tail of schedule `levels`: for every row of the last table, a polynomial in sizes of sets. A warp takes 32
// rows and counts the sets of all of them together.
#pragma once
#include "config.cuh"
#include "levels.cuh"

namespace subiso {

template <class Store, bool kNarrow>
class TailWarp {
 public:
  using Value = typename ValueOf<kNarrow>::Type;

  SUBISO_DEVICE explicit TailWarp(const LevelsArgs<Store>& args)
      : args_(args), plan_{args.tables}, view_{args.from}, last_(plan_.num_levels() - 1) {}

  SUBISO_DEVICE void run() {
    const u64 rows = *args_.from.rows;
    Wide total = 0;
    for (u64 first = u64{grid_warp()} * kWarp; first < rows && !left_; first += u64{grid_warps()} * kWarp) {
      if (stopped(args_)) break;
      const u32 row = static_cast<u32>(first) + lane_id();
      const bool present = row < rows;
      u32 sizes[kMaxSizes];
      for (int s = 0; s < plan_.num_sizes(); ++s) {
        const int level = plan_.num_levels() + s;
        sizes[s] = counted(level, static_cast<u32>(first), present) - plan_.level(level).surely;
      }
      if (present && !left_) total += polynomial(sizes);
    }
    add_up(args_.control, total);
  }

 private:
  SUBISO_DEVICE u32 counted(int level, u32 first, bool present) {
    const u32 row = first + lane_id();
    if (plan_.level(level).measured) return present ? measure(plan_, args_.reads, view_, level, last_, row) : 0;
    Frontier f;
    if (present) f = local_candidates(plan_, args_.reads, view_, level, last_, row);
    u32 size = 0, turn = 0;
    drain<kWarp>(f, [&](const DrainTask& task) {
      const bool ok = task.present &&
                      fits(plan_, args_.reads, view_, level, last_, task.vertex, first + task.entry, task.origin);
      size += popcount(ballot(ok) & task.takers);
      if (++turn % 256 == 0 && stopped(args_)) left_ = true;
      return !left_;
    });
    return size;
  }

  SUBISO_DEVICE Value polynomial(const u32* sizes) const {
    Value sum = 0;
    for (int t = 0; t < plan_.num_terms(); ++t) {
      const Term term = plan_.term(t);
      Value product = term.coefficient;
      for (int i = 0; i < term.count; ++i) product *= sizes[term.factors[i]];
      sum += product;
    }
    return sum;
  }

  const LevelsArgs<Store>& args_;
  const TablePlan plan_;
  const RowsView view_;
  const int last_;
  bool left_ = false;
};

template <class Store, bool kNarrow>
SUBISO_DEVICE void levels_tail(const LevelsArgs<Store>& args) {
  TailWarp<Store, kNarrow>(args).run();
}

}  // namespace subiso
