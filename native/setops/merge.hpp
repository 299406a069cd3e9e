// The scalar merges, shared by the scalar target and by the ends of the SIMD loops.
#pragma once
#include "setops/setops.hpp"

namespace subiso {

inline std::size_t merge_intersect(const std::uint32_t* a, const std::uint32_t* a_end, const std::uint32_t* b,
                                   const std::uint32_t* b_end, std::uint32_t* out) {
  std::uint32_t* start = out;
  while (a < a_end && b < b_end) {
    const std::uint32_t x = *a, y = *b;
    *out = x;  // always written, kept only when equal: no branch to mispredict
    out += x == y;
    a += x <= y;
    b += y <= x;
  }
  return static_cast<std::size_t>(out - start);
}

inline std::size_t merge_count(const std::uint32_t* a, const std::uint32_t* a_end, const std::uint32_t* b,
                               const std::uint32_t* b_end) {
  std::size_t found = 0;
  while (a < a_end && b < b_end) {
    const std::uint32_t x = *a, y = *b;
    found += x == y;
    a += x <= y;
    b += y <= x;
  }
  return found;
}

inline std::size_t merge_subtract(const std::uint32_t* a, const std::uint32_t* a_end, const std::uint32_t* b,
                                  const std::uint32_t* b_end, std::uint32_t* out) {
  std::uint32_t* start = out;
  while (a < a_end && b < b_end) {
    const std::uint32_t x = *a, y = *b;
    *out = x;
    out += x < y;
    a += x <= y;
    b += y <= x;
  }
  while (a < a_end) *out++ = *a++;
  return static_cast<std::size_t>(out - start);
}

// a is much shorter than b: look each of its elements up.
inline std::size_t subtract_gallop(Span a, Span b, std::uint32_t* out) {
  std::uint32_t* start = out;
  const std::uint32_t* p = b.begin();
  for (std::uint32_t x : a) {
    p = gallop(p, b.end(), x);
    *out = x;
    out += p == b.end() || *p != x;
  }
  return static_cast<std::size_t>(out - start);
}

}  // namespace subiso
