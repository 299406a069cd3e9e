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
  using Base::args_, Base::plan_, Base::stack_, Base::left_, Base::counted_, Base::turns_, Base::last, Base::note;
  using Base::size_of, Base::sizes_tail, Base::tally, Base::tally_step;

  SUBISO_DEVICE SearchStep(const SearchArgs<Store>& args, Plan plan, Stack stack, Counts counts)
      : Base(args, plan, stack, counts) {}

  SUBISO_DEVICE bool idle() const { return depth_ < 0 && fresh_ == 0 && ballot(frontier_.left != 0) == 0; }

  SUBISO_DEVICE void advance() {
    if (fresh_ != 0)
      open();
    else if (!(Config::kRefill && !hurry_ && few_tasks() && look_for_more()) &&
             !(depth_ + 1 == last() && Config::kTail != Tail::kRows ? finish() : step()))
      pop();
  }

  // Goes down to the deepest entries: then all there are lie at the current level and above.
  SUBISO_DEVICE void settle() {
    if constexpr (Config::kRefill) {
      if (gathered_ != 0) {
        sink(gathered_);
        open();
      }
      while (waiting(depth_ + 1) != 0) sink(0);
    }
  }

 private:
  // ---- up and down -------------------------------------------------------------------------------------------------
  SUBISO_DEVICE void pop() {
    if (depth_ < 0) return;
    if (Config::kSets) stack_.top = stack_.base(depth_);
    frontier_ = {};
    set_waiting(depth_, 0);
    if (--depth_ >= 0) frontier_ = stack_.frontier(depth_);
  }

  // To the next level, where the entries `fresh` are new, and others may have waited. Before the first level every lane
  // has one task at most, so that a step takes all of them.
  SUBISO_DEVICE void sink(u32 fresh) {
    if (depth_ >= 0) stack_.set_frontier(depth_, frontier_);
    ++depth_;
    frontier_ = {};
    if (waiting(depth_) >> lane_id() & 1) frontier_ = stack_.frontier(depth_);
    fresh_ = fresh;
    gathered_ = 0;
  }

  // Whether fewer tasks than lanes are left here.
  SUBISO_DEVICE bool few_tasks() const {
    return ballot(frontier_.left >= kWarp) == 0 && reduce_add(frontier_.left) < kWarp;
  }

  // Goes to where there are more tasks: down, with what was gathered, or up, for entries to be added to those here.
  SUBISO_DEVICE bool look_for_more() {
    if (gathered_ == 0) return climb();
    if (!open_above()) return false;
    sink(gathered_);
    return true;
  }

  // Up to the next level that has tasks. False: there is none, or no room for what would come.
  SUBISO_DEVICE bool climb() {
    u32 open = ballot(frontier_.left != 0);
    for (int level = depth_; level > 0; --level) {
      const u32 wait = open | parents(level + 1);
      if (popcount(wait) > kWarp / 2) return false;
      set_waiting(level, wait);
      open = ballot(stack_.left(level - 1) != 0);
      if (open == 0) continue;
      stack_.set_frontier(depth_, frontier_);
      depth_ = level - 1;
      frontier_ = stack_.frontier(depth_);
      return true;
    }
    return false;
  }
  SUBISO_DEVICE bool open_above() const {
    for (int level = depth_ - 1; level >= 0; --level)
      if (ballot(stack_.left(level) != 0) != 0) return true;
    return false;
  }

  // The entries of a level below the current one that have tasks left, or have others below them that do.
  SUBISO_DEVICE u32 waiting(int level) const {
    return Config::kRefill ? shuffle(waiting_, static_cast<u32>(level)) : 0;
  }
  SUBISO_DEVICE void set_waiting(int level, u32 entries) {
    if (Config::kRefill && lane_id() == static_cast<u32>(level)) waiting_ = entries;
  }
  // ... and those that they are below of.
  SUBISO_DEVICE u32 parents(int level) const {
    const u32 children = waiting(level);
    if (children == 0) return 0;
    u32 found = children >> lane_id() & 1 ? 1u << stack_.parent(level, lane_id()) : 0;
    SUBISO_UNROLL
    for (u32 step = kWarp / 2; step != 0; step /= 2) found |= shuffle(found, lane_id() ^ step);
    return found;
  }

  // The entries `fresh_` were put at the current level: computes their sets, as far as there is room, and their candidates.
  SUBISO_DEVICE void open() {
    u32 fresh = fresh_;
    fresh_ = 0;
    if constexpr (Config::kSets) {
      u32 count = popcount(fresh);
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
      fresh = first_bits(count);
    }
    if (fresh >> lane_id() & 1)
      frontier_ = plan_.at(depth_ + 1, [&](auto next) {
        return local_candidates(plan_, args_.reads, stack_, next, before(next), lane_id());
      });
  }

  // The tasks from the one on that led to entry `kept` go back to where they came from.
  SUBISO_DEVICE void take_back(u32 kept) {
    Frontier f = stack_.frontier(depth_ - 1);
    const u32 back = dealt_.taken - dealt_.before(nth_bit(came_from_, kept));
    f.next -= back;
    f.left += back;
    stack_.set_frontier(depth_ - 1, f);
  }

  // Deals one task per lane below the current level, and gathers what fits until there is enough of it to go down.
  // False when nothing is left here.
  SUBISO_DEVICE bool step() {
    Task task = depth_ < 0 ? deal<kWarp>(frontier_) : deal<Config::kBatch>(frontier_);
    const u32 tried = ballot(task.present);
    const int level = depth_ + 1;
    const u32 there = Config::kRefill ? waiting(level) | gathered_ : 0;
    if (tried == 0) {
      if (there != 0) sink(gathered_);
      return there != 0;
    }
    const bool ok = task.present && plan_.at(level, [&](auto l) {
      return fits(plan_, args_.reads, stack_, l, before(l), task.vertex, task.entry, task.origin);
    }) && edges_fit(level, task.vertex, task.entry);
    u32 fitting = ballot(ok);
    if (Config::kTail == Tail::kRows && level == last()) {
      u64 row = 0;
      if (fitting != 0 && !reserve(fitting, row)) return true;  // the tasks stay where they are
      note(popcount(tried));
      if (ok) write_row(row, task);
      commit(frontier_, task);
      return true;
    }
    u32 done = popcount(tried);
    if constexpr (Config::kRefill) {
      if (const u32 room = kWarp - popcount(there); popcount(fitting) > room) {  // the tasks behind have to wait
        done = nth_bit(fitting, room);
        fitting &= first_bits(done);
        task.dealt.taken = task.dealt.before(done);
      }
    }
    note(done);
    commit(frontier_, task);
    if (fitting != 0) put(level, fitting, there, task);
    if (gathered_ != 0 && (!Config::kRefill || hurry_ || popcount(there | gathered_) > kWarp / 2 || ballot(frontier_.left != 0) == 0))
      sink(gathered_);
    return true;
  }

  // The vertices of the lanes `fitting` become entries, beside those that are there.
  SUBISO_DEVICE void put(int level, u32 fitting, u32 there, const Task& task) {
    u32 number = popcount(fitting & lanes_below());
    if (Config::kRefill && there != 0) number = nth_bit(~there, number);
    sync_warp();  // nobody still reads the entries that are written now
    if (fitting >> lane_id() & 1) stack_.put(level, number, task.vertex, task.entry);
    sync_warp();
    const u32 end = Config::kRefill && there != 0 ? nth_bit(~there, popcount(fitting) - 1) + 1 : popcount(fitting);
    gathered_ |= ~there & first_bits(end);
    if (Config::kSets) {
      came_from_ = fitting;
      dealt_ = task.dealt;
    }
  }

  // Counts below the current level, the last but one, in one go; of many candidates a part, so that the rest can be shared.
  // False when nothing was left.
  SUBISO_DEVICE bool finish() {
    if (ballot(frontier_.left != 0) == 0) return false;
    const auto level = before(plan_.num_levels());
    constexpr u32 kMost = Config::kPiece;
    u32 piece = least(frontier_.left, kMost);
    if constexpr (Config::kTeam == Team::kNone) {
      const u32 end = scan_add(piece), begin = end - piece, total = shuffle(end, kWarp - 1);
      u32 most = least(total, kMost);
      // What does not fill the lanes waits for more to come, but not to have sizes computed twice for its sake.
      if (Config::kRefill && Config::kTail == Tail::kCount && !hurry_ && total > kWarp && open_above())
        most = most / kWarp * kWarp;
      piece = begin < most ? least(piece, most - begin) : 0;
    }
    u32 early[kMaxSizes];  // sizes that do not depend on the last vertex
    if constexpr (Config::kTail == Tail::kSizes)
      plan_.each_size([&](auto s, auto size) {
        if (!plan_.asks(size, level)) early[s] = size_of(size, before(level), piece != 0);
      });
    [[maybe_unused]] u64 below = 0;  // local counts: the matches of this lane's entry
    const Frontier rest = drain<Config::kBatch>({frontier_.next, piece, frontier_.origin}, [&](const DrainTask& task) {
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
      return !left_ && !wanted();
    });
    if constexpr (Config::kTally) {
      if (below != 0) tally().give_early(lane_id(), below);
    }
    const u32 done = Config::kWatchful ? piece - rest.left : piece;
    frontier_.next += done;
    frontier_.left -= done;
    return true;
  }

  // After long counts of sizes: whether somebody waits who could have what is left of the piece.
  SUBISO_DEVICE bool wanted() {
    if (!Config::kWatchful || turns_ < Config::kLong || depth_ > least(Config::kStop, Config::kDetect)) return false;
    turns_ = Config::kPeriod;
    return anybody_waits(args_.share);
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
  u32 fresh_ = 0;           // the entries of the current level whose candidates are not known yet
  int depth_ = -1;
  bool hurry_ = true;       // somebody is idle, or may be: no tasks are taken only to fill lanes, so that there is more to give

 private:
  u32 gathered_ = 0;        // new entries of the next level
  u32 waiting_ = 0;         // lane p: the entries of level p that wait; only levels below the current one are up to date
  Dealt dealt_{0, 0};       // of the step that led to the fresh entries: this lane's share,
  u32 came_from_ = 0;       // and the lanes whose tasks fitted
};

}  // namespace subiso
