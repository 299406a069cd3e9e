// One step of a search: deals candidates to lanes and checks them; what fits becomes a level of the stack, a count or a row.
#pragma once
#include "edges.cuh"
#include "search_tail.cuh"

namespace subiso {

template <class Plan, class Store, class Config>
class SearchStep : public SearchTail<Plan, Store, Config> {
  using Base = SearchTail<Plan, Store, Config>;

 protected:
  using typename Base::Counts;
  using Base::args_, Base::plan_, Base::stack_, Base::left_, Base::counted_, Base::last, Base::note;
  using Base::size_of, Base::sizes_tail, Base::tally, Base::tally_step;

  SUBISO_DEVICE SearchStep(const SearchArgs<Store>& args, Plan plan, Stack stack, Counts counts)
      : Base(args, plan, stack, counts) {}

  SUBISO_DEVICE bool idle() const { return depth_ < 0 && fresh_ == 0 && ballot(frontier_.left != 0) == 0; }

  SUBISO_DEVICE void advance() {
    if (fresh_ != 0)
      open();
    else if (!(depth_ + 1 == last() && Config::kTail != Tail::kRows ? finish() : step()))
      pop();
  }

 private:
  SUBISO_DEVICE void pop() {
    if (depth_ < 0) return;
    if (Config::kSets) stack_.top = stack_.base(depth_);
    frontier_ = {};
    if (--depth_ >= 0) frontier_ = stack_.frontier(depth_);
  }

  // `fresh_` entries were put at the current level: computes their sets, as far as there is room, and their candidates.
  SUBISO_DEVICE void open() {
    u32 count = fresh_;
    fresh_ = 0;
    if constexpr (Config::kSets) {
      stack_.base(depth_) = stack_.top;
      plan_.at(depth_, [&](auto level) {
        if (plan_.sets_at(level) == 0) return 0;
        const u32 kept = entries_with_room(plan_, args_.reads, args_.sets, stack_, level, count);
        if (kept < count) take_back(kept);
        count = kept;
        plan_.each_set(level, [&](auto set, auto set_level) {
          compute_set<Config::kBatch>(plan_, args_.reads, stack_, set, set_level, level, count, [&](u32 n) { note(n); });
        });
        return 0;
      });
    }
    frontier_ = {};
    if (lane_id() < count)
      frontier_ = plan_.at(depth_ + 1, [&](auto next) {
        return local_candidates(plan_, args_.reads, stack_, next, before(next), lane_id());
      });
  }

  // The tasks from the one on that led to entry `kept` go back to where they came from.
  SUBISO_DEVICE void take_back(u32 kept) {
    const u32 cut = nth_bit(came_from_, kept);
    Frontier f = stack_.frontier(depth_ - 1);
    const u32 stay = dealt_.begin >= cut ? 0 : least(dealt_.taken, cut - dealt_.begin);
    f.next -= dealt_.taken - stay;
    f.left += dealt_.taken - stay;
    stack_.set_frontier(depth_ - 1, f);
  }

  // Deals one task per lane below the current level. False when nothing is left there.
  SUBISO_DEVICE bool step() {
    const Task task = depth_ < 0 ? deal<kWarp>(frontier_) : deal<Config::kBatch>(frontier_);
    const u32 tried = ballot(task.present);
    if (tried == 0) return false;
    note(popcount(tried));
    const int level = depth_ + 1;
    const bool ok = task.present && plan_.at(level, [&](auto l) {
      return fits(plan_, args_.reads, stack_, l, before(l), task.vertex, task.entry, task.origin);
    }) && edges_fit(level, task.vertex, task.entry);
    const u32 fitting = ballot(ok);
    if (Config::kTail == Tail::kRows && level == last()) {
      u64 row = 0;
      if (fitting != 0 && !reserve(fitting, row)) return true;  // the tasks stay where they are
      if (ok) write_row(row, task);
      commit(frontier_, task);
      return true;
    }
    commit(frontier_, task);
    if (fitting == 0) return true;
    if (depth_ >= 0) stack_.set_frontier(depth_, frontier_);
    sync_warp();  // nobody still reads the entries that are written now
    if (ok) stack_.put(level, popcount(fitting & lanes_below()), task.vertex, task.entry);
    sync_warp();
    depth_ = level;
    fresh_ = popcount(fitting);
    if (Config::kSets) {
      came_from_ = fitting;
      dealt_ = {task.begin, task.taken};
    }
    return true;
  }

  // Counts below the current level, the last but one, in one go; of very long lists a piece, so that they can be shared.
  // False when nothing was left.
  SUBISO_DEVICE bool finish() {
    if (ballot(frontier_.left != 0) == 0) return false;
    const auto level = before(plan_.num_levels());
    const u32 piece = least(frontier_.left, kLong);
    u32 early[kMaxSizes];  // sizes that do not depend on the last vertex
    if constexpr (Config::kTail == Tail::kSizes)
      plan_.each_size([&](auto s, auto size) {
        if (!plan_.asks(size, level)) early[s] = size_of(size, before(level), piece != 0);
      });
    [[maybe_unused]] u64 below = 0;  // local counts: the matches of this lane's entry
    drain<Config::kBatch>({frontier_.next, piece, frontier_.origin}, [&](const DrainTask& task) {
      note(popcount(ballot(task.present)));
      const bool ok = task.present &&
                      fits(plan_, args_.reads, stack_, level, before(level), task.vertex, task.entry, task.origin) &&
                      edges_fit(level, task.vertex, task.entry);
      if constexpr (Config::kTail == Tail::kSizes) {
        sync_warp();  // nobody still reads the entries that are written now
        stack_.put(level, lane_id(), task.vertex, task.entry);
        sync_warp();
        [[maybe_unused]] const u64 part = sizes_tail(ok, early, task.entry);
        if constexpr (Config::kTally) below += tally_step(task, part);
      } else {
        counted_ += ok;
        if constexpr (Config::kTally) below += tally_step(task, ok);
      }
      return !left_;
    });
    if constexpr (Config::kTally) {
      if (below != 0) tally().give_early(lane_id(), below);
    }
    frontier_.next += piece;
    frontier_.left -= piece;
    return true;
  }

  SUBISO_DEVICE bool edges_fit(int level, u32 vertex, u32 entry) {
    if constexpr (Config::kEdges) return edges_possible(plan_, args_.reads.entities, stack_, level, vertex, entry);
    return true;
  }

  // ---- rows --------------------------------------------------------------------------------------------------------
  // Room for a row per fitting lane. False when the output is full: then the launch ends.
  SUBISO_DEVICE bool reserve(u32 fitting, u64& row) {
    u64 begin = 0;
    const u64 wanted = popcount(fitting);
    if (lane_id() == 0) begin = atomic_add(&args_.share.control->rows, wanted);
    begin = shuffle(begin, 0);
    row = begin + popcount(fitting & lanes_below());
    if (begin + wanted <= args_.row_capacity) return true;
    // Once one warp asks for too much, everybody after it does: the first one knows where the rows end.
    if (lane_id() == 0) {
      if (begin <= args_.row_capacity) store_fresh(&args_.share.control->rows_end, begin);
      store_fresh(&args_.share.control->full, 1u);
    }
    left_ = true;
    return false;
  }

  SUBISO_DEVICE void write_row(u64 row, const Task& task) {
    plan_.at(last(), [&](auto level) {
      u32 entry = task.entry;
      write_cell(row, plan_.column(level), task.vertex);
      descend(before(level), [&](auto p) {
        write_cell(row, plan_.column(p), stack_.vertex(p, entry));
        entry = stack_.parent(p, entry);
      });
      return 0;
    });
  }
  SUBISO_DEVICE void write_cell(u64 row, int column, u32 vertex) {
    args_.rows[row * args_.row_stride + static_cast<u64>(column) * args_.column_stride] =
        args_.translate ? load_constant(args_.translate + vertex) : vertex;
  }

 protected:
  Frontier frontier_;       // what is left below the entries of the current level
  u32 fresh_ = 0;           // entries of the current level that were put there just now
  int depth_ = -1;

 private:
  struct Dealt {
    u32 begin, taken;
  };
  Dealt dealt_{0, 0};       // of the step that led to the fresh entries: this lane's share,
  u32 came_from_ = 0;       // and the lanes whose tasks fitted
};

}  // namespace subiso
