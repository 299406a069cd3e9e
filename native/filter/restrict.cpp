#include "filter/restrict.hpp"

#include "graph/parallel.hpp"

namespace subiso {
namespace {

bool in(const std::uint64_t* bits, std::uint32_t v) { return bits == nullptr || (bits[v >> 6] >> (v & 63) & 1); }

Span list_of(const Csr& csr, std::uint32_t v) {
  const std::int64_t begin = csr.bounds[2 * std::size_t{v}], end = csr.bounds[2 * std::size_t{v} + 2];
  return {csr.neighbors + begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

RestrictedCsr restrict_csr(Csr csr, const std::uint64_t* from, const std::uint64_t* to, const Numbering& all,
                           const std::vector<std::uint32_t>& members, unsigned threads) {
  const std::size_t n = members.size();
  RestrictedCsr result;
  result.bounds.assign(2 * n + 1, 0);
  std::size_t work = 0;
  for (std::uint32_t v : members)
    if (in(from, v)) work += list_of(csr, v).size + 1;
  threads = threads_up_to(work, threads);
  const auto kept = [&](std::uint32_t u) { return all.contains(u) && in(to, u); };

  // Lengths first, above the owner and in all; then where each list begins; then the elements.
  run_threads(threads, [&](unsigned t) {
    for (std::size_t i = part_begin(n, t, threads); i < part_begin(n, t + 1, threads); ++i) {
      const std::uint32_t v = members[i];
      if (!in(from, v)) continue;
      std::int64_t below = 0, above = 0;
      for (std::uint32_t u : list_of(csr, v)) (u > v ? above : below) += kept(u);
      result.bounds[2 * i + 1] = below;
      result.bounds[2 * i + 2] = above;
    }
  });
  for (std::size_t i = 1; i <= 2 * n; ++i) result.bounds[i] += result.bounds[i - 1];
  result.neighbors.resize(static_cast<std::size_t>(result.bounds.back()));
  run_threads(threads, [&](unsigned t) {
    for (std::size_t i = part_begin(n, t, threads); i < part_begin(n, t + 1, threads); ++i) {
      if (!in(from, members[i])) continue;
      std::uint32_t* out = result.neighbors.data() + result.bounds[2 * i];
      for (std::uint32_t u : list_of(csr, members[i]))
        if (kept(u)) *out++ = all[u];
    }
  });
  return result;
}

}  // namespace subiso
