// Which passes the motifs of a size need.
#include "motifs/basis.hpp"

namespace subiso::motifs {

Sums basis(const SimpleGraph& graph, int k, Crew& crew) {
  Sums sums;
  if (k == 3) {
    crew.expect_passes(2);
    add_cliques(graph, 3, crew, sums);
    add_degree_sums(graph, {}, k, crew, sums);
    return sums;
  }
  crew.expect_passes(k == 4 ? 4 : 5);
  const EdgeTriangles triangles = edge_triangles(graph, crew, sums);
  add_degree_sums(graph, triangles, k, crew, sums);
  if (k == 4) {
    add_four_cycles(graph, crew, sums);
    add_cliques(graph, 4, crew, sums);
    return sums;
  }
  add_cycles(graph, triangles, crew, sums);
  add_common_neighbors(graph, triangles, crew, sums);
  add_cliques(graph, 5, crew, sums);
  return sums;
}

}  // namespace subiso::motifs
