// The join of schedule `levels` with lists that the warps of a block share (duplicate removal, after GSI): rows that a block
// works on at the same time and that read the same list, of candidates or to look them up in, read one copy of it in shared
// memory. The block takes its long rows in rounds, neighbouring rows one to a warp. A table says which lists the warps want,
// and the first warp that wants a list copies it for all.
#pragma once
#include "levels_join.cuh"

namespace subiso {

inline constexpr u32 kShared = kStages + 1;  // lists of a warp's row: operands, and its candidates last

// Behind the scratch memory of a block's warps; how much it is, sharing_bytes in engine/cuda/levels_layout.py says.
class SharedLists {
 public:
  SUBISO_DEVICE explicit SharedLists(u32 staged)
      : staged_(staged), warps_(warps_per_block()), me_(warp_in_block()) {
    u8* const base = shared_memory() + warps_ * JoinScratch::bytes(staged);
    wanted_ = reinterpret_cast<List*>(base);
    held_ = wanted_ + kShared * warps_;
    stop_ = reinterpret_cast<u32*>(held_ + kShared * warps_);
    counts_ = stop_ + 2;
    rows_ = counts_ + warps_;
    candidates_ = rows_ + kWarp * warps_;
    if (lane_id() < kShared) held_[me_ * kShared + lane_id()] = {nullptr, 0};
  }

  // ---- the block's long rows ---------------------------------------------------------------------------------------
  // Collects the rows that lanes offer; how many there are. `stop` is the first warp's to say, and then the same for all.
  SUBISO_DEVICE u32 collect(u32 offered, u32 row, bool& stop) {
    if (lane_id() == 0) counts_[me_] = popcount(offered);
    stop = agreed(stop_ + 1, stop);
    u32 before = 0, all = 0;
    for (u32 w = 0; w < warps_; ++w) {
      before += w < me_ ? counts_[w] : 0;
      all += counts_[w];
    }
    if (offered >> lane_id() & 1) rows_[before + popcount(offered & lanes_below())] = row;
    return all;
  }
  SUBISO_DEVICE u32 row(u32 i) const { return rows_[i]; }

  // ---- one round ---------------------------------------------------------------------------------------------------
  // What this warp wants; {nullptr, 0}: nothing.
  SUBISO_DEVICE void want(u32 which, List list) {
    if (lane_id() == 0) wanted_[me_ * kShared + which] = list;
  }
  // The whole block: every wanted list is copied once, unless it stands there since the round before. The number of copies
  // that this warp made is added to `copies`.
  SUBISO_DEVICE void share(const u32* (&copies_at)[kShared], bool& stop, u32& copies) {
    stop = agreed(stop_, stop);
    SUBISO_UNROLL
    for (u32 which = 0; which < kShared; ++which) {
      const u32 mine = me_ * kShared + which;
      const List list = wanted_[mine];
      copies_at[which] = nullptr;
      if (list.size == 0) continue;
      const u32 leader = first_that_wants(list);
      copies_at[which] = place(leader);
      if (leader != mine || same(held_[mine], list)) continue;
      for (u32 k = lane_id(); k < list.size; k += kWarp) place(mine)[k] = load_constant(list.data + k);
      sync_warp();
      if (lane_id() == 0) held_[mine] = list;
      sync_warp();
      ++copies;
    }
    sync_block();
  }

 private:
  SUBISO_DEVICE static bool same(List a, List b) { return a.data == b.data && a.size == b.size; }
  // What the first warp says. All that the block wrote before is there.
  SUBISO_DEVICE bool agreed(u32* at, bool said) const {
    if (me_ == 0 && lane_id() == 0) *at = said;
    sync_block();
    return *at != 0;
  }
  SUBISO_DEVICE u32 first_that_wants(List list) const {
    for (u32 first = 0;; first += kWarp) {
      const u32 at = first + lane_id();
      const u32 found = ballot(at < kShared * warps_ && same(wanted_[at], list));
      if (found != 0) return first + lowest_bit(found);
    }
  }
  SUBISO_DEVICE u32* place(u32 entry) const {
    const u32 warp = entry / kShared, which = entry % kShared;
    if (which == kStages) return candidates_ + warp * staged_;
    return reinterpret_cast<JoinScratch*>(shared_memory() + warp * JoinScratch::bytes(staged_))->operands() + which * staged_;
  }

  const u32 staged_, warps_, me_;
  List* wanted_;     // by warp: its lists of this round,
  List* held_;       // and what stands in its places
  u32* stop_;        // in rounds, and where rows are collected
  u32* counts_;      // of long rows, by warp
  u32* rows_;        // of the block
  u32* candidates_;
};

template <class Store, Output kOutput, bool kEdges>
class SharingWarp : public JoinWarp<Store, kOutput, kEdges, Operands::kShared> {
  using Base = JoinWarp<Store, kOutput, kEdges, Operands::kShared>;
  using Base::args_, Base::held_, Base::group_, Base::long_, Base::single_, Base::kind_, Base::at_;
  using Base::first_, Base::second_, Base::first_copy_, Base::second_copy_;

 public:
  SUBISO_DEVICE explicit SharingWarp(const LevelsArgs<Store>& args) : Base(args), lists_(args.staged) {}

  SUBISO_DEVICE void join() {
    this->set_window();
    u32 copies = 0;
    bool stop = this->begin_ >= this->end_;
    while (!stop && next(stop)) {
      const u32* copies_at[kShared];
      want_lists();
      lists_.share(copies_at, stop, copies);
      first_copy_ = copies_at[0];
      second_copy_ = copies_at[1];
      if (lane_id() == 0 && copies_at[kStages] != nullptr) held_.next = copies_at[kStages];
      if (!stop) this->deal();
    }
    if (lane_id() == 0 && copies != 0) atomic_add(&args_.control->copies, u64{copies});
    this->finish();
  }

 private:
  // What this warp holds in the block's next round. False, for all warps of the block, when there are no more of them.
  SUBISO_DEVICE bool next(bool& stop) {
    stop = warp_in_block() == 0 && stopped(args_);
    single_ = false;
    for (; kind_ < 3; ++kind_, at_ = 0)
      if (this->take_listed()) {
        whole_ = kind_ != 2;
        return true;
      }
    if (at_ < num_long_) {
      take_long_row(static_cast<u32>(at_) + warp_in_block());
      at_ += warps_per_block();
      return true;
    }
    return take_chunk(stop);
  }

  // The warps take neighbouring groups of rows. Short ones are dealt out at once, long ones are listed for later rounds.
  SUBISO_DEVICE bool take_chunk(bool& stop) {
    const u64 first = this->first_row_ + chunk_ * this->group_rows_ * warps_per_block();
    if (first >= this->end_row_) return false;
    chunk_ += num_blocks();
    this->hold_group(first + warp_in_block() * this->group_rows_);
    num_long_ = lists_.collect(long_, group_.row, stop);
    at_ = 0;
    held_ = long_ >> lane_id() & 1 ? HeldRow{} : group_;
    whole_ = false;
    return true;
  }

  // One of the block's long rows, if there are so many.
  SUBISO_DEVICE void take_long_row(u32 number) {
    held_ = {};
    whole_ = number < num_long_;
    if (whole_ && lane_id() == 0) held_ = this->hold(lists_.row(number));
    single_ = true;
  }

  SUBISO_DEVICE void want_lists() {
    const List nothing{nullptr, 0};
    first_.number = second_.number = kNoOrigin;
    for (u32 which = 0; which < kStages; ++which) lists_.want(which, nothing);
    const u32 left = whole_ ? shuffle(held_.left, 0) : 0;
    lists_.want(kStages, left <= args_.staged ? List{held_.next, left} : nothing);
    if (left != 0)
      this->choose_operands(shuffle(held_.row, 0), shuffle(held_.origin, 0),
                            [&](u32 which, List list) { lists_.want(which, list); });
  }

  SharedLists lists_;
  bool whole_ = false;           // one row is held, by the first lane
  u64 chunk_ = block_id();
  u32 num_long_ = 0;             // of the chunk, of which `at_` are done
};

template <class Store, Output kOutput, bool kEdges>
SUBISO_DEVICE void levels_join_sharing(const LevelsArgs<Store>& args) {
  SharingWarp<Store, kOutput, kEdges>(args).join();
}

}  // namespace subiso
