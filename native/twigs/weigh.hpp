// Weights: for every candidate of a root the number of ways to match a leaf beside it, and all that hangs below the leaf.
#pragma once
#include "twigs/twig.hpp"

namespace subiso::twigs {

struct Weights {
  std::vector<u64> values;  // by vertex; 0 for those that are no candidates
  u64 most = 0;             // the largest; all ones where one does not fit
};

// `twig` has one leaf. `below` has the leaf's own weights; null: 1 each. Drops roots without any way, in place.
Weights weigh(const Twig& twig, const u64* below, unsigned threads);

}  // namespace subiso::twigs
