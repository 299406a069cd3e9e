// Pass: the triangles of every edge, and how far the vertices of triangles reach above them.
//
// Every vertex x looks for the edges among its neighbours by itself: each triangle is found three times, but no two
// threads write to the same place. An edge (b, c) is read from its lower end, whose upper list is short.
#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

class Triangles {
 public:
  Triangles(const SimpleGraph& graph, EdgeTriangles& triangles)
      : graph_(graph), triangles_(triangles), place_(graph.num_vertices(), 0) {}

  void operator()(u32 x) {
    const Span list = graph_.neighbors(x);
    if (list.size < 2) return;
    const auto degree = static_cast<u32>(list.size), above = graph_.degree_above(x);
    u32* found = triangles_.data() + graph_.begin(x);
    for (u32 i = 0; i < degree; ++i) place_[list.data[i]] = i + 1;
    u64 reach = 0, edges = 0;
    for (u32 i = 0; i < degree; ++i) {
      u32 own = 0;
      for (const u32 c : graph_.above(list.data[i])) {
        const u32 j = place_[c];
        if (j == 0) continue;
        ++own;
        ++found[j - 1];
        reach += std::min(degree - j, above);  // neighbours of x above both x and c
      }
      found[i] += own;
      edges += own;
    }
    for (const u32 b : list) place_[b] = 0;
    sums.add(kTailsUp, reach);
    sums.add(kTriangleEnds, edges);
  }

  Sums sums;

 private:
  const SimpleGraph& graph_;
  EdgeTriangles& triangles_;
  std::vector<u32> place_;  // of a neighbour of x in its list, from 1
};

}  // namespace

EdgeTriangles edge_triangles(const SimpleGraph& graph, Crew& crew, Sums& sums) {
  EdgeTriangles triangles(graph.num_entries(), 0);
  crew.over_vertices(
      graph.num_vertices(), [&] { return Triangles(graph, triangles); }, [&](Triangles& done) { sums.add(done.sums); });
  return triangles;
}

}  // namespace subiso::motifs
