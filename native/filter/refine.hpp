// Candidate refinement: drops candidates of pattern vertices that have too few neighbours among the candidates of the
// pattern's neighbours, to a fixed point. A vertex without a filter is left alone.
#pragma once
#include <cstdint>
#include <vector>

#include "storage/csr_store.hpp"

namespace subiso {

// Every candidate of `a` needs at least `count` neighbours (in `relation`) among the candidates of `b`. `reverse` is the
// relation read from the other end, -1 where it is not known.
struct Demand {
  int a;
  int b;
  int relation;
  int reverse;
  int count;
};

struct Refined {
  std::vector<std::uint64_t> first_sizes;  // candidates per pattern vertex as they were given
  std::vector<std::uint64_t> sizes;        // ... and at the end
  std::vector<std::uint64_t> overlaps;  // per pattern vertex the bits of those whose candidates overlap its own
  std::vector<double> fans;  // per demand: mean number of b-candidates next to an a-candidate; -1 where not known
  std::vector<std::uint64_t> entries;  // per demand: elements of all lists of a's candidates; 0 where it has no filter
  bool complete = true;      // a fixed point was reached
};

// What is demanded: `again` whenever the candidates of `b` have become fewer, until nothing changes; `after` once that is
// so (and `again` anew if that dropped any).
struct Demands {
  std::vector<Demand> again, after;
};

// `filters[v]` is null for a pattern vertex without a filter. Stops after `budget` list elements. The first `num_vertices`
// bitmaps (at most 64) are those of the pattern's vertices, further ones are only looked for. `threads` at most, 0: no limit.
Refined refine(const CsrStore& store, const std::vector<std::uint64_t*>& filters, const Demands& demands,
               std::size_t num_vertices, std::uint64_t budget, unsigned threads = 0);

}  // namespace subiso
