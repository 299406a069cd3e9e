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

// What is added up over the four-cycles: the triangles of their edges, or what hangs on their vertices.
enum class Weigh { kNothing, kTriangles, kTails };

template <Weigh kWeigh, bool kFive>
class Cycles {
 public:
  Cycles(const SimpleGraph& graph, const EdgeTriangles& triangles)
      : graph_(graph), triangles_(triangles), paths_(graph.num_vertices(), 0), weight_(kWeights ? graph.num_vertices() : 0, 0) {}

  void operator()(u32 u) {
    // With one side there is no cycle, but the walks from which kTailsUp is taken away are there.
    if (graph_.middle(u) - graph_.begin(u) < (kFive ? 1 : 2)) return;
    lower_degree_.clear();
    for (std::size_t e = graph_.begin(u); e < graph_.middle(u); ++e) spread(u, e);
    if (kFive) add_five(u);
    add_four(u);
    for (const u32 b : reached_) {
      paths_[b] = 0;
      if (kWeights) weight_[b] = 0;
    }
    reached_.clear();
  }

  Sums sums;

 private:
  static constexpr bool kWeights = kWeigh != Weigh::kNothing;

  // All paths u - a - b with a given.
  void spread(u32 u, std::size_t entry) {
    const u32 a = graph_.neighbor(entry);
    std::size_t e = graph_.begin(a);
    const u64 first = kWeigh == Weigh::kTriangles ? triangles_[entry] : u64{graph_.degree(a)} - 2;
    for (u32 b; (b = graph_.neighbor(e)) < u; ++e) {  // u itself ends it
      if (paths_[b]++ == 0) reached_.push_back(b);
      if (kWeights) weight_[b] += kWeigh == Weigh::kTriangles ? first + triangles_[e] : first;
    }
    if (kFive) lower_degree_.push_back(static_cast<u32>(e - graph_.begin(a)));
  }

  void add_four(u32 u) {
    Count cycles = 0, weights = 0;
    for (const u32 b : reached_) {
      const u64 paths = paths_[b];
      cycles += static_cast<Count>(paths) * static_cast<Count>(paths - 1);
      if (kWeights) weights += static_cast<Count>(paths - 1) * static_cast<Count>(weight_[b]);
      if (kWeigh == Weigh::kTails) weights += choose2(static_cast<Count>(paths)) * (Count{graph_.degree(u)} + graph_.degree(b) - 4);
    }
    sums.add(kCycles4, cycles / 2);
    if (kWeights) sums.add(kWeigh == Weigh::kTriangles ? kCycleTriangles : kSquareDegrees, weights);
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
  std::vector<u64> weight_;  // over the paths to a vertex: the triangles of their two edges, or what else hangs on their middle
  std::vector<u32> reached_;
  std::vector<u32> lower_degree_;  // of u's lower neighbours: how many of their neighbours are below u
};

template <Weigh kWeigh, bool kFive>
void run(const SimpleGraph& graph, const EdgeTriangles& triangles, Crew& crew, Sums& sums) {
  using Pass = Cycles<kWeigh, kFive>;
  crew.over_vertices(
      graph.num_vertices(), [&] { return Pass(graph, triangles); }, [&](Pass& done) { sums.add(done.sums); });
}

}  // namespace

void add_cycles(const SimpleGraph& graph, const EdgeTriangles& triangles, Wanted wanted, Crew& crew, Sums& sums) {
  const bool five = (wanted & mask({kClosedWalks5})) != 0;
  auto pass = five ? run<Weigh::kNothing, true> : run<Weigh::kNothing, false>;
  if (wanted & mask({kCycleTriangles}))
    pass = five ? run<Weigh::kTriangles, true> : run<Weigh::kTriangles, false>;
  else if (wanted & mask({kSquareDegrees}))
    pass = five ? run<Weigh::kTails, true> : run<Weigh::kTails, false>;
  pass(graph, triangles, crew, sums);
}

}  // namespace subiso::motifs
