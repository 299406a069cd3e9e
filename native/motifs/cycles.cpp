// Pass: four-cycles, the triangles on their edges, and five-cycles, each found at its highest vertex.
//
// For the highest vertex u let c(b) be the number of paths u - a - b below u. Two of them to one b make a four-cycle. A
// five-cycle is an edge (b, b') below u with a path to either end: the sum of c(b) c(b') over edges, less the walks that
// meet themselves. Those with a = b' number c(b') for every neighbour b' of u and every edge at it below u, likewise for
// the other end; both at once happens on every triangle with u on top, which is added again by whoever reads the
// sums; and a = a' is a triangle below u with a corner beside u, which kTailsUp counts.
#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

template <bool kFive>
class Cycles {
 public:
  Cycles(const SimpleGraph& graph, const EdgeTriangles& triangles)
      : graph_(graph), triangles_(triangles), paths_(graph.num_vertices(), 0), weight_(kFive ? graph.num_vertices() : 0, 0) {}

  void operator()(u32 u) {
    // With one side there is no cycle, but the walks from which kTailsUp is taken away are there.
    if (graph_.middle(u) - graph_.begin(u) < (kFive ? 1 : 2)) return;
    lower_degree_.clear();
    for (std::size_t e = graph_.begin(u); e < graph_.middle(u); ++e) spread(u, e);
    if (kFive) add_five(u);
    add_four();
    for (const u32 b : reached_) {
      paths_[b] = 0;
      if (kFive) weight_[b] = 0;
    }
    reached_.clear();
  }

  Sums sums;

 private:
  // All paths u - a - b with a given.
  void spread(u32 u, std::size_t entry) {
    const u32 a = graph_.neighbor(entry);
    std::size_t e = graph_.begin(a);
    const u64 first = kFive ? triangles_[entry] : 0;
    for (u32 b; (b = graph_.neighbor(e)) < u; ++e) {  // u itself ends it
      if (paths_[b]++ == 0) reached_.push_back(b);
      if (kFive) weight_[b] += first + triangles_[e];
    }
    if (kFive) lower_degree_.push_back(static_cast<u32>(e - graph_.begin(a)));
  }

  void add_four() {
    Count cycles = 0, on_edges = 0;
    for (const u32 b : reached_) {
      const u64 paths = paths_[b];
      cycles += static_cast<Count>(paths) * static_cast<Count>(paths - 1);
      if (kFive) on_edges += static_cast<Count>(paths - 1) * static_cast<Count>(weight_[b]);
    }
    sums.add(kCycles4, cycles / 2);
    if (kFive) sums.add(kCycleTriangles, on_edges);
  }

  void add_five(u32 u) {
    Count walks = 0;
    for (const u32 b : reached_) {
      u64 ends = 0;
      for (const u32 c : graph_.above(b)) {
        if (c >= u) break;
        ends += paths_[c];
      }
      walks += static_cast<Count>(ends) * paths_[b];
    }
    const Span list = graph_.below(u);
    for (std::size_t i = 0; i < list.size; ++i) walks -= Count{paths_[list.data[i]]} * lower_degree_[i];
    sums.add(kClosedWalks5, walks);
  }

  const SimpleGraph& graph_;
  const EdgeTriangles& triangles_;
  std::vector<u32> paths_;
  std::vector<u64> weight_;  // over the paths: the triangles of their two edges
  std::vector<u32> reached_;
  std::vector<u32> lower_degree_;  // of u's lower neighbours: how many of their neighbours are below u
};

template <bool kFive>
void run(const SimpleGraph& graph, const EdgeTriangles& triangles, Crew& crew, Sums& sums) {
  crew.over_vertices(
      graph.num_vertices(), [&] { return Cycles<kFive>(graph, triangles); },
      [&](Cycles<kFive>& done) { sums.add(done.sums); });
}

}  // namespace

void add_four_cycles(const SimpleGraph& graph, Crew& crew, Sums& sums) { run<false>(graph, {}, crew, sums); }

void add_cycles(const SimpleGraph& graph, const EdgeTriangles& triangles, Crew& crew, Sums& sums) {
  run<true>(graph, triangles, crew, sums);
}

}  // namespace subiso::motifs
