#include "storage/relation.hpp"

#include <algorithm>
#include <numeric>

namespace subiso {

std::vector<std::uint32_t> degree_ranks(const std::vector<std::int64_t>& degree) {
  // Counting sort by degree: linear, and stable in the id.
  const std::int64_t most = degree.empty() ? 0 : *std::max_element(degree.begin(), degree.end());
  std::vector<std::uint32_t> next(static_cast<std::size_t>(most) + 2, 0);
  for (std::int64_t d : degree) ++next[static_cast<std::size_t>(d) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> rank(degree.size());
  for (std::size_t v = 0; v < degree.size(); ++v) rank[v] = next[static_cast<std::size_t>(degree[v])]++;
  return rank;
}

namespace {

template <class Visit>
void for_each_fitting(const std::vector<AdjacencyView>& views, std::uint32_t v, Visit visit) {
  for (const AdjacencyView& view : views)
    for (std::int64_t i = view.offsets[v]; i < view.offsets[v + 1]; ++i) {
      const std::uint32_t id = view.edge_ids ? view.edge_ids[i] : static_cast<std::uint32_t>(i);
      if (!view.edge_fits || view.edge_fits[id]) visit(view.neighbors[i], id);
    }
}

// Equal neighbours stand side by side; keeps the first of each.
void drop_repeats(RelationCsr& csr) {
  std::int64_t write = 0, begin = 0;
  for (std::size_t v = 0; v + 1 < csr.offsets.size(); ++v) {
    const std::int64_t end = csr.offsets[v + 1];
    csr.offsets[v] = write;
    for (std::int64_t i = begin; i < end; ++i)
      if (i == begin || csr.neighbors[i] != csr.neighbors[i - 1]) csr.neighbors[write++] = csr.neighbors[i];
    begin = end;
  }
  csr.offsets.back() = write;
  csr.neighbors.resize(static_cast<std::size_t>(write));
}

}  // namespace

DegreeSums degree_sums(const CsrStore& store) {
  DegreeSums sums;
  const auto length = [](Span s) { return static_cast<double>(s.size); };
  for (std::uint32_t v = 0; v < store.num_vertices(); ++v) {
    const Span all = store.neighbors(v, 0), above = store.neighbors_above(v, 0), below = store.neighbors_below(v, 0);
    sums.squares += length(all) * length(all);
    sums.above.edges += length(above);
    sums.above.squares += length(above) * length(above);
    sums.below.edges += length(below);
    sums.below.squares += length(below) * length(below);
    // Seen from an edge's other end, v was reached from below by each neighbour below it, and the other way round.
    sums.above.reached += length(below) * length(all);
    sums.above.beyond += length(below) * length(above);
    sums.below.reached += length(above) * length(all);
    sums.below.beyond += length(above) * length(below);
  }
  return sums;
}

RelationCsr build_relation(const std::vector<AdjacencyView>& reverse, const std::uint32_t* rank,
                           const std::uint32_t* vertex_at, std::uint32_t num_vertices, bool keep_edge_ids) {
  RelationCsr csr;
  csr.offsets.assign(num_vertices + std::size_t{1}, 0);
  for (std::uint32_t v = 0; v < num_vertices; ++v)
    for_each_fitting(reverse, v, [&](std::uint32_t u, std::uint32_t) { ++csr.offsets[rank[u] + std::size_t{1}]; });
  std::partial_sum(csr.offsets.begin(), csr.offsets.end(), csr.offsets.begin());
  csr.neighbors.resize(static_cast<std::size_t>(csr.offsets.back()));
  if (keep_edge_ids) csr.edge_ids.resize(csr.neighbors.size());

  std::vector<std::int64_t> next(csr.offsets.begin(), csr.offsets.end() - 1);
  bool repeats = false;
  for (std::uint32_t target = 0; target < num_vertices; ++target)
    for_each_fitting(reverse, vertex_at[target], [&](std::uint32_t u, std::uint32_t id) {
      const std::uint32_t source = rank[u];
      const std::int64_t at = next[source]++;
      repeats |= at > csr.offsets[source] && csr.neighbors[at - 1] == target;
      csr.neighbors[at] = target;
      if (keep_edge_ids) csr.edge_ids[at] = id;
    });
  if (repeats && !keep_edge_ids) drop_repeats(csr);

  if (keep_edge_ids) return csr;
  csr.bounds.resize(2 * std::size_t{num_vertices} + 1);
  for (std::uint32_t v = 0; v < num_vertices; ++v) {
    const auto begin = csr.neighbors.begin() + csr.offsets[v], end = csr.neighbors.begin() + csr.offsets[v + 1];
    csr.bounds[2 * std::size_t{v}] = csr.offsets[v];
    csr.bounds[2 * std::size_t{v} + 1] = std::upper_bound(begin, end, v) - csr.neighbors.begin();
  }
  csr.bounds.back() = csr.offsets.back();
  csr.offsets = {};
  return csr;
}

}  // namespace subiso
