// Passes: the triangles of every edge, and what triangles have to say once those are known.
//
// A triangle is found once, at its lowest vertex x, as an edge (b, c) between neighbours above x. The counts of the edges at
// x are the thread's own until x is done, but any thread may find triangles of (b, c): so every thread counts in an array of
// its own, unless those would take too much memory.
#include <atomic>

#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // for all threads' arrays together

// Calls found(i, j, entry) for every triangle with x lowest: x's neighbours at places i < j of its upper list, which `entry` joins.
class TrianglesAt {
 public:
  explicit TrianglesAt(const SimpleGraph& graph) : graph_(graph), place_(graph.num_vertices(), 0) {}

  template <class Found>
  void each(u32 x, const Found& found) {
    const Span list = graph_.above(x);
    if (list.size < 2) return;
    for (std::size_t i = 0; i < list.size; ++i) place_[list.data[i]] = static_cast<u32>(i + 1);
    for (std::size_t i = 0; i < list.size; ++i) {
      const u32 b = list.data[i];
      for (std::size_t e = graph_.middle(b); e < graph_.end(b); ++e)
        if (const u32 j = place_[graph_.neighbor(e)]; j != 0) found(i, std::size_t{j} - 1, e);
    }
    for (const u32 b : list) place_[b] = 0;
  }

 private:
  const SimpleGraph& graph_;
  std::vector<u32> place_;  // of a neighbour above x in its upper list, from 1
};

// Without branches in the loop over (b, c): whether it closes a triangle can't be foreseen. What does not is counted at place 0.
template <bool kShared>
class Triangles {
 public:
  // Counts in the array given, which others may share, or in one of its own.
  Triangles(const SimpleGraph& graph, u32* shared)
      : graph_(graph),
        made_(kShared ? 0 : graph.num_entries(), 0),
        counts_(kShared ? shared : made_.data()),
        place_(graph.num_vertices(), 0) {}
  Triangles(const Triangles&) = delete;

  void operator()(u32 x) {
    const Span list = graph_.above(x);
    if (list.size < 2) return;
    for (std::size_t i = 0; i < list.size; ++i) place_[list.data[i]] = static_cast<u32>(i + 1);
    with_highest_.assign(list.size + 1, 0);
    const std::size_t first = graph_.middle(x);
    u64 number = 0, reach = 0;
    for (std::size_t i = 0; i < list.size; ++i) {
      const u64 found = count_row(list.data[i], reach);
      if (found != 0) add(first + i, static_cast<u32>(found));
      number += found;
    }
    for (std::size_t i = 0; i < list.size; ++i) {
      place_[list.data[i]] = 0;
      if (const u32 found = with_highest_[i + 1]; found != 0) {
        add(first + i, found);
        reach += found * (list.size - i - 1 + graph_.degree_above(list.data[i]));
      }
    }
    if (number == 0) return;
    sums.add(kCliques3, number);
    sums.add(kTriangleEnds, 3 * static_cast<Count>(number));
    sums.add(kTailsUp, reach);
  }

  EdgeTriangles&& take() { return std::move(made_); }
  Sums sums;

 private:
  // The triangles on x and b; `reach` gets the neighbours of b above each of them.
  u64 count_row(u32 b, u64& reach) {
    const std::size_t end = graph_.end(b);
    u64 found = 0;
    for (std::size_t e = graph_.middle(b); e < end; ++e) {
      const u32 place = place_[graph_.neighbor(e)], hit = place != 0;
      ++with_highest_[place];
      found += hit;
      reach += hit * (end - e - 1);
      if (!kShared || hit) add(e, hit);
    }
    return found;
  }

  void add(std::size_t entry, u32 more) {
    if constexpr (kShared)
      std::atomic_ref(counts_[entry]).fetch_add(more, std::memory_order_relaxed);
    else
      counts_[entry] += more;
  }

  const SimpleGraph& graph_;
  EdgeTriangles made_;
  u32* counts_;
  std::vector<u32> place_;         // of a neighbour above x in its upper list, from 1
  std::vector<u32> with_highest_;  // by place: triangles with x lowest and that one highest
};

// An edge's count stands at its lower end: copied to the upper one.
class Mirror {
 public:
  Mirror(const SimpleGraph& graph, EdgeTriangles& triangles) : graph_(graph), triangles_(triangles) {}

  void operator()(u32 v) {
    for (std::size_t e = graph_.begin(v); e < graph_.middle(v); ++e) {
      const u32 a = graph_.neighbor(e);
      const Span list = graph_.above(a);
      const auto place = static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), v) - list.begin());
      triangles_[e] = triangles_[graph_.middle(a) + place];
    }
  }

 private:
  const SimpleGraph& graph_;
  EdgeTriangles& triangles_;
};

class After {
 public:
  After(const SimpleGraph& graph, const EdgeTriangles& triangles) : graph_(graph), triangles_(triangles), at_(graph) {}

  void operator()(u32 x) {
    const std::size_t first = graph_.middle(x);
    const Count own = Count{graph_.degree(x)} - 2;
    Count fans = 0, kites = 0;
    at_.each(x, [&](std::size_t i, std::size_t j, std::size_t entry) {
      const Count xb = further(first + i), xc = further(first + j), bc = further(entry);
      fans += xb * xc + bc * (xb + xc);
      kites += own * bc + (degree(first + i) - 2) * xc + (degree(first + j) - 2) * xb;
    });
    sums.add(kFans, fans);
    sums.add(kKites, kites);
  }

  Sums sums;

 private:
  Count further(std::size_t entry) const { return Count{triangles_[entry]} - 1; }
  Count degree(std::size_t entry) const { return graph_.degree(graph_.neighbor(entry)); }

  const SimpleGraph& graph_;
  const EdgeTriangles& triangles_;
  TrianglesAt at_;
};

}  // namespace

EdgeTriangles edge_triangles(const SimpleGraph& graph, bool both_ends, Crew& crew, Sums& sums) {
  const u32 n = graph.num_vertices();
  EdgeTriangles triangles;
  if (crew.threads() * graph.num_entries() * sizeof(u32) > kMostBytes) {
    triangles.assign(graph.num_entries(), 0);
    crew.over_vertices(
        n, [&] { return Triangles<true>(graph, triangles.data()); }, [&](Triangles<true>& done) { sums.add(done.sums); });
  } else {
    std::vector<EdgeTriangles> found;
    crew.over_vertices(
        n, [&] { return Triangles<false>(graph, nullptr); },
        [&](Triangles<false>& done) {
          sums.add(done.sums);
          found.push_back(done.take());
        });
    if (crew.stopped()) return triangles;  // of no use to anybody
    triangles = std::move(found.back());
    for (std::size_t t = 0; t + 1 < found.size(); ++t)
      for (std::size_t e = 0; e < triangles.size(); ++e) triangles[e] += found[t][e];
  }
  if (both_ends)
    crew.over_vertices(n, [&] { return Mirror(graph, triangles); }, [](Mirror&) {});
  return triangles;
}

void add_after_triangles(const SimpleGraph& graph, const EdgeTriangles& triangles, Crew& crew, Sums& sums) {
  crew.over_vertices(
      graph.num_vertices(), [&] { return After(graph, triangles); }, [&](After& done) { sums.add(done.sums); });
}

}  // namespace subiso::motifs
