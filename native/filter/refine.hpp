// Candidate refinement: drops candidates of pattern vertices that have too few neighbours among the candidates of the
// pattern's neighbours. Works on bitmaps; a vertex without a filter is left alone.
#pragma once
#include <cstdint>
#include <vector>

#include "storage/csr_store.hpp"

namespace subiso {

// Every candidate of `a` needs at least `count` neighbours (in `relation`) among the candidates of `b`.
struct Demand {
  int a;
  int b;
  int relation;
  int count;
};

struct Refined {
  std::vector<std::uint64_t> sizes;  // candidates per pattern vertex
  std::vector<std::uint64_t> overlaps;  // per pattern vertex the bits of those whose candidates overlap its own
  std::vector<double> fans;          // per demand: mean number of b-candidates next to an a-candidate
};

// `filters[v]` is null for a pattern vertex without a filter.
Refined refine(const CsrStore& store, const std::vector<std::uint64_t*>& filters, const std::vector<Demand>& demands,
               int rounds);

}  // namespace subiso
