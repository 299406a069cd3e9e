// Bindings: what a twig leaves of its vertices' candidates, without listing its rows, and how many rows there are.
#pragma once
#include "twigs/twig.hpp"

namespace subiso::twigs {

struct Bindings {
  double rows = 0;              // of the twig's relation, before any test
  std::vector<double> entries;  // per leaf: roots and their candidates for it
  std::vector<u64> sizes;       // candidates per slot that are left
};

// Drops roots that have no candidate for some leaf, and leaves beside no root; in place, where `narrow` says so.
Bindings bind_candidates(const Twig& twig, bool narrow, unsigned threads);

}  // namespace subiso::twigs
