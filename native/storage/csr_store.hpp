// The storage interface of the engine, over one CSR per relation. Engines read neighbours through these calls only,
// so that another layout (label-grouped, hashed, versioned) can take this one's place as a template argument.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "setops/setops.hpp"

namespace subiso {

// One relation: sorted distinct neighbours per vertex. Those of v stand from bounds[2v] to bounds[2v + 2]; the ones
// above v begin at bounds[2v + 1]. One array, so that a look at a list costs one cache line.
struct Csr {
  const std::int64_t* bounds = nullptr;
  const std::uint32_t* neighbors = nullptr;
};

class CsrStore {
 public:
  CsrStore(std::uint32_t num_vertices, std::vector<Csr> relations)
      : num_vertices_(num_vertices), relations_(std::move(relations)) {}

  std::uint32_t num_vertices() const { return num_vertices_; }

  Span neighbors(std::uint32_t v, int relation) const {
    const Csr& csr = relations_[static_cast<std::size_t>(relation)];
    return span(csr, csr.bounds[2 * std::size_t{v}], csr.bounds[2 * std::size_t{v} + 2]);
  }
  Span neighbors_above(std::uint32_t v, int relation) const {
    const Csr& csr = relations_[static_cast<std::size_t>(relation)];
    return span(csr, csr.bounds[2 * std::size_t{v} + 1], csr.bounds[2 * std::size_t{v} + 2]);
  }
  Span neighbors_below(std::uint32_t v, int relation) const {
    const Csr& csr = relations_[static_cast<std::size_t>(relation)];
    Span list = span(csr, csr.bounds[2 * std::size_t{v}], csr.bounds[2 * std::size_t{v} + 1]);
    if (list.size != 0 && list.data[list.size - 1] == v) --list.size;  // a self loop
    return list;
  }
  // The number of a list's entry among all entries of the relation; there are `num_entries` of them.
  std::size_t entry_number(const std::uint32_t* entry, int relation) const {
    return static_cast<std::size_t>(entry - relations_[static_cast<std::size_t>(relation)].neighbors);
  }
  std::size_t num_entries(int relation) const {
    return static_cast<std::size_t>(relations_[static_cast<std::size_t>(relation)].bounds[2 * std::size_t{num_vertices_}]);
  }
  bool has_edge(std::uint32_t u, std::uint32_t v, int relation) const {
    const Span list = neighbors(u, relation);
    return std::binary_search(list.begin(), list.end(), v);
  }

 private:
  static Span span(const Csr& csr, std::int64_t begin, std::int64_t end) {
    return {csr.neighbors + begin, static_cast<std::size_t>(end - begin)};
  }

  std::uint32_t num_vertices_;
  std::vector<Csr> relations_;
};

}  // namespace subiso
