// How the wedges of a seed are dealt to the lanes of its team: parts of a seed, groups of its neighbours, elements of their
// lists. A block's warps take groups as they come, and very long lists together, so that they are done at the same time.
#pragma once
#include "motifs.cuh"

namespace subiso::motif {

// What an item is: one of several parts of a seed's work, all of it most often. Few: it has kFewWedges at most.
struct Part {
  u32 number, of;
  bool few;
  SUBISO_DEVICE explicit Part(u32 code) : number(code & 0x7FFF), of(code >> 16), few((code & 0x8000) != 0) {}
};
inline constexpr u32 kFewWedges = 2048;

// f(first), by whole warps of a block: for groups of so many items. `next` is shared by the block, and zero before.
template <class F>
SUBISO_DEVICE void each_group(u32* next, u32 items, u32 group, F f) {
  while (true) {
    u32 first = 0;
    if (lane_id() == 0) first = atomic_add(next, group);
    first = shuffle(first, 0);
    if (first >= items) return;
    f(first);
  }
}

// A list, and a number that belongs to it.
struct Owned {
  const u32* data = nullptr;
  u32 size = 0, number = 0;
};

// f(element, entry, number): for the elements of one list from `first` on, in steps of `step`, by whole warps.
inline constexpr u32 kAhead = 4;  // loads that a lane has under way
template <class F>
SUBISO_DEVICE void each_of_one(const Owned& list, u32 first, u32 step, F f) {
  for (u32 base = first; base < list.size; base += kAhead * step) {
    u32 element[kAhead];
    SUBISO_UNROLL
    for (u32 k = 0; k < kAhead; ++k) {
      const u32 at = base + k * step + lane_id();
      element[k] = at < list.size ? load_constant(list.data + at) : 0;
    }
    SUBISO_UNROLL
    for (u32 k = 0; k < kAhead; ++k) {
      const u32 at = base + k * step + lane_id();
      if (at < list.size) f(element[k], list.data + at, list.number);
    }
  }
}

// The same for lists of which every lane has one: long ones one by one, short ones together.
template <class F>
SUBISO_DEVICE void each_element(const Owned& mine, F f) {
  const auto owned_by = [&](u32 lane) -> Owned {
    return {shuffle(mine.data, lane), shuffle(mine.size, lane), shuffle(mine.number, lane)};
  };
  for (u32 open = ballot(mine.size >= kLongList); open != 0; open &= open - 1)
    each_of_one(owned_by(lowest_bit(open)), 0, kWarp, f);
  deal_lists(mine.size >= kLongList ? 0 : mine.size, owned_by, [&](const Owned& its, u32, u32 at, bool present) {
    if (present) f(load_constant(its.data + at), its.data + at, its.number);
    return false;
  });
}

// Lists of a team's items, dealt to all of its lanes.
template <bool kBlock>
class Dealer {
 public:
  SUBISO_DEVICE static constexpr u32 bytes() { return 0; }
  SUBISO_DEVICE explicit Dealer(u8*) {}

  // f(element, entry, number) for the elements of list_of(item), which lanes call on their own. Whoever calls this twice
  // has the team meet between, or another phase.
  template <class ListOf, class F>
  SUBISO_DEVICE void each(u32, u32 items, ListOf list_of, F f) const {
    for (u32 first = 0; first < items; first += kWarp)
      each_element(first + lane_id() < items ? list_of(first + lane_id()) : Owned{}, f);
    sync_warp();
  }
};

template <>
class Dealer<true> {
 public:
  SUBISO_DEVICE static constexpr u32 bytes() { return sizeof(Shared); }
  SUBISO_DEVICE explicit Dealer(u8* memory) : shared_(reinterpret_cast<Shared*>(memory)) {
    if (Crew<true>::self() == 0) shared_->phases[0] = shared_->phases[1] = {};
    sync_block();
  }

  template <class ListOf, class F>
  SUBISO_DEVICE void each(u32 phase, u32 items, ListOf list_of, F f) const {
    Phase& mine = shared_->phases[phase];
    const u32 even = items / (2 * warps_per_block()), group = even < 1 ? 1 : even < kWarp ? even : kWarp;
    each_group(&mine.next, items, group, [&](u32 first) {
      Owned list;
      if (lane_id() < group && first + lane_id() < items) list = list_of(first + lane_id());
      if (list.size >= kVeryLong) {
        const u32 at = atomic_add(&mine.num_long, 1u);
        if (at < kRoom) {
          shared_->lists[at] = list;
          list.size = 0;
        }
      }
      each_element(list, f);
    });
    sync_block();
    const u32 together = mine.num_long < kRoom ? mine.num_long : kRoom;
    for (u32 i = 0; i < together; ++i)
      each_of_one(shared_->lists[i], warp_in_block() * kWarp, warps_per_block() * kWarp, f);
    sync_block();
    if (Crew<true>::self() == 0) mine = {};
  }

 private:
  static constexpr u32 kVeryLong = 1024, kRoom = 63;
  struct Phase {
    u32 next = 0, num_long = 0;
  };
  struct Shared {
    Phase phases[2];
    Owned lists[kRoom];
  };
  Shared* const shared_;
};

}  // namespace subiso::motif
