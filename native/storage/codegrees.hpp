// For every edge of a relation, how many vertices both its ends are joined to: the triangles that it closes.
#pragma once
#include <vector>

#include "storage/csr_store.hpp"

namespace subiso {

// By entry u -> v of `edges`: the vertices in the list of u in `at_first` and in that of v in `at_second`. `mirrored`
// says that all three are the same relation and that it is its own reverse, which halves the work. `threads` at most, 0:
// no limit.
std::vector<std::uint32_t> edge_codegrees(Csr edges, Csr at_first, Csr at_second, std::uint32_t num_vertices,
                                          bool mirrored, unsigned threads);

}  // namespace subiso
