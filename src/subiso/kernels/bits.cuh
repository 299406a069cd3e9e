// Sets of local ids as bits in registers, in two shapes: LaneShape gives every lane a set of its own, WarpShape spreads
// one set over the lanes of a warp. Both offer the same calls, so that one search (local_search.cuh) serves both.
#pragma once
#include "warp.cuh"

namespace subiso {

// The bits of word w that stand for ids >= first.
SUBISO_DEVICE u32 bits_from(u32 first, u32 w) {
  const u32 begin = w * 32;
  return first <= begin ? kFull : first >= begin + 32 ? 0 : kFull << (first - begin);
}
SUBISO_DEVICE u32 bits_below(u32 end, u32 w) { return ~bits_from(end, w); }

// The number of the set bit that has `rank` set bits below it.
SUBISO_DEVICE u32 select_bit(u32 word, u32 rank) {
  u32 at = 0;
  SUBISO_UNROLL
  for (u32 step = 16; step != 0; step /= 2) {
    const u32 there = popcount(word & ((1u << step) - 1));
    const bool go = rank >= there;
    rank -= go ? there : 0;
    at += go ? step : 0;
    word = go ? word >> step : word;
  }
  return at;
}

// The last of `size` numbers that is at or before `pair`: where a pair belongs.
SUBISO_DEVICE u32 last_begin(const u32* begins, u32 size, u32 pair) {
  u32 at = 0;
  for (u32 left = size; left > 1;) {
    const u32 half = left / 2;
    at += begins[at + half] <= pair ? half : 0;
    left -= half;
  }
  return at;
}

template <u32 kSlots>
struct alignas(kSlots >= 4 ? 16 : kSlots * 4) Words {
  u32 word[kSlots];
};

// A lane holds a whole set: word k is its slot k. Rows are kSlots words apart, so that they are read in wide pieces.
template <u32 kSlotCount>
struct LaneShape {
  static constexpr u32 kSlots = kSlotCount;
  static constexpr int kLookAbove = 2;  // loops below the one that looks for a stop
  using Set = Words<kSlots>;

  SUBISO_DEVICE u32 num_words() const { return kSlots; }
  SUBISO_DEVICE u32 number(u32 slot) const { return slot; }
  SUBISO_DEVICE Set load(const u32* row) const { return *reinterpret_cast<const Set*>(row); }
  SUBISO_DEVICE u32 word_of(const Set& set, u32 w) const {
    u32 found = set.word[0];
    SUBISO_UNROLL
    for (u32 k = 1; k < kSlots; ++k) found = w == k ? set.word[k] : found;
    return found;
  }
  // What the lanes of a set counted, together; one of them speaks for the set.
  SUBISO_DEVICE u32 sum(u32 mine) const { return mine; }
  SUBISO_DEVICE bool leads() const { return true; }
  SUBISO_DEVICE bool any(bool mine) const { return mine; }
  // Innermost loops may take several bits at once, each for other lanes: which one is this lane's, and how many go.
  SUBISO_DEVICE u32 turn() const { return 0; }
  SUBISO_DEVICE u32 turns() const { return 1; }

  // The id that has `rank` ids of the set below it.
  SUBISO_DEVICE u32 select(const Set& set, u32 rank) const {
    u32 word = 0, base = 0, left = rank;
    bool found = false;
    SUBISO_UNROLL
    for (u32 k = 0; k < kSlots; ++k) {
      const u32 there = popcount(set.word[k]);
      if (!found && left < there) {
        found = true;
        word = set.word[k];
        base = k * 32;
      }
      if (!found) left -= there;
    }
    return base + select_bit(word, left);
  }
};

// A warp holds one set: word w stands in slot w / 32 of lane w % 32. Sets of few words are there several times, `lanes`
// (a power of two) lanes apart, so that an innermost loop can run for several bits at once.
template <u32 kSlotCount>
struct WarpShape {
  static constexpr u32 kSlots = kSlotCount;
  static constexpr int kLookAbove = 1;
  using Set = Words<kSlots>;
  u32 words;
  u32 lanes;

  SUBISO_DEVICE explicit WarpShape(u32 num_words) : words(num_words), lanes(kWarp) {
    while (lanes > 1 && lanes / 2 >= num_words) lanes /= 2;
  }
  SUBISO_DEVICE u32 num_words() const { return words; }
  SUBISO_DEVICE u32 number(u32 slot) const { return slot * kWarp + (lane_id() & (lanes - 1)); }
  SUBISO_DEVICE Set load(const u32* row) const {
    Set set;
    SUBISO_UNROLL
    for (u32 k = 0; k < kSlots; ++k) set.word[k] = number(k) < words ? load_constant(row + number(k)) : 0;
    return set;
  }
  SUBISO_DEVICE u32 word_of(const Set& set, u32 w) const {
    u32 mine = set.word[0];
    SUBISO_UNROLL
    for (u32 k = 1; k < kSlots; ++k) mine = w / kWarp == k ? set.word[k] : mine;
    return shuffle(mine, w % kWarp);
  }
  SUBISO_DEVICE u32 sum(u32 mine) const {
    for (u32 step = lanes / 2; step != 0; step /= 2) mine += shuffle(mine, lane_id() ^ step);
    return mine;
  }
  SUBISO_DEVICE bool leads() const { return (lane_id() & (lanes - 1)) == 0; }
  SUBISO_DEVICE bool any(bool mine) const { return ballot(mine) != 0; }
  SUBISO_DEVICE u32 turn() const { return lane_id() / lanes; }
  SUBISO_DEVICE u32 turns() const { return kWarp / lanes; }
};

}  // namespace subiso
