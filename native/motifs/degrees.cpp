// Passes: what follows from degrees, and from the triangles of edges and vertices, in one look at every list.
#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

class Degrees {
 public:
  Degrees(const SimpleGraph& graph, Wanted wanted)
      : graph_(graph), paths_((wanted & mask({kPaths, kSpiders, kLongPaths})) != 0) {}

  void operator()(u32 v) {
    const Count d = graph_.degree(v);
    sums.add(kStars2, choose2(d));
    sums.add(kStars3, choose3(d));
    sums.add(kStars4, choose4(d));
    if (paths_) add_paths(v);
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

  const SimpleGraph& graph_;
  const bool paths_;
};

class Edges {
 public:
  Edges(const SimpleGraph& graph, const EdgeTriangles& triangles, const std::vector<u64>& at_vertex, Wanted wanted)
      : graph_(graph),
        triangles_(triangles),
        at_vertex_(at_vertex),
        five_((wanted & mask({kBooks3, kBulls, kDarts, kTrianglePairs, kTriangleMeetings, kTails})) != 0) {}

  void operator()(u32 v) {
    if (five_) add_vertex(v);
    const Count d = graph_.degree(v);
    Count degrees = 0, books = 0;
    for (std::size_t e = graph_.middle(v); e < graph_.end(v); ++e) {
      const Count t = triangles_[e], other = graph_.degree(graph_.neighbor(e));
      if (five_) add_edge(v, e);
      degrees += t * (d + other);
      books += choose2(t);
    }
    twice_degrees += degrees;
    sums.add(kBooks2, books);
  }

  Sums sums;
  Count twice_degrees = 0;  // every triangle has its degrees counted along two edges each

 private:
  void add_vertex(u32 v) {
    const Count d = graph_.degree(v), t = static_cast<Count>(at_vertex_[v]);
    sums.add(kTrianglePairs, t * choose2(d - 2));
    sums.add(kTriangleMeetings, choose2(t));
  }

  void add_edge(u32 v, std::size_t e) {
    const u32 w = graph_.neighbor(e);
    const Count t = triangles_[e], d = graph_.degree(v), other = graph_.degree(w);
    sums.add(kTails, (static_cast<Count>(at_vertex_[v]) - t) * (other - 1) + (static_cast<Count>(at_vertex_[w]) - t) * (d - 1));
    motifs::add_edge(sums, t, d, other);
  }

  const SimpleGraph& graph_;
  const EdgeTriangles& triangles_;
  const std::vector<u64>& at_vertex_;
  const bool five_;
};

std::vector<u64> triangles_at_vertices(const SimpleGraph& graph, const EdgeTriangles& triangles) {
  std::vector<u64> at(graph.num_vertices());
  for (u32 v = 0; v < graph.num_vertices(); ++v)
    for (std::size_t e = graph.middle(v); e < graph.end(v); ++e) {
      if (triangles[e] == 0) continue;
      at[v] += triangles[e];
      at[graph.neighbor(e)] += triangles[e];
    }
  for (u64& t : at) t /= 2;
  return at;
}

}  // namespace

void add_degree_sums(const SimpleGraph& graph, Wanted wanted, Crew& crew, Sums& sums) {
  crew.over_vertices(
      graph.num_vertices(), [&] { return Degrees(graph, wanted); }, [&](Degrees& done) { sums.add(done.sums); });
}

void add_edge_sums(const SimpleGraph& graph, const EdgeTriangles& triangles, Wanted wanted, Crew& crew, Sums& sums) {
  const bool by_vertex = (wanted & mask({kTrianglePairs, kTriangleMeetings, kTails})) != 0;
  const auto at_vertex = by_vertex ? triangles_at_vertices(graph, triangles) : std::vector<u64>(graph.num_vertices());
  Count twice_degrees = 0;
  crew.over_vertices(
      graph.num_vertices(), [&] { return Edges(graph, triangles, at_vertex, wanted); },
      [&](Edges& done) {
        sums.add(done.sums);
        twice_degrees += done.twice_degrees;
      });
  sums.add(kTriangleDegrees, twice_degrees / 2);
}

}  // namespace subiso::motifs
