// The block merge that every SIMD target shares: compare a block of a with a block of b, all pairs at once, then step
// past the block (or blocks) whose largest element is smaller. A target gives `kWidth`, `matches` (bit i: a[i] is in
// the block of b) and `compact` (writes the chosen lanes to out).
#pragma once
#include <algorithm>

#include "setops/merge.hpp"

namespace subiso {

template <class Target>
struct Blocks {
  static constexpr std::size_t kWidth = Target::kWidth;

  [[gnu::always_inline]] static std::size_t intersect(Span a, Span b, std::uint32_t* out) {
    if (a.size > b.size) std::swap(a, b);
    if (a.size * kGallopRatio < b.size) return intersect_gallop(a, b, out);
    const std::uint32_t *p = a.begin(), *q = b.begin();
    std::uint32_t* o = out;
    while (p + kWidth <= a.end() && q + kWidth <= b.end()) {
      const std::uint32_t p_last = p[kWidth - 1], q_last = q[kWidth - 1];
      const auto lanes = Target::load(p);
      // A match is written as soon as its block of a meets it, so a block of a that stays adds nothing twice: the
      // block of b it met is left behind.
      o += Target::compact(lanes, Target::matches(lanes, q), o);
      p += p_last <= q_last ? kWidth : 0;
      q += q_last <= p_last ? kWidth : 0;
    }
    return static_cast<std::size_t>(o - out) + merge_intersect(p, a.end(), q, b.end(), o);
  }

  [[gnu::always_inline]] static std::size_t intersect_count(Span a, Span b) {
    if (a.size > b.size) std::swap(a, b);
    if (a.size * kGallopRatio < b.size) return intersect_count_gallop(a, b);
    const std::uint32_t *p = a.begin(), *q = b.begin();
    std::size_t found = 0;
    while (p + kWidth <= a.end() && q + kWidth <= b.end()) {
      const std::uint32_t p_last = p[kWidth - 1], q_last = q[kWidth - 1];
      found += static_cast<std::size_t>(__builtin_popcount(Target::matches(Target::load(p), q)));
      p += p_last <= q_last ? kWidth : 0;
      q += q_last <= p_last ? kWidth : 0;
    }
    return found + merge_count(p, a.end(), q, b.end());
  }

  [[gnu::always_inline]] static std::size_t subtract(Span a, Span b, std::uint32_t* out) {
    if (a.size * kGallopRatio < b.size) return subtract_gallop(a, b, out);
    const std::uint32_t *p = a.begin(), *q = b.begin();
    std::uint32_t* o = out;
    unsigned seen = 0;  // lanes of the present block of a found in some block of b
    while (p + kWidth <= a.end() && q + kWidth <= b.end()) {
      const std::uint32_t p_last = p[kWidth - 1], q_last = q[kWidth - 1];
      const auto lanes = Target::load(p);
      seen |= Target::matches(lanes, q);
      if (p_last <= q_last) {
        o += Target::compact(lanes, ~seen & Target::kAll, o);
        p += kWidth;
        seen = 0;
      }
      q += q_last <= p_last ? kWidth : 0;
    }
    if (seen) o = finish_block(p, q, b.end(), seen, o);
    if (seen) p += kWidth;
    return static_cast<std::size_t>(o - out) + merge_subtract(p, a.end(), q, b.end(), o);
  }

 private:
  // The block of a at p was partly looked up when b ran short of whole blocks.
  static std::uint32_t* finish_block(const std::uint32_t* p, const std::uint32_t* q, const std::uint32_t* q_end,
                                     unsigned seen, std::uint32_t* o) {
    std::uint32_t block[kWidth];  // out may be a's own memory
    std::copy_n(p, kWidth, block);
    for (std::size_t i = 0; i < kWidth; ++i) {
      if (seen >> i & 1) continue;
      if (!std::binary_search(q, q_end, block[i])) *o++ = block[i];
    }
    return o;
  }
};

}  // namespace subiso
