// The storage interface of the engine, over one CSR per relation. Engines read neighbours through these calls only,
// so that another layout (label-grouped, hashed, versioned) can take this one's place as a template argument.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "setops/setops.hpp"

namespace subiso {

// One relation: sorted distinct neighbours per vertex. `split[v]` is the position of the first neighbour > v.
struct Csr {
  const std::int64_t* offsets = nullptr;
  const std::uint32_t* neighbors = nullptr;
  const std::int64_t* split = nullptr;
};

class CsrStore {
 public:
  CsrStore(std::uint32_t num_vertices, std::vector<Csr> relations)
      : num_vertices_(num_vertices), relations_(std::move(relations)) {}

  std::uint32_t num_vertices() const { return num_vertices_; }

  Span neighbors(std::uint32_t v, int relation) const {
    const Csr& csr = relations_[static_cast<std::size_t>(relation)];
    return span(csr, csr.offsets[v], csr.offsets[v + 1]);
  }
  Span neighbors_above(std::uint32_t v, int relation) const {
    const Csr& csr = relations_[static_cast<std::size_t>(relation)];
    return span(csr, csr.split[v], csr.offsets[v + 1]);
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
