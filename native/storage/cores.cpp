#include "storage/cores.hpp"

#include <algorithm>
#include <numeric>

namespace subiso {
namespace {

Span list_of(const Csr& csr, std::uint32_t v) {
  const std::int64_t begin = csr.bounds[2 * std::size_t{v}], end = csr.bounds[2 * std::size_t{v} + 2];
  return {csr.neighbors + begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

Cores peel(Csr csr, std::uint32_t num_vertices) {
  Cores cores;
  std::vector<std::uint32_t>&order = cores.order, &left = cores.numbers;
  left.resize(num_vertices);
  std::uint32_t most = 0;
  for (std::uint32_t v = 0; v < num_vertices; ++v) {
    const Span list = list_of(csr, v);
    const bool loop = std::binary_search(list.begin(), list.end(), v);
    left[v] = static_cast<std::uint32_t>(list.size - loop);
    most = std::max(most, left[v]);
  }
  // Sorted by what they have left; bucket d begins at first[d].
  std::vector<std::uint32_t> first(std::size_t{most} + 2, 0);
  for (std::uint32_t d : left) ++first[std::size_t{d} + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> place(num_vertices), next(first.begin(), first.end() - 1);
  order.resize(num_vertices);
  for (std::uint32_t v = 0; v < num_vertices; ++v) order[place[v] = next[left[v]]++] = v;

  for (std::uint32_t i = 0; i < num_vertices; ++i) {
    const std::uint32_t v = order[i];
    for (std::uint32_t u : list_of(csr, v)) {
      if (left[u] <= left[v]) continue;  // gone, or in the bucket of v, which nobody leaves downwards
      // u changes places with the first of its bucket, which then begins one later.
      const std::uint32_t front = first[left[u]], other = order[front];
      std::swap(order[place[u]], order[front]);
      std::swap(place[u], place[other]);
      first[left[u]--] = front + 1;
    }
  }
  return cores;
}

}  // namespace subiso
