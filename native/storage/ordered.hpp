// A relation in another order of some of its vertices, and without edges that are in few triangles: what cliques are
// looked for in. It reads the same from both ends; loops are left out.
#pragma once
#include <cstdint>
#include <vector>

#include "storage/csr_store.hpp"

namespace subiso {

struct OrderedCsr {
  std::vector<std::int64_t> bounds;  // as in storage/csr_store.hpp
  std::vector<std::uint32_t> neighbors;

  Csr view() const { return {bounds.data(), neighbors.data()}; }
  std::uint32_t num_vertices() const { return static_cast<std::uint32_t>(bounds.size() / 2); }
};

// The relation between the members, which are numbered as they come; each of them once.
OrderedCsr in_order(Csr csr, std::uint32_t num_vertices, const std::uint32_t* members, std::size_t count);

// Without the edges in fewer than `least` triangles, and so on with what is left: up to so many rounds, fewer once a round
// drops next to nothing. Vertices keep their numbers. `threads`: 0 for as many as are worth it.
OrderedCsr without_thin_edges(OrderedCsr csr, std::uint32_t least, int rounds, unsigned threads);

}  // namespace subiso
