#include "storage/ordered.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "graph/parallel.hpp"

namespace subiso {
namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFF;
constexpr std::uint64_t kAtOnce = 256;  // vertices that a thread takes
constexpr std::int64_t kHardly = 50;    // a round that drops less than one edge in so many is the last

// Per edge, by its entry above the lower end: in how many triangles it is.
class Triangles {
 public:
  Triangles(const OrderedCsr& csr, unsigned threads) : csr_(csr), found_(csr.neighbors.size(), 0) {
    threads = threads_up_to(csr.neighbors.size(), threads);
    shared_ = threads > 1;
    const std::uint64_t n = csr_.num_vertices();
    std::atomic<std::uint64_t> next{0};
    run_threads(threads, [&](unsigned) {
      std::vector<std::int64_t> entry_of(n, -1);
      for (std::uint64_t from; (from = next.fetch_add(kAtOnce)) < n;)
        for (std::uint64_t v = from; v < std::min(from + kAtOnce, n); ++v)
          count_at(static_cast<std::uint32_t>(v), entry_of);
    });
  }

  std::uint32_t operator[](std::int64_t entry) const { return found_[static_cast<std::size_t>(entry)]; }

 private:
  // Those whose lowest vertex is u.
  void count_at(std::uint32_t u, std::vector<std::int64_t>& entry_of) {
    const std::int64_t *bounds = csr_.bounds.data(), begin = bounds[2 * std::size_t{u} + 1], end = bounds[2 * std::size_t{u} + 2];
    if (end - begin < 2) return;
    const std::uint32_t* neighbors = csr_.neighbors.data();
    for (std::int64_t i = begin; i < end; ++i) entry_of[neighbors[i]] = i;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::size_t v = neighbors[i];
      std::uint32_t mine = 0;
      for (std::int64_t j = bounds[2 * v + 1]; j < bounds[2 * v + 2]; ++j) {
        const std::int64_t third = entry_of[neighbors[j]];
        if (third < 0) continue;
        ++mine;
        add(third, 1);
        add(j, 1);
      }
      if (mine != 0) add(i, mine);
    }
    for (std::int64_t i = begin; i < end; ++i) entry_of[neighbors[i]] = -1;
  }

  void add(std::int64_t entry, std::uint32_t number) {
    std::uint32_t& at = found_[static_cast<std::size_t>(entry)];
    if (shared_)
      std::atomic_ref(at).fetch_add(number, std::memory_order_relaxed);
    else
      at += number;
  }

  const OrderedCsr& csr_;
  std::vector<std::uint32_t> found_;
  bool shared_ = false;
};

// The edges that `kept` says yes to, by their entries above the lower end.
template <class Kept>
OrderedCsr filtered(const OrderedCsr& csr, Kept kept) {
  const std::uint32_t n = csr.num_vertices();
  OrderedCsr result;
  result.bounds.assign(2 * std::size_t{n} + 1, 0);
  const auto each = [&](std::uint32_t v, auto visit) {
    for (std::int64_t i = csr.bounds[2 * std::size_t{v} + 1]; i < csr.bounds[2 * std::size_t{v} + 2]; ++i)
      if (kept(i)) visit(csr.neighbors[static_cast<std::size_t>(i)]);
  };
  for (std::uint32_t v = 0; v < n; ++v)
    each(v, [&](std::uint32_t u) {
      ++result.bounds[2 * std::size_t{v} + 2];
      ++result.bounds[2 * std::size_t{u} + 1];
    });
  std::partial_sum(result.bounds.begin(), result.bounds.end(), result.bounds.begin());
  result.neighbors.resize(static_cast<std::size_t>(result.bounds.back()));
  // Vertices come in order, so that what is dealt to a list is sorted, and there before the list's own vertex comes.
  std::vector<std::int64_t> next(n);
  for (std::uint32_t v = 0; v < n; ++v) next[v] = result.bounds[2 * std::size_t{v}];
  for (std::uint32_t v = 0; v < n; ++v)
    each(v, [&](std::uint32_t u) {
      result.neighbors[static_cast<std::size_t>(next[v]++)] = u;
      result.neighbors[static_cast<std::size_t>(next[u]++)] = v;
    });
  return result;
}

}  // namespace

OrderedCsr in_order(Csr csr, std::uint32_t num_vertices, const std::uint32_t* members, std::size_t count) {
  std::vector<std::uint32_t> number(num_vertices, kNobody);
  for (std::size_t i = 0; i < count; ++i) number[members[i]] = static_cast<std::uint32_t>(i);
  const auto each = [&](std::size_t i, auto visit) {
    const std::size_t v = members[i];
    for (std::int64_t e = csr.bounds[2 * v]; e < csr.bounds[2 * v + 2]; ++e)
      if (const std::uint32_t j = number[csr.neighbors[e]]; j != kNobody && j != i) visit(j);
  };
  OrderedCsr result;
  result.bounds.assign(2 * count + 1, 0);
  for (std::size_t i = 0; i < count; ++i)
    each(i, [&](std::uint32_t j) { ++result.bounds[2 * i + (j > i ? 2 : 1)]; });
  std::partial_sum(result.bounds.begin(), result.bounds.end(), result.bounds.begin());
  result.neighbors.resize(static_cast<std::size_t>(result.bounds.back()));
  // Dealt in order, so that lists come out sorted.
  std::vector<std::int64_t> next(count);
  for (std::size_t i = 0; i < count; ++i) next[i] = result.bounds[2 * i];
  for (std::size_t i = 0; i < count; ++i)
    each(i, [&](std::uint32_t j) { result.neighbors[static_cast<std::size_t>(next[j]++)] = static_cast<std::uint32_t>(i); });
  return result;
}

OrderedCsr without_thin_edges(OrderedCsr csr, std::uint32_t least, int rounds, unsigned threads) {
  for (int round = 0; round < rounds; ++round) {
    const auto before = static_cast<std::int64_t>(csr.neighbors.size());
    const Triangles triangles(csr, threads);
    csr = filtered(csr, [&](std::int64_t entry) { return triangles[entry] >= least; });
    const auto after = static_cast<std::int64_t>(csr.neighbors.size());
    if (after == 0 || (before - after) * kHardly < before) break;
  }
  return csr;
}

}  // namespace subiso
