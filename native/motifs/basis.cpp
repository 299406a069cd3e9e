// Which passes the wanted sums need.
#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

constexpr Wanted kFromTriangles = mask({kCliques3, kTriangleEnds, kTriangleDegrees, kTailsUp});
constexpr Wanted kFromDegrees = mask({kStars2, kStars3, kStars4, kPaths, kSpiders, kLongPaths});
constexpr Wanted kFromEdges = mask({kBooks2, kBooks3, kBulls, kDarts, kTrianglePairs, kTriangleMeetings, kTails});
constexpr Wanted kFromAfter = mask({kFans, kKites});
constexpr Wanted kFromCycles = mask({kCycles4, kCycleTriangles, kClosedWalks5, kSquareDegrees});
constexpr Wanted kFromCommon = mask({kCommon3, kWheels, kSpokes, kCliqueDegrees, kCliqueBooks, kCliquePairs});

}  // namespace

Sums basis(const SimpleGraph& graph, Wanted wanted, Crew& crew) {
  const auto asked = [wanted](Wanted some) { return (wanted & some) != 0; };
  // Cycles add up one thing at a time: what hangs on them comes with common neighbours if those are looked at anyway, or must be.
  const bool two_things = asked(mask({kSquareDegrees})) && asked(mask({kCycleTriangles}));
  const bool common = asked(kFromCommon) || two_things, both_ends = common || asked(mask({kCycleTriangles}));
  const bool by_edge = both_ends || asked(kFromEdges | kFromAfter), alone = !by_edge && asked(kFromTriangles);
  const bool edge_sums = by_edge && asked(kFromEdges | mask({kTriangleDegrees}));
  const Wanted of_cycles = wanted & kFromCycles & ~(common ? mask({kSquareDegrees}) : 0);
  const bool cycles = of_cycles != 0;
  const bool clique_edges = asked(mask({kCliqueEdges})) && !common;  // else they come with common neighbours
  const bool cliques = clique_edges || asked(mask({kCliques4, kCliques5}));
  crew.expect_passes(by_edge + both_ends + edge_sums + alone + asked(kFromDegrees) + asked(kFromAfter) + cycles + common + cliques);
  Sums sums;
  EdgeTriangles triangles;
  if (by_edge) triangles = edge_triangles(graph, both_ends, crew, sums);
  if (edge_sums) add_edge_sums(graph, triangles, wanted, crew, sums);
  if (alone) add_triangle_sums(graph, wanted, crew, sums);
  if (asked(kFromDegrees)) add_degree_sums(graph, wanted, crew, sums);
  if (asked(kFromAfter)) add_after_triangles(graph, triangles, crew, sums);
  if (cycles) add_cycles(graph, triangles, of_cycles, crew, sums);
  if (common) add_common_neighbors(graph, triangles, crew, sums);
  if (cliques) add_cliques(graph, asked(mask({kCliques5})) ? 5 : 4, crew, sums);
  if (clique_edges) sums.add(kCliqueEdges, 6 * sums[kCliques4]);
  return sums;
}

}  // namespace subiso::motifs
