// The tally of coloured motifs. What can be multiplied is: wedges, claws, paths and tails come from histograms of colours,
// less the ways in which two vertices fall together, which are triangles; cycles, diamonds and cliques from lists of common neighbours.
#include "motifs/colored.hpp"

#include <algorithm>

#include "motifs/colors.hpp"
#include "motifs/neighborhood.hpp"

namespace subiso::motifs {
namespace {

struct Input {
  const SimpleGraph& graph;
  const EdgeTriangles& triangles;
  const NeighborColors& around;
  const u32* color;
  u32 colors;
  int k;
};

class Colored {
 public:
  explicit Colored(const Input& in)
      : tally(in.colors, kShapes),
        in_(in),
        hood_(in.graph, in.triangles),
        histogram_(in.colors),
        paths_(in.k == 4 ? in.graph.num_vertices() : 0) {}

  void operator()(u32 v) {
    if (in_.graph.degree(v) == 0) return;
    if (in_.k == 3) {
      add_wedges(v);
      hood_.enter(v, [&](std::size_t i, std::size_t j) {
        if (hood_.member(i) > v && hood_.member(j) > v) put(kTriangle, v, hood_.member(i), hood_.member(j));
      });
      hood_.leave();
      return;
    }
    add_claws(v);
    for (const u32 w : in_.graph.above(v)) add_paths(v, w);
    pairs_.clear();
    hood_.enter(v, [&](std::size_t i, std::size_t j) { add_triangle(v, hood_.member(i), hood_.member(j)); });
    add_tails(v);
    for (std::size_t i = 0; i < hood_.size(); ++i) {
      if (hood_.member(i) < v) continue;
      add_diamonds(v, i);
      add_cliques(v, i);
    }
    hood_.leave();
    add_cycles(v);
  }

  Tally tally;

 private:
  u32 color(u32 v) const { return in_.color[v]; }
  void put(Shape shape, u32 a, u32 b, u32 c) { tally.add(shape, color(a), color(b), color(c), 0, 1); }

  // Calls f(color, color', pairs) for every choice of two out of a histogram.
  template <class F>
  static void pairs_of(std::span<const ColorCount> counts, const F& f) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i].count > 1) f(counts[i].color, counts[i].color, choose2(counts[i].count));
      for (std::size_t j = i + 1; j < counts.size(); ++j)
        f(counts[i].color, counts[j].color, Count{counts[i].count} * counts[j].count);
    }
  }

  void add_wedges(u32 v) {
    pairs_of(in_.around.of(v), [&](u32 a, u32 b, Count n) { tally.add(kWedge, color(v), a, b, 0, n); });
  }

  void add_claws(u32 v) {
    const auto counts = in_.around.of(v);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto [a, n] = counts[i];
      if (n > 2) tally.add(kClaw, color(v), a, a, a, choose3(n));
      if (n > 1)
        for (std::size_t j = 0; j < counts.size(); ++j)
          if (j != i) tally.add(kClaw, color(v), a, a, counts[j].color, choose2(n) * counts[j].count);
      pairs_of_different(counts.subspan(i + 1), [&](u32 b, u32 c, Count m) { tally.add(kClaw, color(v), a, b, c, Count{n} * m); });
    }
  }

  template <class F>
  static void pairs_of_different(std::span<const ColorCount> counts, const F& f) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      for (std::size_t j = i + 1; j < counts.size(); ++j)
        f(counts[i].color, counts[j].color, Count{counts[i].count} * counts[j].count);
  }

  // Paths with the middle edge (b, c); where the ends are one vertex it is a triangle, see add_triangle.
  void add_paths(u32 b, u32 c) {
    for (const auto& [first, n] : in_.around.of(b)) {
      const Count left = Count{n} - (first == color(c));
      if (left == 0) continue;
      for (const auto& [last, m] : in_.around.of(c)) tally.add(kPath, first, color(b), color(c), last, left * (Count{m} - (last == color(b))));
    }
  }

  // A triangle as v sees it: v is no two ends of a path along (a, b); and a colour pair that tails hang on.
  void add_triangle(u32 v, u32 a, u32 b) {
    tally.add(kPath, color(v), std::min(color(a), color(b)), std::max(color(a), color(b)), color(v), -1);
    pairs_.push_back(u64{std::min(color(a), color(b))} << 32 | std::max(color(a), color(b)));
  }

  // Triangles at v with a neighbour of v that is not in them.
  void add_tails(u32 v) {
    std::sort(pairs_.begin(), pairs_.end());
    for (std::size_t i = 0, end = 0; i < pairs_.size(); i = end) {
      while (end < pairs_.size() && pairs_[end] == pairs_[i]) ++end;
      const Count n = static_cast<Count>(end - i);
      const u32 a = static_cast<u32>(pairs_[i] >> 32), b = static_cast<u32>(pairs_[i]);
      for (const auto& [tail, m] : in_.around.of(v)) tally.add(kTailed, tail, color(v), a, b, n * (Count{m} - (tail == a) - (tail == b)));
    }
  }

  void add_diamonds(u32 v, std::size_t i) {
    for (const u32 j : hood_.list(i)) histogram_.add(color(hood_.member(j)));
    pairs_of(histogram_.take(), [&](u32 a, u32 b, Count n) { tally.add(kDiamond, color(v), color(hood_.member(i)), a, b, n); });
  }

  // Cliques with v lowest, then i, then two of their common neighbours above i that are joined.
  void add_cliques(u32 v, std::size_t i) {
    marked_.resize(std::max(marked_.size(), hood_.size()), 0);
    for (const u32 j : hood_.list(i)) marked_[j] = j > i;
    for (const u32 j : hood_.list(i)) {
      if (j < i) continue;
      for (const u32 h : hood_.list(j))
        if (h > j && marked_[h]) {
          std::array<u32, 4> c{color(v), color(hood_.member(i)), color(hood_.member(j)), color(hood_.member(h))};
          std::sort(c.begin(), c.end());
          tally.add(kClique, c[0], c[1], c[2], c[3], 1);
        }
    }
    for (const u32 j : hood_.list(i)) marked_[j] = 0;
  }

  // Cycles with u highest: the paths u - a - b below u, sorted by b; any two to one b make a cycle.
  void add_cycles(u32 u) {
    std::size_t total = 0;
    for (const u32 a : in_.graph.below(u))
      for (const u32 b : in_.graph.neighbors(a)) {
        if (b >= u) break;
        if (paths_[b]++ == 0) reached_.push_back(b);
        ++total;
      }
    middles_.resize(total);
    u32 place = 0;
    for (const u32 b : reached_) {
      const u32 own = paths_[b];
      paths_[b] = place;
      place += own;
    }
    for (const u32 a : in_.graph.below(u))
      for (const u32 b : in_.graph.neighbors(a)) {
        if (b >= u) break;
        middles_[paths_[b]++] = color(a);
      }
    std::size_t at = 0;
    for (const u32 b : reached_) {
      const std::size_t end = paths_[b];
      if (end - at > 1) {
        for (; at < end; ++at) histogram_.add(middles_[at]);
        pairs_of(histogram_.take(), [&](u32 x, u32 y, Count n) { tally.add(kCycle, color(u), x, color(b), y, n); });
      }
      at = end;
      paths_[b] = 0;
    }
    reached_.clear();
  }

  const Input& in_;
  Neighborhood hood_;
  Histogram histogram_;
  std::vector<std::uint8_t> marked_;
  std::vector<u32> paths_, reached_, middles_;
  std::vector<u64> pairs_;
};

// The least colours that symmetries of the shape make of these.
std::array<u32, 4> least(u32 shape, std::array<u32, 4> c) {
  const auto sort = [&](int first, int last) { std::sort(c.begin() + first, c.begin() + last); };
  const auto reversed = [](std::array<u32, 4> x) { return std::array<u32, 4>{x[3], x[2], x[1], x[0]}; };
  switch (shape) {
    case kWedge: sort(1, 3); break;
    case kTriangle: sort(0, 3); break;
    case kPath: c = std::min(c, reversed(c)); break;
    case kClaw: sort(1, 4); break;
    case kCycle: {
      std::array<u32, 4> best = std::min(c, reversed(c));
      for (int turns = 0; turns < 3; ++turns) {
        std::rotate(c.begin(), c.begin() + 1, c.end());
        best = std::min({best, c, reversed(c)});
      }
      c = best;
      break;
    }
    case kTailed: sort(2, 4); break;
    case kDiamond: sort(0, 2); sort(2, 4); break;
    default: sort(0, 4);
  }
  return c;
}

}  // namespace

Tally tally_colored(const SimpleGraph& graph, const u32* color, u32 colors, int k, Crew& crew) {
  crew.expect_passes(3);
  crew.expect_entries(graph.num_entries());
  Sums unused;
  const EdgeTriangles triangles = edge_triangles(graph, true, crew, unused);
  const NeighborColors around(graph, color, colors);
  const Input in{graph, triangles, around, color, colors, k};
  Tally total(colors, kShapes);
  crew.over_vertices(
      graph.num_vertices(), [&] { return Colored(in); }, [&](Colored& done) {
        done.tally.each([&](u32 shape, u32 a, u32 b, u32 c, u32 d, Count n) {
          const auto [e, f, g, h] = least(shape, {a, b, c, d});
          total.add(shape, e, f, g, h, n);
        });
      });
  return total;
}

}  // namespace subiso::motifs
