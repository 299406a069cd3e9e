// What can be read off finished CSR lists: edge ids, where upper halves begin, whether the lists are sound.
#pragma once
#include <cstddef>
#include <cstdint>

#include "graph/buffer.hpp"

namespace subiso {

struct CsrView {
  const std::int64_t* offsets;
  const std::uint32_t* neighbors;
  std::uint32_t num_vertices;
  std::size_t size() const { return static_cast<std::size_t>(offsets[num_vertices]); }
};

// Undirected: first edge id of each vertex, i.e. the running number of neighbours >= the vertex itself.
Buffer<std::int64_t> upper_offsets(const CsrView& csr);

// The edge id of every entry of `csr`. `first_ids[u]` is the id of the first edge whose source is u. `undirected`: an
// entry with neighbour >= v has v as its source; otherwise the neighbour is always the source (in-lists).
template <class Id>
Buffer<Id> entry_edge_ids(const CsrView& csr, const std::int64_t* first_ids, bool undirected);

// The source of every edge by id; for an undirected graph also the target (its neighbours >= v).
void edge_sources(const CsrView& csr, bool undirected, std::uint32_t* src, std::uint32_t* dst);

struct CsrFacts {
  std::size_t loops = 0;
  bool has_parallel = false;
};

// Throws std::invalid_argument when offsets or lists are unsound; `entries` is the length of the neighbours' array.
CsrFacts check_csr(const CsrView& csr, std::size_t entries);
// Throws unless every edge of `out` stands in `in` and the other way round (the same lists: is it symmetric?).
void check_transposed(const CsrView& out, const CsrView& in);

}  // namespace subiso
