// Relations as Python hands them over, for the binding files that read graphs.
#pragma once
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>
#include <vector>

#include "bind/bind.hpp"
#include "storage/csr_store.hpp"

namespace subiso {

// bounds, neighbors
using RelationArrays = std::tuple<In<std::int64_t>, In<std::uint32_t>>;

inline std::vector<Csr> to_csrs(const std::vector<RelationArrays>& relations) {
  std::vector<Csr> csrs;
  for (const auto& [bounds, neighbors] : relations) csrs.push_back({bounds.data(), neighbors.data()});
  return csrs;
}

inline void check_relations(std::uint32_t num_vertices, const std::vector<RelationArrays>& relations) {
  for (const auto& [bounds, neighbors] : relations)
    if (bounds.size() != 2 * std::size_t{num_vertices} + 1 ||
        bounds.data()[bounds.size() - 1] != static_cast<std::int64_t>(neighbors.size()))
      throw std::invalid_argument("a relation does not fit the number of vertices");
}

inline void check_range(std::int64_t i, std::size_t size, const char* what) {
  if (i < 0 || static_cast<std::size_t>(i) >= size) throw std::invalid_argument(what);
}

// A bitmap must have a bit for every vertex.
inline void check_bitmap(std::size_t words, std::uint32_t num_vertices) {
  if (words * 64 < num_vertices) throw std::invalid_argument("a filter does not fit the number of vertices");
}

}  // namespace subiso
