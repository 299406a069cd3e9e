// The filters that count neighbours, for a whole query: from its links to demands, and the candidates that are left.
#pragma once
#include <cstdint>
#include <vector>

#include "filter/refine.hpp"

namespace subiso {

// Pattern vertices a and b are joined: `forward` is the relation read at a, `backward` the same edges read at b.
struct PatternLink {
  int a;
  int b;
  int forward;
  int backward;
};

struct NarrowOptions {
  bool injective = true;  // different pattern vertices are different data vertices
  bool degree = true;     // as many neighbours as the pattern vertex has
  bool frequency = true;  // ... by their labels: by the bitmaps that neighbours had to begin with
  bool refine = true;     // neighbours among the candidates of neighbours, to a fixed point
  std::uint64_t budget = UINT64_MAX;  // list elements
  unsigned threads = 0;               // at most; 0: no limit
};

struct Narrowed {
  std::vector<std::vector<std::uint64_t>> bits;  // per pattern vertex; empty where it has no filter
  std::vector<int> number;                       // per pattern vertex: equal for equal bitmaps, -1 for none
  Refined refined;
};

// `given[v]`: the bitmap that says which labels and conditions v's matches have, null for none. The same pointer means the
// same kind of vertex. `begun[v]`: what other filters have left of it, null to begin with the given one.
Narrowed narrow(const CsrStore& store, const std::vector<const std::uint64_t*>& given,
                const std::vector<const std::uint64_t*>& begun, const std::vector<PatternLink>& links,
                const NarrowOptions& options);

}  // namespace subiso
