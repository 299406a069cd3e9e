// Edge table -> CSR by two stable counting sorts; see build.hpp.
#include "graph/build.hpp"

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "graph/group.hpp"
#include "graph/merge.hpp"

namespace subiso {
namespace {

// The rows of the table as (target, source) items, so that grouping them by target is the first of the two sorts.
// An undirected edge has its smaller end as source.
struct Rows {
  const EdgeTable& table;
  bool directed, keep_loops;

  template <class Row, class F>
  void visit(unsigned t, unsigned parts, const F& f) const {
    const std::size_t last = part_begin(table.rows, t + 1, parts);
    for (std::size_t row = part_begin(table.rows, t, parts); row < last; ++row) {
      std::uint32_t source = table.src[row], target = table.dst[row];
      if (source == target && !keep_loops) continue;
      if (!directed && source > target) std::swap(source, target);
      f(target, source, static_cast<Row>(row));
    }
  }
};

struct Survey {
  std::size_t loops = 0;
  bool sorted = true;  // by (source, target) already, as many files are: then nothing has to be sorted
};

Survey survey(const EdgeTable& table, bool directed, unsigned wanted_threads) {
  const unsigned threads = threads_for(table.rows, wanted_threads);
  std::vector<Survey> parts(threads);
  run_threads(threads, [&](unsigned t) {
    Survey seen;
    const std::size_t first = part_begin(table.rows, t, threads), last = part_begin(table.rows, t + 1, threads);
    std::uint64_t before = 0;
    for (std::size_t row = first ? first - 1 : 0; row < last; ++row) {
      std::uint32_t source = table.src[row], target = table.dst[row];
      seen.loops += source == target && row >= first;
      if (!directed && source > target) std::swap(source, target);
      const std::uint64_t pair = std::uint64_t{source} << 32 | target;
      seen.sorted &= pair >= before;
      before = pair;
    }
    parts[t] = seen;
  });
  Survey all;
  for (const auto& part : parts) all.loops += part.loops, all.sorted &= part.sorted;
  return all;
}

// A table that is sorted already: its targets are the lists.
template <class Row>
Lists<Row> lists_of_sorted(const EdgeTable& table, bool directed, bool keep_loops, std::size_t size) {
  auto lists = make_lists<Row>(table.num_vertices, size);
  std::size_t at = 0;
  std::uint64_t next_key = 0;
  Rows{table, directed, keep_loops}.template visit<Row>(0, 1, [&](std::uint32_t target, std::uint32_t source, Row row) {
    while (next_key <= source) lists.offsets[next_key++] = static_cast<std::int64_t>(at);
    lists.values[at] = target;
    if constexpr (kHasRow<Row>) lists.rows[at] = row;
    (void)row;
    ++at;
  });
  while (next_key <= table.num_vertices) lists.offsets[next_key++] = static_cast<std::int64_t>(at);
  return lists;
}

template <class Row>
Lists<Row> sorted_lists(const EdgeTable& table, const BuildOptions& options, const Survey& seen) {
  const std::size_t size = table.rows - (options.keep_loops ? 0 : seen.loops);
  if (seen.sorted) return lists_of_sorted<Row>(table, options.directed, options.keep_loops, size);
  const auto by_target = group_by<Row>(Rows{table, options.directed, options.keep_loops}, table.num_vertices, size,
                                       options.threads, options.direct_below);
  const Transposed turned{by_target.offsets.data(), by_target.values.data(), table.num_vertices,
                          by_target.rows.data()};
  return group_by<Row>(turned, table.num_vertices, size, options.threads, options.direct_below);
}

// Undirected: the lists of smaller -> larger end become full neighbour lists, the smaller neighbours first.
BuiltCsr join_halves(const std::int64_t* upper_offsets, const std::uint32_t* upper, std::uint32_t n, std::size_t loops,
                const BuildOptions& options) {
  const auto half = static_cast<std::size_t>(upper_offsets[n]);
  const Transposed turned{upper_offsets, upper, n, nullptr, true};
  const auto lower = group_by<NoRow>(turned, n, half - loops, options.threads, options.direct_below);
  BuiltCsr csr{Buffer<std::int64_t>(std::size_t{n} + 1), Buffer<std::uint32_t>(2 * half - loops)};
  for (std::size_t v = 0; v <= n; ++v) csr.offsets[v] = upper_offsets[v] + lower.offsets[v];
  const unsigned threads = threads_for(csr.neighbors.size(), options.threads);
  run_threads(threads, [&](unsigned t) {
    const auto last = key_begin(csr.offsets.data(), n, t + 1, threads);
    for (auto v = key_begin(csr.offsets.data(), n, t, threads); v < last; ++v) {
      std::uint32_t* list = csr.neighbors.data() + csr.offsets[v];
      const auto below = static_cast<std::size_t>(lower.offsets[v + 1] - lower.offsets[v]);
      const auto above = static_cast<std::size_t>(upper_offsets[v + 1] - upper_offsets[v]);
      std::copy_n(lower.values.data() + lower.offsets[v], below, list);
      std::copy_n(upper + upper_offsets[v], above, list + below);
    }
  });
  return csr;
}

// Loops that are left in sorted lists (merging may have taken some).
template <class Row>
std::size_t count_loops(const Lists<Row>& lists) {
  std::size_t loops = 0;
  for (std::uint32_t v = 0; v < lists.num_keys(); ++v)
    for (auto i = lists.offsets[v]; i < lists.offsets[v + 1] && lists.values[i] <= v; ++i)
      loops += lists.values[i] == v;
  return loops;
}

template <class Row>
Built build_with_rows(const EdgeTable& table, const BuildOptions& options) {
  const Survey seen = survey(table, options.directed, options.threads);
  auto lists = sorted_lists<Row>(table, options, seen);
  const auto merged = merge_duplicates(lists, table.labels, options.merge, options.threads);
  Built built;
  built.num_edges = lists.size();
  built.loops = seen.loops;
  built.duplicates = merged.duplicates;
  built.duplicate_src = merged.key;
  built.duplicate_dst = merged.value;
  built.has_parallel = merged.has_parallel;
  if constexpr (std::is_same_v<Row, std::uint32_t>) built.rows32 = std::move(lists.rows);
  if constexpr (std::is_same_v<Row, std::int64_t>) built.rows64 = std::move(lists.rows);
  if (options.directed) {
    built.out = {std::move(lists.offsets), std::move(lists.values)};
  } else {
    const std::size_t loops = options.keep_loops && seen.loops ? count_loops(lists) : 0;
    built.out = join_halves(lists.offsets.data(), lists.values.data(), table.num_vertices, loops, options);
  }
  return built;
}
}  // namespace

Built build_csr(const EdgeTable& table, const BuildOptions& options) {
  if (!options.want_rows && !table.labels) return build_with_rows<NoRow>(table, options);
  if (table.rows <= std::numeric_limits<std::uint32_t>::max()) return build_with_rows<std::uint32_t>(table, options);
  return build_with_rows<std::int64_t>(table, options);
}

BuiltCsr transpose(const std::int64_t* offsets, const std::uint32_t* neighbors, std::uint32_t num_vertices,
              unsigned threads, std::size_t direct_below) {
  const Transposed turned{offsets, neighbors, num_vertices};
  auto lists =
      group_by<NoRow>(turned, num_vertices, static_cast<std::size_t>(offsets[num_vertices]), threads, direct_below);
  return {std::move(lists.offsets), std::move(lists.values)};
}

}  // namespace subiso
