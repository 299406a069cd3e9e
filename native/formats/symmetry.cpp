// Implements the CSR checks by a stable counting transposition: no comparison sort, two passes over the entries.
#include "formats/symmetry.hpp"

#include <algorithm>
#include <numeric>
#include <cstdint>

namespace subiso::formats {

CsrFault check_offsets(std::span<const std::int64_t> offsets, std::size_t count) {
  const auto n = static_cast<std::int64_t>(offsets.size()) - 1;
  const auto entries = static_cast<std::int64_t>(count);
  for (std::int64_t v = 0; v <= n; ++v) {
    const std::int64_t before = v ? offsets[v - 1] : 0;
    if (offsets[v] < before || offsets[v] > entries || (v == 0 && offsets[0] != 0) || (v == n && offsets[n] != entries))
      return {CsrFault::offsets, v, offsets[v]};
  }
  return {};
}

CsrFault check_csr(std::span<const std::int64_t> offsets, std::span<const std::int64_t> neighbors) {
  const CsrFault fault = check_offsets(offsets, neighbors.size());
  if (fault.what != CsrFault::none) return fault;
  const auto n = static_cast<std::int64_t>(offsets.size()) - 1;
  for (std::int64_t v = 0; v < n; ++v)
    for (std::int64_t i = offsets[v]; i < offsets[v + 1]; ++i)
      if (neighbors[i] < 0 || neighbors[i] >= n) return {CsrFault::neighbor, v, neighbors[i]};
  return {};
}

namespace {
// Entry positions grouped by neighbour, and inside a group by the vertex whose list they are in.
std::vector<std::int64_t> transpose(std::span<const std::int64_t> offsets, std::span<const std::int64_t> neighbors,
                                    std::vector<std::int64_t>& starts) {
  const std::size_t n = offsets.size() - 1;
  starts.assign(n + 1, 0);
  for (const std::int64_t v : neighbors) ++starts[v + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::int64_t> next(starts.begin(), starts.end() - 1), order(neighbors.size());
  for (std::size_t u = 0; u < n; ++u)
    for (std::int64_t i = offsets[u]; i < offsets[u + 1]; ++i) order[next[neighbors[i]]++] = i;
  return order;
}
}  // namespace

CsrFault pair_mirrors(std::span<const std::int64_t> offsets, std::span<const std::int64_t> neighbors,
                      std::span<std::int64_t> mirrors) {
  const std::size_t n = offsets.size() - 1;
  std::vector<std::int64_t> owner(neighbors.size());
  for (std::size_t u = 0; u < n; ++u)
    std::fill(owner.begin() + offsets[u], owner.begin() + offsets[u + 1], static_cast<std::int64_t>(u));
  std::vector<std::int64_t> starts;
  const auto incoming = transpose(offsets, neighbors, starts);
  // v's list in neighbour order, beside the entries that point at v in owner order: they must be the same vertices.
  std::vector<std::int64_t> list;
  for (std::size_t v = 0; v < n; ++v) {
    list.resize(static_cast<std::size_t>(offsets[v + 1] - offsets[v]));
    std::iota(list.begin(), list.end(), offsets[v]);
    std::stable_sort(list.begin(), list.end(), [&](auto a, auto b) { return neighbors[a] < neighbors[b]; });
    const std::size_t in = static_cast<std::size_t>(starts[v + 1] - starts[v]);
    for (std::size_t k = 0; k < std::max(in, list.size()); ++k) {
      const std::int64_t from = k < in ? owner[incoming[starts[v] + k]] : INT64_MAX;
      const std::int64_t to = k < list.size() ? neighbors[list[k]] : INT64_MAX;
      if (from < to) return {CsrFault::mirror, from, static_cast<std::int64_t>(v)};
      if (to < from) return {CsrFault::mirror, static_cast<std::int64_t>(v), to};
      mirrors[list[k]] = incoming[starts[v] + k];
    }
  }
  return {};
}

}  // namespace subiso::formats
