// Named 128-bit sums, the basis that motif counts are computed from. Every thread has its own; overflow is noted.
#pragma once
#include <array>
#include <cstddef>

#include "engine/scheduler.hpp"
#include "engine/terms.hpp"
#include "motifs/graph.hpp"

namespace subiso::motifs {

// Below: d degrees, t triangles (of a vertex or an edge), k four-cliques (of an edge or a triangle), c common neighbours of a pair.
enum Sum {
  kStars2, kStars3, kStars4,    // over vertices: C(d, 2), C(d, 3), C(d, 4)
  kPaths,                       // over edges: (d - 1)(d' - 1)
  kSpiders,                     // over ordered edges (u, v): C(d_u - 1, 2)(d_v - 1)
  kLongPaths,                   // over vertices: pairs of neighbours b, b': (d_b - 1)(d_b' - 1)
  kTriangleEnds,                // over vertices: t, three times the triangles
  kTriangleDegrees,             // over vertices: t d
  kTrianglePairs,               // over vertices: t C(d - 2, 2)
  kTriangleMeetings,            // over vertices: C(t, 2)
  kBooks2, kBooks3,             // over edges: C(t, 2), C(t, 3)
  kBulls,                       // over edges: t (d - 2)(d' - 2)
  kTails,                       // over ordered edges (u, v): (t_u - t_uv)(d_v - 1)
  kDarts,                       // over edges: C(t, 2)(d + d' - 6)
  kCycles4,                     // four-cycles
  kCycleTriangles,              // over four-cycles and their edges: t
  kClosedWalks5,                // see cycles.cpp: five-cycles before the walks that meet themselves are taken away
  kTailsUp,                     // over triangles and their vertices a: neighbours of a above the whole triangle
  kSquareDegrees,               // over pairs: C(c, 2)(d + d' - 4)
  kCommon3,                     // over pairs: C(c, 3)
  kFans,                        // over triangles and their vertices: (t - 1)(t' - 1) of the edges that meet there
  kKites,                       // over triangles and their vertices: (d - 2)(t - 1) of the vertex and the edge opposite
  kWheels,                      // over pairs and h in common: C(l, 2), l = the common neighbours of all three
  kSpokes,                      // over pairs: (c - 2) times the sum of l over h
  kCliqueEdges,                 // over edges: k
  kCliqueDegrees,               // over edges: k (d + d' - 6)
  kCliqueBooks,                 // over edges: k (t - 2)
  kCliquePairs,                 // over triangles, three times each: C(k, 2)
  kCliques3, kCliques4, kCliques5,
  kSums
};

// As Python calls them, in the same order.
inline constexpr const char* kSumNames[] = {
    "stars2", "stars3", "stars4", "paths", "spiders", "long_paths", "triangle_ends", "triangle_degrees",
    "triangle_pairs", "triangle_meetings", "books2", "books3", "bulls", "tails", "darts", "cycles4",
    "cycle_triangles", "closed_walks5", "tails_up", "square_degrees", "common3", "fans", "kites", "wheels",
    "spokes", "clique_edges", "clique_degrees", "clique_books", "clique_pairs", "cliques3", "cliques4",
    "cliques5"};
static_assert(sizeof(kSumNames) / sizeof(*kSumNames) == kSums);

class Sums {
 public:
  void add(Sum which, Count part) { add_to(part, values_[which], overflow_); }
  void add(const Sums& other) {
    for (int i = 0; i < kSums; ++i) add(static_cast<Sum>(i), other.values_[static_cast<std::size_t>(i)]);
    overflow_ |= other.overflow_;
  }
  void add_one(Sum which, const Sums& other) {
    add(which, other[which]);
    overflow_ |= other.overflow_;
  }
  Count operator[](Sum which) const { return values_[which]; }
  bool overflow() const { return overflow_; }

 private:
  std::array<Count, kSums> values_{};
  bool overflow_ = false;
};

inline Count choose2(Count n) { return n < 2 ? 0 : n * (n - 1) / 2; }
inline Count choose3(Count n) { return n < 3 ? 0 : choose2(n) * (n - 2) / 3; }
inline Count choose4(Count n) { return n < 4 ? 0 : choose3(n) * (n - 3) / 4; }

// What an edge with t triangles between vertices of these degrees adds to the sums for five vertices.
inline void add_edge(Sums& sums, Count t, Count degree, Count other) {
  if (t == 0) return;
  sums.add(kBooks3, choose3(t));
  sums.add(kBulls, t * (degree - 2) * (other - 2));
  sums.add(kDarts, choose2(t) * (degree + other - 6));
}

}  // namespace subiso::motifs
