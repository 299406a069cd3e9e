// Core numbers and the degeneracy order of a relation that reads the same from both ends. Loops do not count.
#pragma once
#include <cstdint>
#include <vector>

#include "storage/csr_store.hpp"

namespace subiso {

struct Cores {
  std::vector<std::uint32_t> order;    // the vertices, each with the fewest neighbours left when its turn came
  std::vector<std::uint32_t> numbers;  // by vertex; they do not fall along the order
};

// In time linear in the entries: vertices stand in buckets by the neighbours that they have left.
Cores peel(Csr csr, std::uint32_t num_vertices);

}  // namespace subiso
