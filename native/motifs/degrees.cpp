// Pass: everything that follows from degrees and from the triangles of edges and vertices, in one look at every list.
#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

class Degrees {
 public:
  Degrees(const SimpleGraph& graph, const EdgeTriangles& triangles, const std::vector<u64>& at_vertex, int k)
      : graph_(graph), triangles_(triangles), at_vertex_(at_vertex), k_(k) {}

  void operator()(u32 v) {
    const Count d = graph_.degree(v);
    sums.add(kStars2, choose2(d));
    if (k_ == 3) return;
    sums.add(kStars3, choose3(d));
    add_paths(v);
    const Count t = static_cast<Count>(at_vertex_[v]);
    sums.add(kTriangleDegrees, t * d);
    if (k_ == 5) {
      sums.add(kStars4, choose4(d));
      sums.add(kTrianglePairs, t * choose2(d - 2));
      sums.add(kTriangleMeetings, choose2(t));
      add_edges(v);
    }
    add_books(v);
  }

  Sums sums;

 private:
  void add_paths(u32 v) {
    Count all = 0, squares = 0, up = 0;
    for (const u32 b : graph_.neighbors(v)) {
      const Count further = Count{graph_.degree(b)} - 1;
      all += further;
      squares += further * further;
      if (b > v) up += further;
    }
    const Count own = Count{graph_.degree(v)} - 1;
    sums.add(kPaths, own * up);
    sums.add(kSpiders, choose2(own) * all);
    sums.add(kLongPaths, (all * all - squares) / 2);
  }

  void add_edges(u32 v) {
    const Count d = graph_.degree(v), at_v = static_cast<Count>(at_vertex_[v]);
    for (std::size_t e = graph_.begin(v); e < graph_.end(v); ++e) {
      const Count t = triangles_[e], other = graph_.degree(graph_.neighbor(e));
      sums.add(kTails, (at_v - t) * (other - 1));
      if (e >= graph_.middle(v) && t != 0) {
        sums.add(kBulls, t * (d - 2) * (other - 2));
        sums.add(kDarts, choose2(t) * (d + other - 6));
        sums.add(kBooks3, choose3(t));
      }
    }
  }

  void add_books(u32 v) {
    Count books = 0;
    for (std::size_t e = graph_.middle(v); e < graph_.end(v); ++e) books += choose2(triangles_[e]);
    sums.add(kBooks2, books);
  }

  const SimpleGraph& graph_;
  const EdgeTriangles& triangles_;
  const std::vector<u64>& at_vertex_;
  const int k_;
};

}  // namespace

void add_degree_sums(const SimpleGraph& graph, const EdgeTriangles& triangles, int k, Crew& crew, Sums& sums) {
  std::vector<u64> at_vertex(k == 3 ? 0 : graph.num_vertices());
  for (u32 v = 0; v < at_vertex.size(); ++v) {
    for (std::size_t e = graph.begin(v); e < graph.end(v); ++e) at_vertex[v] += triangles[e];
    at_vertex[v] /= 2;
  }
  crew.over_vertices(
      graph.num_vertices(), [&] { return Degrees(graph, triangles, at_vertex, k); },
      [&](Degrees& done) { sums.add(done.sums); });
}

}  // namespace subiso::motifs
