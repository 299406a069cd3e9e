// Pass: sums over triangles, each found once, at its lowest vertex x, as an edge (b, c) between neighbours above x.
//
// Nothing is written per edge or vertex, so this is the quickest look at all triangles there is here.
#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

enum class Ask { kNumber, kDegrees, kAll };

template <Ask kAsk>
class TriangleSums {
 public:
  explicit TriangleSums(const SimpleGraph& graph) : graph_(graph), mark_(graph.num_vertices(), 0) {}

  void operator()(u32 x) {
    const Span list = graph_.above(x);
    if (list.size < 2) return;
    for (std::size_t i = 0; i < list.size; ++i) mark_[list.data[i]] = mark(list.data[i], i);
    if constexpr (kAsk == Ask::kAll) with_highest_.assign(list.size + 1, 0);
    u64 number = 0, degrees = 0, reach = 0;
    for (const u32 b : list) {
      const u64 found = count_row(graph_.above(b), degrees, reach);
      number += found;
      if constexpr (kAsk != Ask::kNumber) degrees += found * (u64{graph_.degree(x)} + graph_.degree(b));
    }
    for (std::size_t i = 0; i < list.size; ++i) {
      const u32 c = list.data[i];
      mark_[c] = 0;
      if constexpr (kAsk == Ask::kAll) {
        degrees += u64{with_highest_[i + 1]} * graph_.degree(c);
        reach += with_highest_[i + 1] * (list.size - i - 1 + graph_.degree_above(c));
      }
    }
    sums.add(kCliques3, number);
    sums.add(kTriangleEnds, 3 * static_cast<Count>(number));
    sums.add(kTriangleDegrees, degrees);
    sums.add(kTailsUp, reach);
  }

  Sums sums;

 private:
  u32 mark(u32 v, std::size_t place) const { return kAsk == Ask::kDegrees ? graph_.degree(v) : static_cast<u32>(place + 1); }

  // The triangles that one neighbour closes. Without branches: which of its own neighbours are marked can't be foreseen.
  u64 count_row(Span further, u64& degrees, u64& reach) {
    u64 found = 0;
    for (std::size_t k = 0; k < further.size; ++k) {
      const u32 marked = mark_[further.data[k]];
      found += marked != 0;
      if constexpr (kAsk == Ask::kDegrees) degrees += marked;
      if constexpr (kAsk == Ask::kAll) {
        ++with_highest_[marked];
        reach += (marked != 0) * (further.size - k - 1);
      }
    }
    return found;
  }

  const SimpleGraph& graph_;
  std::vector<u32> mark_;          // of the neighbours above x: their degree, or their place in the list from 1
  std::vector<u32> with_highest_;  // by place: triangles with x lowest and that one highest; at 0 what is none
};

template <Ask kAsk>
void run(const SimpleGraph& graph, Crew& crew, Sums& sums) {
  crew.over_vertices(
      graph.num_vertices(), [&] { return TriangleSums<kAsk>(graph); }, [&](TriangleSums<kAsk>& done) { sums.add(done.sums); });
}

}  // namespace

void add_triangle_sums(const SimpleGraph& graph, Wanted wanted, Crew& crew, Sums& sums) {
  if (wanted & mask({kTailsUp}))
    run<Ask::kAll>(graph, crew, sums);
  else if (wanted & mask({kTriangleDegrees}))
    run<Ask::kDegrees>(graph, crew, sums);
  else
    run<Ask::kNumber>(graph, crew, sums);
}

}  // namespace subiso::motifs
