// Pass: sums over edges and their triangles that need no other edge's triangles, so that none are kept.
//
// An edge is looked at from its upper end v, whose neighbours are marked: those of the lower end, which has the shorter
// list, are counted among them.
#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

class Books {
 public:
  Books(const SimpleGraph& graph, Wanted wanted)
      : graph_(graph), five_((wanted & mask({kBooks3, kBulls, kDarts})) != 0), marked_(graph.num_vertices(), 0) {}

  void operator()(u32 v) {
    const Span below = graph_.below(v);
    if (below.size == 0 || graph_.degree(v) < 2) return;
    for (const u32 w : graph_.neighbors(v)) marked_[w] = 1;
    Count books = 0;
    for (const u32 u : below) {
      const u64 t = triangles(u);
      books += static_cast<Count>(t * (t - 1) / 2);
      if (five_) add_edge(sums, t, graph_.degree(u), graph_.degree(v));
    }
    for (const u32 w : graph_.neighbors(v)) marked_[w] = 0;
    sums.add(kBooks2, books);
  }

  Sums sums;

 private:
  // Of the edge between u and v.
  u64 triangles(u32 u) const {
    u64 found = 0;
    for (const u32 w : graph_.neighbors(u)) found += marked_[w];
    return found;
  }

  const SimpleGraph& graph_;
  const bool five_;  // sums for patterns of five vertices, too
  std::vector<std::uint8_t> marked_;  // the neighbours of v
};

}  // namespace

void add_books(const SimpleGraph& graph, Wanted wanted, Crew& crew, Sums& sums) {
  crew.over_vertices(
      graph.num_vertices(), [&] { return Books(graph, wanted); }, [&](Books& done) { sums.add(done.sums); });
}

}  // namespace subiso::motifs
