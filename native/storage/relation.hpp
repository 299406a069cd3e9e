// Builds the CSR of one relation from a graph's adjacency: renumbered, restricted to fitting edges, sorted.
#pragma once
#include <cstdint>
#include <vector>

#include "storage/csr_store.hpp"

namespace subiso {

// A graph's adjacency as the graph keeps it. `edge_ids` and `edge_fits` (by edge id) may be null: every edge fits.
struct AdjacencyView {
  const std::int64_t* offsets;
  const std::uint32_t* neighbors;
  const std::uint32_t* edge_ids;
  const std::uint8_t* edge_fits;
};

struct RelationCsr {
  std::vector<std::int64_t> offsets;  // while building, and for relations with edge ids
  std::vector<std::int64_t> bounds;   // as in storage/csr_store.hpp
  std::vector<std::uint32_t> neighbors;
  std::vector<std::uint32_t> edge_ids;  // only where asked for: parallel entries are then kept
};

// vertex -> rank, vertices sorted by (degree, id); `degree[v]` counts all edges at v.
std::vector<std::uint32_t> degree_ranks(const std::vector<std::int64_t>& degree);

// The neighbours of rank[v] in the result are rank[u] for every fitting entry u that `reverse` lists v under: to get
// lists of out-neighbours, pass the in-adjacency. With two views their union is taken. Lists come out sorted without
// sorting: targets are dealt in increasing rank.
RelationCsr build_relation(const std::vector<AdjacencyView>& reverse, const std::uint32_t* rank,
                           const std::uint32_t* vertex_at, std::uint32_t num_vertices, bool keep_edge_ids);

// Sums over the edges between a vertex and its neighbours on one side of it (above or below in the total order).
struct SideSums {
  double edges = 0;
  double squares = 0;  // of the number of neighbours on that side
  double reached = 0;  // neighbours of the edge's other end
  double beyond = 0;   // ... that lie further on that side
};
struct DegreeSums {
  double squares = 0;  // of the degrees
  SideSums above, below;
};
DegreeSums degree_sums(const CsrStore& store);

}  // namespace subiso
