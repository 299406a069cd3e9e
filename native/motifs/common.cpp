// Pass: all pairs x < y with common neighbours, seen from x, the end of lower degree.
//
// For every y the common neighbours inside the neighbourhood of x are a bitmap over the members of that neighbourhood: few
// words, as x has the lower degree. There are at most 2m / d(x) vertices above x, so all bitmaps of one x together take about
// m / 32 words. A common neighbour h is joined to l others of them: that is what wheels, near-cliques and, where x
// and y are joined themselves, four-cliques are made of.
#include "motifs/neighborhood.hpp"

namespace subiso::motifs {
namespace {

class Common {
 public:
  Common(const SimpleGraph& graph, const EdgeTriangles& triangles)
      : graph_(graph), around_(graph, triangles), common_(graph.num_vertices(), 0) {}

  void operator()(u32 x) {
    if (graph_.degree(x) < 2) return;
    around_.enter(x, [](std::size_t, std::size_t) {});
    const std::size_t needed = std::size_t{graph_.num_vertices() - x - 1} * around_.words();
    if (sets_.size() < needed) sets_.resize(needed, 0);
    for (const u32 h : graph_.neighbors(x)) spread(x, h);
    for (const u32 y : reached_) {
      if (common_[y] > 1) add_pair(x, y);
      common_[y] = 0;
      std::fill_n(set_of(x, y), around_.words(), 0);
    }
    reached_.clear();
    around_.leave();
  }

  Sums sums;

 private:
  u64* set_of(u32 x, u32 y) { return sets_.data() + std::size_t{y - x - 1} * around_.words(); }

  // All y above x on the other side of h.
  void spread(u32 x, u32 h) {
    const Span list = graph_.neighbors(h);
    const u32* first = std::upper_bound(list.begin(), list.end(), x);
    for (const u32* y = first; y != list.end(); ++y)
      if (common_[*y]++ == 0) reached_.push_back(*y);
    if (const u32 place = around_.place(h); place != 0) {
      const std::size_t words = around_.words();
      u64* sets = sets_.data() + (place - 1) / 64;
      const u64 bit = u64{1} << (place - 1) % 64;
      for (const u32* y = first; y != list.end(); ++y) sets[std::size_t{*y - x - 1} * words] |= bit;
    }
  }

  void add_pair(u32 x, u32 y) {
    const Count c = common_[y], degrees = Count{graph_.degree(x)} + graph_.degree(y);
    sums.add(kSquareDegrees, choose2(c) * (degrees - 4));
    if (c > 2) sums.add(kCommon3, choose3(c));
    const u64* set = set_of(x, y);
    u64 joined = 0, wedges = 0;  // among the common neighbours: twice their edges, and pairs of edges that meet
    for (std::size_t w = 0; w < around_.words(); ++w)
      for (u64 left = set[w]; left != 0; left &= left - 1) {
        const u64 l = around_.joined(w * 64 + static_cast<std::size_t>(std::countr_zero(left)), set);
        joined += l;
        wedges += l * (l - 1) / 2;
      }
    if (joined == 0) return;
    sums.add(kWheels, wedges);
    sums.add(kSpokes, (c - 2) * static_cast<Count>(joined));
    if (around_.place(y) == 0) return;
    const Count cliques = static_cast<Count>(joined / 2);
    sums.add(kCliqueEdges, cliques);
    sums.add(kCliqueDegrees, cliques * (degrees - 6));
    sums.add(kCliqueBooks, cliques * (c - 2));
    sums.add(kCliquePairs, wedges);
  }

  const SimpleGraph& graph_;
  Neighborhood around_;
  std::vector<u32> common_, reached_;
  std::vector<u64> sets_;
};

}  // namespace

void add_common_neighbors(const SimpleGraph& graph, const EdgeTriangles& triangles, Crew& crew, Sums& sums) {
  crew.over_vertices(
      graph.num_vertices(), [&] { return Common(graph, triangles); }, [&](Common& done) { sums.add(done.sums); });
}

}  // namespace subiso::motifs
