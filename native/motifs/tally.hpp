// Counts by key, where a key is a shape and up to four colours: an array where that is small, a hash table otherwise.
#pragma once
#include <bit>
#include <utility>
#include <vector>

#include "generate/rng.hpp"
#include "motifs/sums.hpp"

namespace subiso::motifs {

inline constexpr u32 kColorBits = 15, kMostColors = 1u << kColorBits;

class Tally {
 public:
  Tally(u32 colors, u32 shapes) : colors_(colors) {
    u64 size = shapes;
    for (int i = 0; i < 4 && size <= kDense; ++i) size *= colors;
    if (size <= kDense)
      dense_.assign(size, 0);
    else
      slots_.resize(1024);
  }

  // Triples leave the last colour 0.
  void add(u32 shape, u32 a, u32 b, u32 c, u32 d, Count count) {
    if (count == 0) return;
    if (!dense_.empty())
      dense_[(((u64{shape} * colors_ + a) * colors_ + b) * colors_ + c) * colors_ + d] += count;
    else
      add(key(shape, a, b, c, d), count);
  }

  template <class F>
  void each(const F& f) const {
    for (u64 i = 0; i < dense_.size(); ++i) {
      if (dense_[i] == 0) continue;
      const u64 abc = i / colors_, ab = abc / colors_, a = ab / colors_;
      f(static_cast<u32>(a / colors_), static_cast<u32>(a % colors_), static_cast<u32>(ab % colors_), static_cast<u32>(abc % colors_),
        static_cast<u32>(i % colors_), dense_[i]);
    }
    for (const Slot& s : slots_)
      if (s.key != kEmpty && s.count != 0) f(part(s.key, 4), part(s.key, 3), part(s.key, 2), part(s.key, 1), part(s.key, 0), s.count);
  }

 private:
  static constexpr u64 kDense = 1 << 21, kEmpty = ~u64{0};
  struct Slot {
    u64 key = kEmpty;
    Count count = 0;
  };

  static u64 key(u32 s, u32 a, u32 b, u32 c, u32 d) {
    u64 k = s;
    for (const u32 x : {a, b, c, d}) k = k << kColorBits | x;
    return k;
  }
  static u32 part(u64 key, u32 i) { return static_cast<u32>(key >> i * kColorBits) & (i == 4 ? 7u : kMostColors - 1); }

  void add(u64 k, Count count) {
    Slot& slot = slots_[find(k)];
    slot.count += count;
    if (slot.key == k) return;
    slot.key = k;
    if (++used_ * 2 > slots_.size()) grow();
  }
  u64 find(u64 k) const {
    const u64 mask = slots_.size() - 1;
    u64 i = generate::mix(k) & mask;
    while (slots_[i].key != kEmpty && slots_[i].key != k) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old)
      if (s.key != kEmpty) slots_[find(s.key)] = s;
  }

  u32 colors_;
  u64 used_ = 0;
  std::vector<Count> dense_;
  std::vector<Slot> slots_;
};

}  // namespace subiso::motifs
