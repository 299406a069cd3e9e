// Schedule `pipeline`: rows of a probe relation go through hash tables of the others, depth first, one lane per row. A
// lane's whole state is a vertex per position and a place in a chain per step, in shared memory, one bank per lane; no
// result of a join is ever kept. What lanes hold when the output is full, or when most warps have run out of work, is
// saved as states: they go on in the next launch, dealt out anew.
#pragma once
#include "edges.cuh"
#include "join_plan.cuh"

namespace subiso {

struct NoSets {
  SUBISO_DEVICE List set(u32, u32) const { return {nullptr, 0}; }
};

template <bool kRowsOn, bool kEdgesOn, bool kWeightsOn>
struct JoinConfig {
  static constexpr bool kRows = kRowsOn;    // rows leave; else they are counted
  static constexpr bool kEdges = kEdgesOn;  // edge-isomorphism
  static constexpr bool kWeights = kWeightsOn;  // a match counts the product of its weights
  static constexpr u32 kPeriod = 32;        // turns between two looks at the others
};

// What a lane adds up: matches one by one do not overflow in a lifetime, weights may.
template <bool kWeights>
struct CountOf {
  using Type = u64;
};
template <>
struct CountOf<true> {
  using Type = Wide;
};

template <class Config, class Store>
class PipelinedJoin {
 public:
  SUBISO_DEVICE explicit PipelinedJoin(const JoinArgs<Store>& args)
      : args_(args), tables_(*args.tables), warp_(block_id() * warps_per_block() + warp_in_block()) {
    const u32 words = tables_.num_positions + tables_.num_steps;
    mine_ = reinterpret_cast<u32*>(shared_memory()) + u64{warp_in_block()} * words * kWarp + lane_id();
    unit_next_ = args.units[2 * u64{warp_}];
    unit_end_ = args.units[2 * u64{warp_} + 1];
    states_left_ = args.num_states != 0;
  }

  SUBISO_DEVICE void run() {
    bool halted = false;
    for (u64 turn = 0; !halted; ++turn) {
      if (turn % Config::kPeriod == 0) {
        const u32 heard = listen(turn);
        if (heard == kStop) break;
        halted = heard == kHalt;
        if (halted) break;
        if (!more_) share();
      }
      if (more_) refill();
      if (ballot(level_ != kIdle) == 0) {
        if (!more_) break;
        continue;
      }
      if (level_ < tables_.num_steps) advance();
      halted = !deliver();
    }
    end(halted);
  }

 private:
  static constexpr u32 kIdle = kFull;  // a level: no row
  static constexpr u32 kGo = 0, kStop = 1, kHalt = 2;

  SUBISO_DEVICE u32& vertex(u32 position) const { return mine_[position * kWarp]; }
  SUBISO_DEVICE u32& chain(u32 step) const { return mine_[(tables_.num_positions + step) * kWarp]; }
  // Positions that are matched before a step.
  SUBISO_DEVICE u32 matched(u32 level) const {
    return level < tables_.num_steps ? tables_.steps[level].first : tables_.num_positions;
  }

  // For all lanes: what the host or the other warps want.
  SUBISO_DEVICE u32 listen(u64 turn) const {
    u32 heard = kGo;
    if (lane_id() == 0) {
      if (load_fresh(&args_.control->stop) != 0) heard = kStop;
      else if (Config::kRows && load_fresh(&args_.control->full) != 0) heard = kHalt;
      else if (!more_ && turn >= args_.least_turns &&
               2 * load_fresh(&args_.control->idle_warps) >= num_blocks() * warps_per_block())
        heard = kHalt;
    }
    return shuffle(heard, 0);
  }

  // ---- where rows come from ------------------------------------------------------------------------------------
  // Lanes without a row get saved states first, then rows of the chunk.
  SUBISO_DEVICE void refill() {
    const u32 idle = ballot(level_ == kIdle);
    if (idle == 0) return;
    const u32 wanted = popcount(idle), before = popcount(idle & lanes_below());
    if (states_left_) {
      u32 first = 0;
      if (lane_id() == 0) first = atomic_add(&args_.control->taken, wanted);
      first = shuffle(first, 0);
      if (level_ == kIdle && first + before < args_.num_states) load_state(first + before);
      states_left_ = first + wanted < args_.num_states;
      return;
    }
    if (unit_next_ == unit_end_) take_unit();
    const u64 row = unit_next_ + before;
    if (level_ == kIdle && row < unit_end_) load_row(row);
    unit_next_ = least(unit_end_, unit_next_ + wanted);
  }

  SUBISO_DEVICE void take_unit() {
    u64 first = 0;
    if (lane_id() == 0) first = atomic_add(&args_.control->next, args_.unit);
    first = shuffle(first, 0);
    more_ = first < args_.num_rows;
    unit_next_ = least(first, args_.num_rows);
    unit_end_ = least(first + args_.unit, args_.num_rows);
  }

  SUBISO_DEVICE void load_row(u64 row) {
    for (u32 p = 0; p < tables_.num_probe; ++p) vertex(p) = load_constant(args_.probe + p * args_.probe_stride + row);
    if (Config::kEdges && !edges_fit(0, tables_.probe_edges, tables_.num_probe)) return;
    enter(0);
  }

  SUBISO_DEVICE void load_state(u32 number) {
    const u32* state = args_.states + (args_.states_begin + number) % args_.state_capacity;
    const u32 level = load_constant(state);
    const u32 positions = matched(level);
    for (u32 p = 0; p < positions; ++p) vertex(p) = load_constant(state + (1 + p) * args_.state_capacity);
    for (u32 s = 0; s < tables_.num_steps && s <= level; ++s)
      chain(s) = load_constant(state + (1 + tables_.num_positions + s) * args_.state_capacity);
    level_ = level;
  }

  // When nothing is left to take, lanes without a row get what is left of another lane's shallowest open chain.
  SUBISO_DEVICE void share() {
    const u32 idle = ballot(level_ == kIdle);
    if (idle == 0 || idle == kFull) return;
    u32 open = kIdle;
    if (level_ != kIdle)
      for (u32 s = 0; s < level_ && open == kIdle; ++s)
        if (chain(s) != 0) open = s;
    const u32 donors = ballot(open != kIdle), pairs = least(popcount(donors), popcount(idle));
    sync_warp();  // what lanes have written so far is there for those that take it
    const bool takes = level_ == kIdle && popcount(idle & lanes_below()) < pairs;
    const u32 from = takes ? nth_bit(donors, popcount(idle & lanes_below())) : lane_id();
    const u32 step = shuffle(open, from);
    if (takes) {
      const u32* other = mine_ - lane_id() + from;
      for (u32 p = 0; p < tables_.steps[step].first; ++p) vertex(p) = other[p * kWarp];
      for (u32 s = 0; s < step; ++s) chain(s) = 0;
      chain(step) = other[(tables_.num_positions + step) * kWarp];
      level_ = step;
    }
    sync_warp();
    if (open != kIdle && popcount(donors & lanes_below()) < pairs) chain(open) = 0;
    sync_warp();
  }

  // ---- the joins -----------------------------------------------------------------------------------------------
  // The row goes to a step: the chain of its key there begins.
  SUBISO_DEVICE void enter(u32 level) {
    level_ = level;
    if (level == tables_.num_steps) return;
    const JoinStep& step = tables_.steps[level];
    u32 hash = 0;
    for (u32 k = 0; k < step.num_keys; ++k) hash = mixed(hash, vertex(step.keys[k]));
    chain(level) = load_constant(step.table.heads + (hash & step.table.mask));
  }

  // Back to the deepest step that has something left.
  SUBISO_DEVICE void go_back() {
    while (level_ != kIdle && (level_ == tables_.num_steps || chain(level_) == 0)) level_ = level_ == 0 ? kIdle : level_ - 1;
  }

  // Looks at one record of the present step's chain.
  SUBISO_DEVICE void advance() {
    const JoinStep& step = tables_.steps[level_];
    const u32 number = chain(level_);
    if (number == 0) {
      go_back();
      return;
    }
    const u32* record = step.table.record(number);
    chain(level_) = load_constant(record);
    for (u32 k = 0; k < step.num_keys; ++k)
      if (load_constant(record + 1 + step.num_fresh + k) != vertex(step.keys[k])) return;
    for (u32 f = 0; f < step.num_fresh; ++f) {
      const u32 x = load_constant(record + 1 + f), p = step.first + f;
      if (!fits(p, x)) return;
      vertex(p) = x;
    }
    if (Config::kEdges) {
      const u32 begin = level_ == 0 ? tables_.probe_edges : tables_.steps[level_ - 1].edges;
      if (!edges_fit(begin, step.edges, step.first + step.num_fresh)) return;
    }
    enter(level_ + 1);
  }

  SUBISO_DEVICE bool fits(u32 position, u32 x) const {
    for (u32 t = tables_.first_test[position]; t < tables_.first_test[position + 1]; ++t) {
      const JoinTest test = tables_.tests[t];
      if (!passes(args_.reads, NoSets{}, test.op, x, vertex(test.position), 0)) return false;
    }
    return true;
  }

  SUBISO_DEVICE bool edges_fit(u32 begin, u32 end, u32 positions) const {
    if (begin == end) return true;
    u32 match[kMaxPositions];
    for (u32 p = 0; p < positions; ++p) match[p] = vertex(p);
    Competition competition(tables_, args_.reads.entities, match);
    for (u32 fresh = begin; fresh < end; ++fresh)
      if (!competition.possible(static_cast<int>(fresh), static_cast<int>(end))) return false;
    return true;
  }

  // ---- where rows go -------------------------------------------------------------------------------------------
  // Whole matches are counted or leave. False when the output has no room for all of them: they stay where they are.
  SUBISO_DEVICE bool deliver() {
    bool whole = level_ == tables_.num_steps;
    if (!Config::kRows) {
      if (Config::kWeights) {
        if (whole) count_ += weight();
      } else {
        count_ += whole;
      }
      if (whole) go_back();
      return true;
    }
    const u32 found = ballot(whole);
    if (found == 0) return true;
    u64 first = 0;
    if (lane_id() == 0) first = atomic_add(&args_.control->rows, u64{popcount(found)});
    first = shuffle(first, 0);
    const u64 row = first + popcount(found & lanes_below());
    if (whole && row < args_.row_capacity) {
      u32* out = args_.rows + row * tables_.num_positions;
      for (u32 p = 0; p < tables_.num_positions; ++p) out[tables_.column[p]] = load_constant(args_.translate + vertex(p));
      go_back();
    }
    if (first + popcount(found) <= args_.row_capacity) return true;
    if (lane_id() == 0) store_fresh(&args_.control->full, 1u);
    return false;
  }

  // Of a whole match.
  SUBISO_DEVICE u64 weight() const {
    u64 product = 1;
    for (u32 w = 0; w < tables_.num_weights && product != 0; ++w) {
      const JoinWeight& factor = tables_.weights[w];
      const u32 root = vertex(factor.position);
      u64 ways = load_constant(factor.values + root);
      for (u32 i = 0; i < factor.num_without; ++i) ways -= leads_to(factor, root, vertex(factor.without[i]));
      product *= ways;
    }
    return product;
  }
  SUBISO_DEVICE bool leads_to(const JoinWeight& factor, u32 root, u32 v) const {
    if (!in_bitmap(factor.bits, v)) return false;
    for (u32 r = 0; r < factor.num_relations; ++r)
      if (!args_.reads.store.has_edge(root, v, factor.relations[r])) return false;
    return true;
  }

  SUBISO_DEVICE void end(bool halted) {
    if (halted && level_ != kIdle) save();
    const Wide total = reduce_add(Wide{count_});
    if (lane_id() != 0) return;
    if (total != 0) atomic_add(&args_.control->total, total);
    const bool left = halted && unit_next_ != unit_end_;
    args_.units[2 * u64{warp_}] = left ? unit_next_ : 0;
    args_.units[2 * u64{warp_} + 1] = left ? unit_end_ : 0;
    if (left) atomic_add(&args_.control->units_left, 1u);
    if (!halted) atomic_add(&args_.control->idle_warps, 1u);
  }

  // The lane's row, and where there is room every open chain further up as a state of its own.
  SUBISO_DEVICE void save() const {
    for (u32 s = 0; s < level_ && args_.extra_room != 0; ++s) {
      if (chain(s) == 0) continue;
      if (atomic_add(&args_.control->extra, 1u) >= args_.extra_room) break;
      put_state(s, s);
      chain(s) = 0;
    }
    put_state(level_, 0);
  }

  // The chains before `first` are over.
  SUBISO_DEVICE void put_state(u32 level, u32 first) const {
    const u64 number = args_.states_begin + args_.num_states + atomic_add(&args_.control->saved, 1u);
    u32* state = args_.states + number % args_.state_capacity;
    const u32 positions = matched(level);
    state[0] = level;
    for (u32 p = 0; p < positions; ++p) state[(1 + p) * args_.state_capacity] = vertex(p);
    for (u32 s = 0; s < tables_.num_steps && s <= level; ++s)
      state[(1 + tables_.num_positions + s) * args_.state_capacity] = s < first ? 0 : chain(s);
  }

  const JoinArgs<Store>& args_;
  const JoinTables& tables_;
  const u32 warp_;
  u32* mine_;
  u64 unit_next_, unit_end_;
  typename CountOf<Config::kWeights>::Type count_ = 0;
  u32 level_ = kIdle;  // the step whose chain goes on; num_steps: a whole match; the lane's own, all else is the warp's
  bool states_left_;
  bool more_ = true;   // states or rows may be left to take
};

}  // namespace subiso
