// Does a vertex fit a level, apart from being among its candidates? Filters, distinctness and compared columns.
#pragma once
#include "engine/inputs.hpp"

namespace subiso {

inline bool compares(const PairFilter& f, std::int64_t x, std::int64_t y) {
  if (x == kNotANumber || y == kNotANumber) return false;
  switch (f.op) {
    case PairFilter::kLess: return x < y;
    case PairFilter::kLessEqual: return x <= y;
    case PairFilter::kGreater: return x > y;
    case PairFilter::kGreaterEqual: return x >= y;
    case PairFilter::kEqual: return x == y;
    case PairFilter::kNotEqual: return x != y;
  }
  return false;
}

inline bool accepts(const Inputs& in, const Level& l, const std::uint32_t* match, std::uint32_t v) {
  const int filter = l.expression.filter;
  if (filter != kNone && !in_bitmap(in.filters[static_cast<std::size_t>(filter)], v)) return false;
  for (int p : l.distinct)
    if (match[p] == v) return false;
  if (l.checks_bounds()) {
    for (int p : l.expression.lower)
      if (v <= match[p]) return false;
    for (int p : l.expression.upper)
      if (v >= match[p]) return false;
  }
  for (const PairFilter& f : l.pairs) {
    const std::int64_t mine = in.keys[static_cast<std::size_t>(f.left)][v];
    if (!compares(f, mine, in.keys[static_cast<std::size_t>(f.right)][match[f.position]])) return false;
  }
  return true;
}

}  // namespace subiso
