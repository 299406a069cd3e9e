#include "candidates/graph.hpp"

#include <algorithm>
#include <memory>

#include "filter/numbering.hpp"

namespace subiso {
namespace {

// The lists read from their other end.
CandidateLists reversed(const CandidateLists& lists, std::size_t num_others) {
  CandidateLists result;
  result.offsets.assign(num_others + 1, 0);
  for (std::uint32_t j : lists.neighbors) ++result.offsets[j + std::size_t{1}];
  for (std::size_t j = 0; j < num_others; ++j) result.offsets[j + 1] += result.offsets[j];
  result.neighbors.resize(lists.neighbors.size());
  std::vector<std::uint32_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::uint32_t i = 0; i + 1 < lists.offsets.size(); ++i)
    for (std::uint32_t j : lists[i]) result.neighbors[next[j]++] = i;
  return result;
}

}  // namespace

CandidateGraph build_candidate_graph(const CsrStore& store, const std::vector<const std::uint64_t*>& filters,
                                     const std::vector<QueryLink>& links, const Stop* stop) {
  const std::size_t words = (store.num_vertices() + std::size_t{63}) / 64;
  std::vector<std::uint64_t> any(words, 0);
  for (const std::uint64_t* bits : filters)
    for (std::size_t w = 0; w < words; ++w) any[w] |= bits[w];
  const Numbering all(any.data(), words);

  CandidateGraph graph;
  graph.vertex = all.members();
  graph.weight.assign(graph.vertex.size(), 1);
  std::vector<std::unique_ptr<Numbering>> numbers;
  for (const std::uint64_t* bits : filters) {
    numbers.push_back(std::make_unique<Numbering>(bits, words));
    graph.points.push_back(numbers.back()->members());
    for (std::uint32_t& v : graph.points.back()) v = all[v];
  }
  for (const QueryLink& wanted : links) {
    const auto a = static_cast<std::size_t>(wanted.a), b = static_cast<std::size_t>(wanted.b);
    CandidateLink link{wanted.a, wanted.b, {}, {}};
    link.ahead.offsets.push_back(0);
    for (std::uint32_t point : graph.points[a]) {
      if (!still_wanted(stop)) return graph;
      for (std::uint32_t v : store.neighbors(graph.vertex[point], wanted.relation))
        if (numbers[b]->contains(v)) link.ahead.neighbors.push_back((*numbers[b])[v]);
      link.ahead.offsets.push_back(static_cast<std::uint32_t>(link.ahead.neighbors.size()));
    }
    link.back = reversed(link.ahead, graph.points[b].size());
    graph.links.push_back(std::move(link));
  }
  return graph;
}

namespace {

// Where a point stands among the candidates of the query vertices, and what is joined to it there.
class Places {
 public:
  Places(const CandidateGraph& graph, const Stop* stop) : graph_(graph), places_(graph.vertex.size()), hash_(graph.vertex.size(), 1) {
    std::vector<std::vector<const CandidateLists*>> lists(graph.points.size());
    for (const CandidateLink& link : graph.links) {
      lists[static_cast<std::size_t>(link.a)].push_back(&link.ahead);
      lists[static_cast<std::size_t>(link.b)].push_back(&link.back);
    }
    for (std::size_t u = 0; u < graph.points.size(); ++u)
      for (std::uint32_t i = 0; i < graph.points[u].size() && still_wanted(stop); ++i) {
        const std::uint32_t point = graph.points[u][i];
        places_[point].push_back({static_cast<std::uint32_t>(u), i});
        stir(point, u);
        for (const CandidateLists* each : lists[u]) {
          for (std::uint32_t j : (*each)[i]) stir(point, j);
          stir(point, ~std::uint64_t{0});
        }
      }
    lists_ = std::move(lists);
  }

  std::uint64_t hash(std::uint32_t point) const { return hash_[point]; }

  bool same(std::uint32_t x, std::uint32_t y) const {
    if (places_[x].size() != places_[y].size()) return false;
    for (std::size_t p = 0; p < places_[x].size(); ++p) {
      const auto [u, i] = places_[x][p];
      const auto [v, j] = places_[y][p];
      if (u != v) return false;
      for (const CandidateLists* each : lists_[u]) {
        const Span own = (*each)[i], other = (*each)[j];
        if (!std::equal(own.begin(), own.end(), other.begin(), other.end())) return false;
      }
    }
    return true;
  }

 private:
  struct Place {
    std::uint32_t vertex;
    std::uint32_t number;
  };

  void stir(std::uint32_t point, std::uint64_t value) {
    std::uint64_t& h = hash_[point];
    h = (h ^ value) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }

  const CandidateGraph& graph_;
  std::vector<std::vector<Place>> places_;
  std::vector<std::vector<const CandidateLists*>> lists_;
  std::vector<std::uint64_t> hash_;
};

// point -> the first point that is the same.
std::vector<std::uint32_t> representatives(const CandidateGraph& graph, const Stop* stop) {
  const Places places(graph, stop);
  std::vector<std::uint32_t> order(graph.vertex.size()), first(graph.vertex.size());
  for (std::uint32_t x = 0; x < order.size(); ++x) order[x] = first[x] = x;
  std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    return std::pair(places.hash(x), x) < std::pair(places.hash(y), y);
  });
  for (std::size_t i = 1; i < order.size() && still_wanted(stop); ++i) {
    const std::uint32_t before = first[order[i - 1]];
    if (places.hash(before) == places.hash(order[i]) && places.same(before, order[i])) first[order[i]] = before;
  }
  return first;
}

CandidateLists kept_lists(const CandidateLists& lists, const std::vector<std::uint32_t>& rows,
                          const std::vector<std::uint32_t>& renumbered) {
  CandidateLists result;
  result.offsets.push_back(0);
  for (std::uint32_t i : rows) {
    for (std::uint32_t j : lists[i])
      if (renumbered[j] != UINT32_MAX) result.neighbors.push_back(renumbered[j]);
    result.offsets.push_back(static_cast<std::uint32_t>(result.neighbors.size()));
  }
  return result;
}

}  // namespace

CandidateGraph merge_twins(const CandidateGraph& graph, const Stop* stop) {
  const std::vector<std::uint32_t> first = representatives(graph, stop);
  CandidateGraph merged;
  std::vector<std::uint32_t> point(graph.vertex.size(), UINT32_MAX);
  for (std::uint32_t x = 0; x < first.size(); ++x) {
    if (first[x] == x) {
      point[x] = static_cast<std::uint32_t>(merged.vertex.size());
      merged.vertex.push_back(graph.vertex[x]);
      merged.weight.push_back(0);
    }
    merged.weight[point[first[x]]] += graph.weight[x];
  }
  std::vector<std::vector<std::uint32_t>> rows(graph.points.size()), renumbered(graph.points.size());
  for (std::size_t u = 0; u < graph.points.size(); ++u) {
    merged.points.emplace_back();
    for (std::uint32_t i = 0; i < graph.points[u].size(); ++i) {
      const bool kept = first[graph.points[u][i]] == graph.points[u][i];
      renumbered[u].push_back(kept ? static_cast<std::uint32_t>(rows[u].size()) : UINT32_MAX);
      if (!kept) continue;
      rows[u].push_back(i);
      merged.points[u].push_back(point[graph.points[u][i]]);
    }
  }
  for (const CandidateLink& link : graph.links) {
    if (!still_wanted(stop)) break;
    const auto a = static_cast<std::size_t>(link.a), b = static_cast<std::size_t>(link.b);
    merged.links.push_back({link.a, link.b, kept_lists(link.ahead, rows[a], renumbered[b]),
                            kept_lists(link.back, rows[b], renumbered[a])});
  }
  return merged;
}

}  // namespace subiso
