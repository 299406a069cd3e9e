// The search of schedules `fine`, `stack` and `wedge`: one lane checks one candidate. A warp keeps at most 32 partial matches per
// level in shared memory, deals the candidates of all of them to its lanes through a virtual task pool, and goes depth
// first. Work comes from an initial pool (seeds, edges, or partial matches grown from them) and then from busy warps
// (share.cuh). `stack` also keeps sets (sets.cuh), `wedge` goes seed by seed with a table (codegrees.cuh), `fine` has no
// buffer but its stack. A path ends in a count, in a polynomial of set sizes, or in a row of the output.
#pragma once
#include "config.cuh"
#include "edges.cuh"

namespace subiso {

template <class Plan, class Store, class Config>
class SearchWarp {
 public:
  using Counts = typename CountsOf<Config::kTeam>::Type;

  SUBISO_DEVICE SearchWarp(const SearchArgs<Store>& args, Plan plan, Stack stack, Counts counts, TeamState* team)
      : args_(args),
        plan_(plan),
        stack_(stack),
        counts_(counts),
        team_(team),
        share_(args.share, args.sets, static_cast<u32>(stack_levels<Config::kTail>(plan.num_levels())),
               Config::kSets ? static_cast<u32>(plan.num_sets()) : 0),
        pool_(&args.seeds),
        rows_(args.seeds.rows) {
    if (args.pool.width == 0) return;
    const u64 rows = args.pool.grown == nullptr ? args.pool.rows : load_fresh(args.pool.grown);
    if (rows > args.pool.capacity) return;
    pool_ = &args.pool;
    rows_ = rows;
  }

  SUBISO_DEVICE void run() {
    share_.enter();
    share_.receive(stack_, frontier_, range_, depth_);
    for (u32 turn = 1;; ++turn) {
      if (idle() && !fetch()) {
        if (left_ || !Config::kShare || !share_.wait()) break;
        share_.receive(stack_, frontier_, range_, depth_);
      }
      // First a step, then a look at the others: work that is handed on at once would go round for ever.
      advance();
      if (turn % Config::kPeriod == 0 && fresh_ == 0 && share_.look(stack_, frontier_, depth_) == Signal::kLeave)
        left_ = true;
      if (left_) break;
    }
    if (Config::kTail == Tail::kRows && args_.keep) share_.save(stack_, frontier_, range_, depth_);
  }

  // The same, seed by seed: the team counts its wedges, then its warps take rows below it.
  SUBISO_DEVICE void run_seeds() {
    const u32 number = Config::kTeam == Team::kBlock ? warp_in_block() : 0;
    const u32 warps = Config::kTeam == Team::kBlock ? warps_per_block() : 1;
    counts_.open();
    while (take_seed(number)) {
      count_wedges(args_.reads.store, args_.codegrees, counts_, team_->seed, number, warps);
      sync_team();
      search_seed();
      sync_team();
      for (u32 i = number * kWarp + lane_id(); i < team_->num_ends; i += warps * kWarp) counts_.clear(i);
      sync_team();
    }
  }

  SUBISO_DEVICE Wide total() const { return total_ + static_cast<Wide>(counted_); }
  SUBISO_DEVICE u64 steps() const { return steps_; }
  SUBISO_DEVICE u64 tasks() const { return tasks_; }

 private:
  SUBISO_DEVICE int last() const { return plan_.num_levels() - 1; }

  // ---- taking work -------------------------------------------------------------------------------------------------
  SUBISO_DEVICE bool idle() const { return depth_ < 0 && fresh_ == 0 && ballot(frontier_.left != 0) == 0; }

  // Takes rows of the pool: their last vertices are candidates, those before them entries. False when there are none.
  SUBISO_DEVICE bool fetch() {
    if (range_.at == range_.end && !take_unit()) return false;
    const u32 found = static_cast<u32>(least(u64{kWarp}, range_.end - range_.at)), lane = lane_id();
    u64 row = range_.at + least(lane, found - 1);
    range_.at += found;
    const bool edges = pool_->seconds != nullptr;
    if (edges) row = pool_->capacity - 1 - row;
    sync_warp();
    depth_ = static_cast<int>(pool_->width) - 2;
    for (int p = 0; p <= depth_; ++p) {
      stack_.put(p, lane, load_constant(pool_->vertices + static_cast<u64>(p) * pool_->capacity + row), lane);
      stack_.set_frontier(p, {});
      if (Config::kSets) stack_.base(p) = 0;
    }
    stack_.top = 0;
    sync_warp();
    const u32* last = edges ? pool_->seconds + row : pool_->vertices + static_cast<u64>(depth_ + 1) * pool_->capacity + row;
    frontier_ = {last, lane < found ? 1u : 0u, pool_->origin};
    const u32 filter = plan_.level(plan_.zero()).filter;
    if (edges && filter != kNoFilter && !in_bitmap(args_.reads.filters.at(filter), stack_.vertex(0, lane)))
      frontier_.left = 0;
    return true;
  }

  SUBISO_DEVICE bool take_unit() {
    u64 unit = 0;
    if (lane_id() == 0) unit = atomic_add(&args_.share.control->next, u64{1});
    unit = shuffle(unit, 0);
    if (unit >= pool_->last_unit) return false;
    int c = 0;
    while (c < 3 && unit >= pool_->classes[c + 1].unit) ++c;
    const Pool::Class& mine = pool_->classes[c];
    const u64 limit = c < 3 ? least(rows_, pool_->classes[c + 1].row) : rows_;
    // The host does not know how many rows were grown: every warp comes twice, what is uneven is handed over later.
    const u64 share = greatest(u64{1}, rows_ / (u64{2} * num_blocks() * warps_per_block()));
    const u64 size = pool_->grown == nullptr ? mine.size : least(mine.size, share);
    range_.at = mine.row + (unit - mine.unit) * size;
    range_.end = least(range_.at + size, limit);
    if (range_.at < limit) return true;
    range_ = {0, 0};
    return false;
  }

  // ---- seeds of a team ---------------------------------------------------------------------------------------------
  SUBISO_DEVICE void sync_team() const {
    if (Config::kTeam == Team::kBlock)
      sync_block();
    else
      sync_warp();
  }

  // The team's next seed. False when there is none, or the host wants us to stop.
  SUBISO_DEVICE bool take_seed(u32 number) {
    if (number == 0 && lane_id() == 0) {
      u64 unit = args_.codegrees.num_units;
      if (load_fresh(&args_.share.control->stop) == 0) unit = atomic_add(&args_.share.control->next, u64{1});
      const bool there = unit < args_.codegrees.num_units;
      team_->seed = there ? load_constant(args_.codegrees.units + 2 * unit) : kFull;
      team_->part = there ? load_constant(args_.codegrees.units + 2 * unit + 1) : 0;
      team_->num_ends = team_->next_row = 0;
    }
    sync_team();
    return team_->seed != kFull;
  }

  SUBISO_DEVICE void search_seed() {
    const CodegreeArgs& codegrees = args_.codegrees;
    stack_.put(0, lane_id(), team_->seed, 0);
    if (Config::kSets) stack_.base(0) = 0;
    sync_warp();
    const List rows = bounded(args_.reads.store, team_->seed, codegrees.row_relation, codegrees.row, team_->seed);
    const u32 size = codegrees.from_ends ? team_->num_ends : rows.size;
    for (u32 turn = 1;; ++turn) {
      if (idle() && !fetch_rows(rows.data, size)) break;
      advance();
      if (turn % Config::kPeriod == 0 && stopped()) break;
    }
    depth_ = -1;
    frontier_.left = fresh_ = 0;
  }

  // Takes vertices of the seed's list, or ends of its wedges, as candidates of level 1.
  SUBISO_DEVICE bool fetch_rows(const u32* list, u32 size) {
    u32 at = 0;
    if (lane_id() == 0) at = atomic_add(&team_->next_row, kWarp);
    const u32 row = shuffle(at, 0) + lane_id();
    if (row - lane_id() >= size) return false;
    // A seed with much below it is shared by several teams: each has the whole table and a part of the rows.
    const u32 parts = team_->part >> 16, part = team_->part & 0xffff;
    depth_ = 0;
    stack_.top = 0;
    stack_.set_frontier(0, {});
    frontier_ = {};
    if (row >= size) return true;
    const u32* next = args_.codegrees.from_ends ? counts_.end(row) : list + row;
    const u32 number = args_.codegrees.from_ends ? load_own(next) : row / kWarp;
    frontier_ = {next, number % parts == part ? 1u : 0u, args_.codegrees.row_origin};
    return true;
  }

  // ---- one step ----------------------------------------------------------------------------------------------------
  SUBISO_DEVICE void advance() {
    if (fresh_ != 0)
      open();
    else if (!(depth_ + 1 == last() && Config::kTail != Tail::kRows ? finish() : step()))
      pop();
  }

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

  SUBISO_DEVICE void note(u32 tasks) {
    if (!Config::kMeasure) return;
    steps_ += 1;
    tasks_ += tasks;
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

  // ---- sizes -------------------------------------------------------------------------------------------------------
  // Lane i computes the polynomial of the set sizes below entry i of the last level; the warp counts together.
  // `early` sizes were computed for the entries above, of which `entry` is this lane's.
  // What it counted, as far as it fits into 64 bits.
  SUBISO_DEVICE u64 sizes_tail(bool present, const u32* early, u32 entry) {
    if (ballot(present) == 0) return 0;
    const auto last = before(plan_.num_levels());
    u32 sizes[kMaxSizes];
    plan_.each_size([&](auto s, auto level) {
      sizes[s] = plan_.asks(level, last) ? size_of(level, last, present) : shuffle(early[s], entry);
    });
    if constexpr (Config::kTally) tally_tail(present, sizes);
    if (!present) return 0;
    const auto part = polynomial(sizes);
    total_ += part;
    return static_cast<u64>(part);
  }

  // The size of a level's set below every lane's entry of position `from`.
  template <class Level, class From>
  SUBISO_DEVICE u32 size_of(Level level, From from, bool present) {
    return counted(level, from, present) - plan_.level(level).surely;
  }

  template <class Level, class From>
  SUBISO_DEVICE u32 counted(Level level, From from, bool present) {
    if constexpr (Config::kTeam != Team::kNone) {
      if (plan_.level(level).table != 0) return present ? looked_up(level, from) : 0;
    }
    if (plan_.level(level).measured)
      return present ? measure(plan_, args_.reads, stack_, level, from, lane_id()) : 0;
    Frontier f;
    if (present) f = local_candidates(plan_, args_.reads, stack_, level, from, lane_id());
    u32 size = 0, turn = 0;
    drain<Config::kBatch>(f, [&](const DrainTask& task) {
      note(popcount(ballot(task.present)));
      const u32 fitting = ballot(task.present && fits(plan_, args_.reads, stack_, level, from, task.vertex, task.entry,
                                                      task.origin));
      size += popcount(fitting & task.takers);
      if (++turn % 256 == 0 && stopped()) left_ = true;
      return !left_;
    });
    return size;
  }

  // A size that is a codegree of the seed.
  template <class Level, class From>
  SUBISO_DEVICE u32 looked_up(Level level, From from) {
    u32 entry = lane_id();
    const int position = plan_.level(level).table - 1;
    for (int p = from; p > position; --p) entry = stack_.parent(p, entry);
    return counts_.at(stack_.vertex(position, entry)) - excluded(plan_, args_.reads, stack_, level, from, lane_id());
  }

  // ---- local counts ------------------------------------------------------------------------------------------------
  SUBISO_DEVICE Tally<Store> tally() const { return {args_.tally, args_.reads.store, stack_, last()}; }

  // Gives a lane's last vertex its part. The parts of the entry of this lane's own number, together.
  SUBISO_DEVICE u64 tally_step(const DrainTask& task, u64 part) const {
    if (part != 0) tally().give_late(task.vertex, task.entry, part);
    const u64 up_to = scan_add(part);
    const u32 first = least(lowest_bit(task.takers), kWarp - 1), count = popcount(task.takers);
    const u64 end = shuffle(up_to, count == 0 ? 0 : first + count - 1), own = shuffle(up_to - part, first);
    return count == 0 ? 0 : end - own;
  }

  // Gives the elements of the tail's sets theirs, below every lane's entry of the last level.
  SUBISO_DEVICE void tally_tail(bool present, const u32* sizes) {
    for (u32 i = 0; i < tally().num_tails(); ++i) {
      const TailShare share = tally().tail(i);
      const u64 weight = present && sizes[share.size] != 0 ? tally().weight(share, sizes) : 0;
      plan_.each_size([&](auto s, auto level) {
        if (s != share.size) return;
        Frontier f;
        if (weight != 0) f = local_candidates(plan_, args_.reads, stack_, level, before(plan_.num_levels()), lane_id());
        drain<Config::kBatch>(f, [&](const DrainTask& task) {
          const u64 its = shuffle(weight, task.entry);
          const bool ok = task.present && fits(plan_, args_.reads, stack_, level, before(plan_.num_levels()), task.vertex,
                                               task.entry, task.origin);
          if (ok) tally().give_tail(share, task.vertex, task.entry, its);
          return !left_;
        });
      });
    }
  }

  SUBISO_DEVICE bool stopped() const { return ballot(load_fresh(&args_.share.control->stop) != 0) != 0; }

  SUBISO_DEVICE auto polynomial(const u32* sizes) {
    using Value = typename ValueOf<Config::kNarrow>::Type;
    Value sum = 0;
    if constexpr (Config::kTail == Tail::kSizes)
      all_terms([&](auto term) {
        Value product = term.coefficient;
        for (int i = 0; i < term.count; ++i) product *= sizes[term.factors[i]];
        sum += product;
      });
    return sum;
  }
  template <class F>
  SUBISO_DEVICE void all_terms(F f) {
    all_of(plan_.zero(), plan_.num_terms(), [&](auto i) {
      f(plan_.term(i));
      return true;
    });
  }

  const SearchArgs<Store>& args_;
  const Plan plan_;
  Stack stack_;
  Counts counts_;
  TeamState* team_;
  const Share<Config> share_;
  const Pool* pool_;
  u64 rows_;                // of the pool
  Range range_{0, 0};
  Frontier frontier_;       // what is left below the entries of the current level
  u32 fresh_ = 0;           // entries of the current level that were put there just now
  int depth_ = -1;
  bool left_ = false;
  u64 counted_ = 0;
  Wide total_ = 0;
  u64 steps_ = 0, tasks_ = 0;
  struct Dealt {
    u32 begin, taken;
  };
  Dealt dealt_{0, 0};       // of the step that led to the fresh entries: this lane's share,
  u32 came_from_ = 0;       // and the lanes whose tasks fitted
};

// What teams share lies behind the stacks.
template <class Warp, Team kTeam, class Args, class Plan>
SUBISO_DEVICE Warp make_warp(const Args& args, Plan plan, Stack stack, u8* teams) {
  if constexpr (kTeam == Team::kBlock) {
    TeamState* state = reinterpret_cast<TeamState*>(teams);
    return Warp(args, plan, stack, DenseCounts(args.codegrees, state), state);
  } else if constexpr (kTeam == Team::kWarp) {
    u8* mine = teams + warp_in_block() * (u32{sizeof(TeamState)} + HashedCounts::bytes(args.codegrees.slots));
    TeamState* state = reinterpret_cast<TeamState*>(mine);
    return Warp(args, plan, stack, HashedCounts(args.codegrees, state, mine + sizeof(TeamState)), state);
  } else {
    return Warp(args, plan, stack, NoCounts{}, nullptr);
  }
}

// The kernel's body: every warp searches, then the block adds up.
template <class Plan, class Store, class Config>
SUBISO_DEVICE void search_all(const SearchArgs<Store>& args, Plan plan) {
  const u32 levels = static_cast<u32>(stack_levels<Config::kTail>(plan.num_levels()));
  const u32 sets = Config::kSets ? static_cast<u32>(plan.num_sets()) : 0;
  const u32 number = warp_in_block();
  Stack stack(shared_memory() + number * Stack::bytes(levels, sets), levels, sets,
              args.sets.arenas + (u64{block_id()} * warps_per_block() + number) * args.sets.words);
  using Warp = SearchWarp<Plan, Store, Config>;
  u8* const teams = shared_memory() + warps_per_block() * Stack::bytes(levels, sets);
  Warp warp = make_warp<Warp, Config::kTeam>(args, plan, stack, teams);
  if constexpr (Config::kTeam == Team::kNone)
    warp.run();
  else
    warp.run_seeds();

  if (Config::kMeasure && lane_id() == 0) {
    atomic_add(&args.share.control->steps, warp.steps());
    atomic_add(&args.share.control->tasks, warp.tasks());
  }
  if (Config::kTail == Tail::kRows) return;
  add_up(args.share.control, warp.total());
}

}  // namespace subiso
