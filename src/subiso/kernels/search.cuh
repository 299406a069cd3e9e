// The search of schedules `fine`, `stack` and `wedge`: one lane checks one candidate. A warp keeps at most 32 partial matches per
// level in shared memory, deals the candidates of all of them to its lanes through a virtual task pool, and goes depth
// first. Work comes from an initial pool (seeds, edges, or partial matches grown from them) and then from busy warps
// (share.cuh). `stack` also keeps sets (sets.cuh), `wedge` goes seed by seed with a table (codegrees.cuh), `fine` has no
// buffer but its stack. A path ends in a count, in a polynomial of set sizes, or in a row of the output. Here work is
// taken; search_step.cuh goes a step, search_tail.cuh counts what is below.
#pragma once
#include "search_step.cuh"

namespace subiso {

template <class Plan, class Store, class Config>
class SearchWarp : public SearchStep<Plan, Store, Config> {
  using Base = SearchStep<Plan, Store, Config>;
  using typename Base::Counts;
  using Base::args_, Base::plan_, Base::stack_, Base::counts_, Base::frontier_, Base::fresh_, Base::hurry_, Base::depth_;
  using Base::left_, Base::turns_;
  using Base::idle, Base::advance, Base::settle, Base::stopped;

 public:
  SUBISO_DEVICE SearchWarp(const SearchArgs<Store>& args, Plan plan, Stack stack, Counts counts, TeamState* team)
      : Base(args, plan, stack, counts),
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
    for (;; ++turns_) {
      if (idle() && !fetch()) {
        if (left_ || !Config::kShare || !share_.wait()) break;
        share_.receive(stack_, frontier_, range_, depth_);
      }
      // First a step, then a look at the others: work that is handed on at once would go round for ever.
      advance();
      if (turns_ >= Config::kPeriod && fresh_ == 0) {
        turns_ = 0;
        const Signal signal = share_.look(stack_, frontier_, depth_);
        if (signal == Signal::kLeave) left_ = true;
        hurry_ = signal == Signal::kWanted || plan_.num_levels() < kDeep;
      }
      if (left_) break;
    }
    if (Config::kTail != Tail::kRows || !args_.keep) return;
    settle();
    share_.save(stack_, frontier_, range_, depth_);
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

 private:
  // ---- taking work -------------------------------------------------------------------------------------------------
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

  TeamState* team_;
  const Share<Config> share_;
  const Pool* pool_;
  u64 rows_;                // of the pool
  Range range_{0, 0};
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
