// Which passes the wanted sums need.
#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

constexpr Wanted kFromTriangles = mask({kCliques3, kTriangleEnds, kTriangleDegrees, kTailsUp});
constexpr Wanted kFromDegrees = mask({kStars2, kStars3, kStars4, kPaths, kSpiders, kLongPaths});
constexpr Wanted kFromBooks = mask({kBooks2, kBooks3, kBulls, kDarts});
constexpr Wanted kFromVertices = mask({kTrianglePairs, kTriangleMeetings, kTails});
constexpr Wanted kFromAfter = mask({kFans, kKites});
constexpr Wanted kFromCycles = mask({kCycles4, kCycleTriangles, kClosedWalks5});
constexpr Wanted kFromCommon = mask({kCommon3, kWheels, kSpokes, kCliqueDegrees, kCliqueBooks, kCliquePairs});

// Whether to look at the shorter list of every edge takes less time than to find every triangle and note its edges.
bool books_pay(const SimpleGraph& graph) {
  double lists = 0, closing = 0;
  for (u32 v = 0; v < graph.num_vertices(); ++v) {
    const double up = graph.degree_above(v), all = graph.degree(v);
    lists += up * all;
    closing += up * (all - up);
  }
  return lists < 3 * closing + 12 * static_cast<double>(graph.num_entries());
}

}  // namespace

Sums basis(const SimpleGraph& graph, Wanted wanted, Crew& crew) {
  const auto asked = [wanted](Wanted some) { return (wanted & some) != 0; };
  const bool common = asked(kFromCommon), both_ends = common || asked(mask({kCycleTriangles}));
  const bool by_edge = both_ends || asked(kFromVertices | kFromAfter) || (asked(kFromBooks) && !books_pay(graph));
  const bool edge_sums = by_edge && asked(kFromBooks | kFromVertices | mask({kTriangleDegrees}));
  const bool books = !by_edge && asked(kFromBooks), alone = !by_edge && asked(kFromTriangles);
  // A look at all cycles weighs one thing. What hangs on them comes with common neighbours, if those are looked at anyway.
  const bool tails = asked(mask({kSquareDegrees})) && !common, twice = tails && asked(mask({kCycleTriangles}));
  const bool cycles = tails || asked(kFromCycles);
  const bool clique_edges = asked(mask({kCliqueEdges})) && !common;  // else they come with common neighbours
  const bool cliques = clique_edges || asked(mask({kCliques4, kCliques5}));
  crew.expect_passes(by_edge + both_ends + edge_sums + books + alone + asked(kFromDegrees) + asked(kFromAfter) + cycles + twice +
                     common + cliques);
  crew.expect_entries(graph.num_entries());
  Sums sums;
  EdgeTriangles triangles;
  if (by_edge) triangles = edge_triangles(graph, both_ends, crew, sums);
  if (crew.stopped()) return sums;
  if (edge_sums) add_edge_sums(graph, triangles, wanted, crew, sums);
  if (books) add_books(graph, wanted, crew, sums);
  if (alone) add_triangle_sums(graph, wanted, crew, sums);
  if (asked(kFromDegrees)) add_degree_sums(graph, wanted, crew, sums);
  if (asked(kFromAfter)) add_after_triangles(graph, triangles, crew, sums);
  const Wanted of_cycles = tails && !twice ? kFromCycles | mask({kSquareDegrees}) : kFromCycles;
  if (cycles) add_cycles(graph, triangles, wanted & of_cycles, crew, sums);
  if (twice) {
    Sums again;
    add_cycles(graph, triangles, mask({kSquareDegrees}), crew, again);
    sums.add_one(kSquareDegrees, again);
  }
  if (common) add_common_neighbors(graph, triangles, crew, sums);
  if (cliques) add_cliques(graph, asked(mask({kCliques5})) ? 5 : 4, crew, sums);
  if (clique_edges) sums.add(kCliqueEdges, 6 * sums[kCliques4]);
  return sums;
}

}  // namespace subiso::motifs
