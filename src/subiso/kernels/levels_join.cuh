// The join of schedule `levels`: for every row of a table, the elements of its candidates' list that pass all checks of a
// level on the positions that the row holds.
// Candidates of many rows are numbered through, and a window of these numbers is looked at. Rows are dealt out together, 32
// to a warp, of which a long one may have the warp for itself; longer ones are shared by the warps of a block or by all
// blocks (lists made by levels_offsets).
#pragma once
#include "levels_group.cuh"
#include "levels_output.cuh"

namespace subiso {

// A row that a lane holds: what is left of its candidates, and where its results go.
struct HeldRow {
  const u32* next = nullptr;
  u32 left = 0;
  u32 origin = 0;
  u32 row = 0;
  u64 place = 0;
};

// A list that stands in shared memory, and the operation that looks for candidates in it.
struct Operand {
  u32 number = kNoOrigin;
  u32 size = 0;
  const u32* list = nullptr;
};

// Where lists are that candidates are looked up in.
enum class Operands {
  kRead,    // in the graph's memory: all rows are dealt out together
  kCopied,  // small ones in the warp's shared memory, where a row has the warp for itself
  kShared,  // in that of any warp of the block (levels_share.cuh)
};

template <class Store, Output kOutput, bool kEdges, Operands kOperands>
class JoinWarp : public OutputWarp<Store, kOutput> {
  using Base = OutputWarp<Store, kOutput>;

 protected:
  using Base::args_, Base::cached_, Base::scratch_;

 public:
  SUBISO_DEVICE explicit JoinWarp(const LevelsArgs<Store>& args)
      : Base(args),
        plan_{args.tables},
        view_{args.from},
        level_(static_cast<int>(args.level)),
        known_(static_cast<int>(args.known)) {}

  // Level 0: every seed of the window.
  SUBISO_DEVICE void take_seeds() {
    for (u64 first = args_.begin + u64{grid_warp()} * kWarp; first < args_.end; first += u64{grid_warps()} * kWarp) {
      if (stopped(args_)) break;
      const u64 at = first + lane_id();
      const u32 vertex = at < args_.end ? load_constant(args_.seeds + at) : 0;
      this->put(at < args_.end && edges_fit(vertex, 0), 0, vertex);
    }
    this->finish();
  }

  // Further levels: first the rows that many warps share, then groups of 32 rows.
  SUBISO_DEVICE void join() {
    set_window();
    if (begin_ < end_ && !stopped(args_)) {
      at_ = 0;
      kind_ = 0;
      while (!left_ && next()) deal();
    }
    this->finish();
  }

 protected:
  SUBISO_DEVICE void set_window() {
    const LevelRows& from = args_.from;
    begin_ = args_.begin;
    end_ = least(args_.end, from.state->total);
    if (kOutput == Output::kBuffer && args_.spanned != 0) {
      begin_ = end_ = 0;
      if (args_.first_row >= *from.rows) return;
      begin_ = load_own(from.offsets + args_.first_row);
      end_ = load_own(from.offsets + span_end(args_));
    }
    if (begin_ >= end_) return;
    first_row_ = row_of(from.offsets, *from.rows, begin_);
    end_row_ = u64{row_of(from.offsets, *from.rows, end_ - 1)} + 1;
    group_rows_ = shared_out(end_row_ - first_row_, grid_warps());
  }

  // Rows of a group: 32, or fewer where there are not enough for everybody.
  SUBISO_DEVICE static u32 shared_out(u64 rows, u32 workers) {
    return static_cast<u32>(least(u64{kWarp}, (rows + workers - 1) / workers));
  }

  // ---- taking work -------------------------------------------------------------------------------------------------
  // The next rows for this warp to work on, as one of a team. False when there are none.
  SUBISO_DEVICE bool next() {
    first_.number = second_.number = kNoOrigin;
    single_ = false;
    for (; kind_ < 3; ++kind_, at_ = 0)
      if (take_listed()) return true;
    if (!grouped_ && !take_group()) return false;
    if (long_ != 0) {
      take_long_row();
    } else {
      grouped_ = false;
      held_ = group_;
    }
    return true;
  }

  // Rows of the lists: everybody's, a block's, and up to 32 that a block's warps share.
  SUBISO_DEVICE bool take_listed() {
    const LevelRows& from = args_.from;
    const u64 count = kind_ == 0 ? from.state->grid_rows : kind_ == 1 ? from.state->block_rows : from.state->pool_rows;
    const u32 step = kind_ == 2 ? shared_out(count, num_blocks()) : 1;
    const u64 at = kind_ == 0 ? at_ : (at_ * num_blocks() + block_id()) * step;
    if (at >= count) return false;
    ++at_;
    const u64 mine = at + lane_id();
    held_ = {};
    if (lane_id() < step && mine < count)
      held_ = hold(load_own(kind_ == 0   ? from.grid_list + mine
                            : kind_ == 1 ? from.lists + (from.capacity - 1 - mine)
                                         : from.lists + mine));
    turn_ = kind_ == 0 ? grid_warp() : warp_in_block();
    stride_ = kind_ == 0 ? grid_warps() : warps_per_block();
    alone_ = false;
    return true;
  }

  // Rows that follow each other; the long ones among them come one by one.
  SUBISO_DEVICE bool take_group() {
    const u64 first = first_row_ + (at_ * grid_warps() + grid_warp()) * group_rows_;
    if (first >= end_row_ || stopped(args_)) return false;
    ++at_;
    hold_group(first);
    grouped_ = true;
    return true;
  }
  SUBISO_DEVICE void hold_group(u64 first) {
    const u64 row = first + lane_id();
    group_ = {};
    if (lane_id() < group_rows_ && row < end_row_ && load_own(args_.from.sizes + row) <= args_.from.state->limits.pool)
      group_ = hold(static_cast<u32>(row));
    turn_ = 0;
    stride_ = 1;
    alone_ = true;
    long_ = kOperands == Operands::kRead ? 0 : ballot(group_.left >= args_.alone);
  }

  // A row of the group that has the warp for itself, with small operands in shared memory.
  SUBISO_DEVICE void take_long_row() {
    const u32 lane = lowest_bit(long_), row = shuffle(group_.row, lane), origin = shuffle(group_.origin, lane);
    const HeldRow one{shuffle(group_.next, lane), shuffle(group_.left, lane), origin, row, shuffle(group_.place, lane)};
    long_ &= long_ - 1;
    held_ = lane_id() == 0 ? one : HeldRow{};
    if (lane_id() == lane) group_.left = 0;
    single_ = true;
    stage(row, origin);
  }

  // The part of a row's candidates that is in the window.
  SUBISO_DEVICE HeldRow hold(u32 row) const {
    const u64 offset = load_own(args_.from.offsets + row), size = load_own(args_.from.sizes + row);
    const u64 begin = greatest(offset, begin_), end = least(offset + size, end_);
    if (begin >= end) return {};
    const u64 start = load_own(args_.from.starts + row);
    const u32* const list = reinterpret_cast<const u32*>(start & ((u64{1} << 56) - 1));
    u64 place = begin - begin_;
    if constexpr (kOutput == Output::kWrite) place = load_own(args_.places + row);
    return {list + (begin - offset), static_cast<u32>(end - begin), static_cast<u32>(start >> 56), row, place};
  }

  // ---- one team's rows ---------------------------------------------------------------------------------------------
  // Deals the candidates of the rows that the lanes hold to the warps of the team.
  SUBISO_DEVICE void deal() {
    constexpr u32 kMost = 1u << 26;  // of one row at a time, so that sums stay within 32 bits
    const u32 lane = lane_id();
    found_ = 0;
    const bool holds = held_.left != 0;
    for (u32 open = ballot(held_.left != 0); open != 0 && !left_; open = ballot(held_.left != 0)) {
      const u32 offered = least(held_.left, kMost), end = scan_add(offered), begin = end - offered;
      const u32 total = shuffle(end, kWarp - 1);
      u32 steps = 0;
      for (u32 base = turn_ * kWarp; base < total; base += stride_ * kWarp) {
        u32 entry = 0;  // the number of rows whose share ends at or before this lane's candidate
        SUBISO_UNROLL
        for (u32 half = kWarp / 2; half != 0; half /= 2)
          if (shuffle(end, entry + half - 1) <= base + lane) entry += half;
        const bool present = base + lane < total;
        const u32* const at = shuffle(held_.next, entry) + (base + lane - shuffle(begin, entry));
        const u32 row = shuffle(held_.row, entry), origin = shuffle(held_.origin, entry);
        u32 vertex = 0;
        if (present) vertex = kOperands == Operands::kShared ? load_own(at) : load_constant(at);
        const bool ok = present && fits_here(vertex, row, origin) && edges_fit(vertex, row);
        const u32 from = begin > base ? begin - base : 0, to = end > base ? least(end - base, kWarp) : 0;
        const u32 takers = from < to ? (to == kWarp ? kFull : (1u << to) - 1) & ~((1u << from) - 1) : 0;
        put_in_row(ok, entry, row, vertex, takers);
        if (++steps % 256 == 0 && stopped(args_)) {
          left_ = true;
          break;
        }
      }
      held_.next += offered;
      held_.left -= offered;
    }
    if (alone_) settle(holds);
  }

  // ---- checks ------------------------------------------------------------------------------------------------------
  SUBISO_DEVICE bool fits_here(u32 x, u32 row, u32 origin) const {
    const u32 filter = plan_.level(level_).filter;
    if (filter != kNoFilter && !in_bitmap(args_.reads.filters.at(filter), x)) return false;
    const int first = plan_.first_op(level_);
    return plan_.walk(level_, known_ - 1, [&](int p, int begin, int end) {
      if (begin == end) return true;
      const u32 m = view_.vertex(p, row);
      for (int i = begin; i < end; ++i) {
        const u32 number = static_cast<u32>(i - first);
        const Op op = plan_.op(i);
        if (number == origin && is_source(op)) continue;
        if (kOperands != Operands::kRead && (number == first_.number || number == second_.number)) {
          const bool other = number != first_.number;
          const u32* copy = scratch_->operands() + (other ? args_.staged : 0);
          if constexpr (kOperands == Operands::kShared) copy = other ? second_copy_ : first_copy_;
          const List list{copy, other ? second_.size : first_.size};
          if (contains(list, x) != (op.kind == Op::kEdge)) return false;
        } else if (!passes(args_.reads, view_, op, x, m, row)) {
          return false;
        }
      }
      return true;
    });
  }

  SUBISO_DEVICE bool edges_fit(u32 vertex, u32 row) const {
    if constexpr (kEdges) return edges_possible(plan_, args_.reads.entities, view_, level_, vertex, row);
    return true;
  }

  // Copies the first small lists that candidates of a row are looked for in; longer ones have bit rows or are searched.
  SUBISO_DEVICE void stage(u32 row, u32 origin) {
    choose_operands(row, origin, [&](u32 used, List list) {
      // No reference to one or the other: both would have to lie in memory then, and all of this object with them.
      const u32 size = used == 0 ? first_.size : second_.size;
      if (args_.reuse && (used == 0 ? first_.list : second_.list) == list.data && size == list.size) return;
      sync_warp();
      u32* const copy = scratch_->operands() + used * args_.staged;
      for (u32 k = lane_id(); k < list.size; k += kWarp) copy[k] = load_constant(list.data + k);
      sync_warp();
    });
  }
  // take(number, list) for them; what they were before is known until it returns.
  template <class F>
  SUBISO_DEVICE void choose_operands(u32 row, u32 origin, F take) {
    const int first = plan_.first_op(level_);
    u32 used = 0;
    plan_.walk(level_, known_ - 1, [&](int p, int begin, int end) {
      for (int i = begin; i < end && used < kStages; ++i) {
        const Op op = plan_.op(i);
        const u32 number = static_cast<u32>(i - first);
        if ((op.kind != Op::kEdge && op.kind != Op::kNoEdge) || number == origin) continue;
        const List list = args_.reads.store.neighbors(view_.vertex(p, row), op.a);
        if (list.size > args_.staged) continue;
        take(used, list);
        if (used == 0)
          first_ = {number, list.size, list.data};
        else
          second_ = {number, list.size, list.data};
        ++used;
      }
      return used < kStages;
    });
  }

  // ---- results -----------------------------------------------------------------------------------------------------
  SUBISO_DEVICE void put_in_row(bool ok, u32 entry, u32 row, u32 vertex, u32 takers) {
    if constexpr (kOutput == Output::kTotal || kOutput == Output::kPairs) {
      this->put(ok, row, vertex);
    } else {
      const u32 fitting = ballot(ok), mine = popcount(fitting & takers);
      u32 base = found_;
      if (alone_) {
        found_ += mine;
      } else if (mine != 0) {
        base = atomic_add(args_.counts + held_.row, mine);
        atomic_add(args_.count_tiles + held_.row / kTile, u64{mine});
      }
      if constexpr (kOutput == Output::kCounts) return;
      if (kOutput == Output::kBuffer && single_ && args_.cache) {
        this->add_to_cache(fitting, ok, 0, vertex, [&] { return cached_place(); });
        return;
      }
      const u32 before = popcount(fitting & lanes_below() & shuffle(takers, entry));
      const u64 place = shuffle(held_.place + base, entry) + before;
      if (!ok) return;
      args_.vertices[place] = vertex;
      if (kOutput == Output::kWrite) args_.parents[place] = row;
    }
  }

  // Where the cached elements of the only row belong.
  SUBISO_DEVICE u64 cached_place() const { return shuffle(held_.place, 0) + shuffle(found_, 0) - cached_; }

  // After rows that this warp has done alone.
  SUBISO_DEVICE void settle(bool holds) {
    if constexpr (kOutput == Output::kCounts || kOutput == Output::kBuffer) {
      if (kOutput == Output::kBuffer && single_ && cached_ != 0) {
        this->flush_cache(cached_, cached_place());
        cached_ = 0;
        sync_warp();
      }
      if (!holds || found_ == 0) return;
      args_.counts[held_.row] = found_;
      atomic_add(args_.count_tiles + held_.row / kTile, u64{found_});
    }
  }

  const TablePlan plan_;
  const RowsView view_;
  const int level_;
  const int known_;
  u64 begin_ = 0, end_ = 0;          // the window,
  u64 first_row_ = 0, end_row_ = 0;  // and its rows,
  u32 group_rows_ = kWarp;           // so many at a time
  int kind_ = 0;                     // of work: lists of rows, then groups
  u64 at_ = 0;                       // how much of it this warp has taken
  HeldRow held_, group_;
  bool grouped_ = false;             // the rest of the group is still to be done,
  u32 long_ = 0;                     // and these of its rows
  u32 turn_ = 0, stride_ = 1;        // this warp's place in the team, and how many it is
  bool alone_ = true;
  u32 found_ = 0;                    // results for the row that this lane holds
  bool single_ = false;              // one row has the warp for itself
  bool left_ = false;                // the host wants us to stop
  Operand first_, second_;           // in shared memory,
  const u32* first_copy_ = nullptr;  // where, if they are shared
  const u32* second_copy_ = nullptr;
};

template <class Store, Output kOutput, bool kEdges>
SUBISO_DEVICE void levels_seed(const LevelsArgs<Store>& args) {
  JoinWarp<Store, kOutput, kEdges, Operands::kRead>(args).take_seeds();
}

template <class Store, Output kOutput, bool kEdges, Operands kOperands>
SUBISO_DEVICE void levels_join(const LevelsArgs<Store>& args) {
  JoinWarp<Store, kOutput, kEdges, kOperands>(args).join();
}

}  // namespace subiso
