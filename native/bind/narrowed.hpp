// What the filters left, as Python holds it; shared by the files that bind what is done with it.
#pragma once
#include <vector>

#include "bind/bind.hpp"
#include "filter/narrow.hpp"
#include "storage/csr_store.hpp"

namespace subiso {

// Candidates, the relations they were found in, and the arrays of these, which must live as long.
struct BoundNarrowed {
  nb::object kept;
  CsrStore store;
  std::size_t num_relations;
  std::vector<PatternLink> links;
  Narrowed result;
};

}  // namespace subiso
