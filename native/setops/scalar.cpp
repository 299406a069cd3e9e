// Scalar set operations: branch-free merges and galloping. The definition for the SIMD versions and their tail loops.
#include <algorithm>

#include "setops/merge.hpp"
#include "setops/setops.hpp"

namespace subiso {

const std::uint32_t* gallop(const std::uint32_t* first, const std::uint32_t* last, std::uint32_t x) {
  std::size_t step = 1;
  while (step < static_cast<std::size_t>(last - first) && first[step] < x) {
    first += step;
    step *= 2;
  }
  const std::size_t left = static_cast<std::size_t>(last - first);
  return std::lower_bound(first, first + std::min(step + 1, left), x);
}

std::size_t intersect_gallop(Span small, Span large, std::uint32_t* out) {
  const std::uint32_t *p = large.begin(), *last = large.end();
  std::size_t found = 0;
  for (std::uint32_t x : small) {
    p = gallop(p, last, x);
    if (p == last) break;
    if (*p == x) out[found++] = x;
  }
  return found;
}

std::size_t intersect_count_gallop(Span small, Span large) {
  const std::uint32_t *p = large.begin(), *last = large.end();
  std::size_t found = 0;
  for (std::uint32_t x : small) {
    p = gallop(p, last, x);
    if (p == last) break;
    found += *p == x;
  }
  return found;
}

namespace {

std::size_t intersect(Span a, Span b, std::uint32_t* out) {
  if (a.size > b.size) std::swap(a, b);
  if (a.size * kGallopRatio < b.size) return intersect_gallop(a, b, out);
  return merge_intersect(a.begin(), a.end(), b.begin(), b.end(), out);
}

std::size_t intersect_count(Span a, Span b) {
  if (a.size > b.size) std::swap(a, b);
  if (a.size * kGallopRatio < b.size) return intersect_count_gallop(a, b);
  return merge_count(a.begin(), a.end(), b.begin(), b.end());
}

std::size_t subtract(Span a, Span b, std::uint32_t* out) {
  if (a.size * kGallopRatio < b.size) return subtract_gallop(a, b, out);
  return merge_subtract(a.begin(), a.end(), b.begin(), b.end(), out);
}

}  // namespace

const SetOps kScalarOps{"scalar", intersect, intersect_count, subtract};

}  // namespace subiso
