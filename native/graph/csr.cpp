// See csr.hpp.
#include "graph/csr.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace subiso {

Buffer<std::int64_t> upper_offsets(const CsrView& csr) {
  Buffer<std::int64_t> upper(std::size_t{csr.num_vertices} + 1);
  std::int64_t total = 0;
  for (std::uint32_t v = 0; v < csr.num_vertices; ++v) {
    upper[v] = total;
    const auto *first = csr.neighbors + csr.offsets[v], *last = csr.neighbors + csr.offsets[v + 1];
    total += last - std::lower_bound(first, last, v);
  }
  upper[csr.num_vertices] = total;
  return upper;
}

template <class Id>
Buffer<Id> entry_edge_ids(const CsrView& csr, const std::int64_t* first_ids, bool undirected) {
  Buffer<Id> ids(csr.size());
  // As v ascends, the edges (u, v) of one source u come by in the order of their ids: a cursor per source is enough.
  std::vector<Id> cursor(first_ids, first_ids + csr.num_vertices);
  for (std::uint32_t v = 0; v < csr.num_vertices; ++v) {
    std::int64_t i = csr.offsets[v];
    const std::int64_t end = csr.offsets[v + 1];
    for (; i < end && (!undirected || csr.neighbors[i] < v); ++i) ids[i] = cursor[csr.neighbors[i]]++;
    auto id = static_cast<Id>(first_ids[v]);
    for (; i < end; ++i) {
      cursor[v] += csr.neighbors[i] == v;  // a loop takes an id, but no later list has it
      ids[i] = id++;
    }
  }
  return ids;
}
template Buffer<std::uint32_t> entry_edge_ids(const CsrView&, const std::int64_t*, bool);
template Buffer<std::int64_t> entry_edge_ids(const CsrView&, const std::int64_t*, bool);

void edge_sources(const CsrView& csr, bool undirected, std::uint32_t* src, std::uint32_t* dst) {
  for (std::uint32_t v = 0; v < csr.num_vertices; ++v) {
    const auto *first = csr.neighbors + csr.offsets[v], *last = csr.neighbors + csr.offsets[v + 1];
    if (undirected) first = std::lower_bound(first, last, v);
    src = std::fill_n(src, last - first, v);
    if (dst) dst = std::copy(first, last, dst);
  }
}

CsrFacts check_csr(const CsrView& csr, std::size_t entries) {
  auto fail = [](const std::string& text) { throw std::invalid_argument(text); };
  const auto n = std::size_t{csr.num_vertices};
  if (csr.offsets[0] != 0) fail("offsets[0] is " + std::to_string(csr.offsets[0]) + ", not 0");
  for (std::size_t v = 0; v < n; ++v)
    if (csr.offsets[v + 1] < csr.offsets[v])
      fail("offsets[" + std::to_string(v + 1) + "] is below offsets[" + std::to_string(v) + "]");
  if (static_cast<std::size_t>(csr.offsets[n]) != entries)
    fail("offsets end at " + std::to_string(csr.offsets[n]) + " but there are " + std::to_string(entries) +
         " neighbors");
  CsrFacts facts;
  for (std::uint32_t v = 0; v < csr.num_vertices; ++v)
    for (std::int64_t i = csr.offsets[v]; i < csr.offsets[v + 1]; ++i) {
      const std::uint32_t u = csr.neighbors[i];
      if (u >= csr.num_vertices)
        fail("neighbor " + std::to_string(u) + " of vertex " + std::to_string(v) + " is not below " +
             std::to_string(n));
      if (i > csr.offsets[v] && u < csr.neighbors[i - 1])
        fail("the list of vertex " + std::to_string(v) + " is not sorted");
      facts.has_parallel |= i > csr.offsets[v] && u == csr.neighbors[i - 1];
      facts.loops += u == v;
    }
  return facts;
}

void check_transposed(const CsrView& out, const CsrView& in) {
  const bool same = out.neighbors == in.neighbors;
  auto fail = [same](std::uint32_t u, std::uint32_t v, bool in_out) {  // u -> v stands in one of the two only
    const std::string a = std::to_string(in_out ? v : u), b = std::to_string(in_out ? u : v);
    const char* here = same || in_out ? "list" : "in-list";
    const char* there = same || !in_out ? "list" : "in-list";
    throw std::invalid_argument(a + " stands in the " + here + " of " + b + " but " + b + " not as often in the " +
                                there + " of " + a);
  };
  std::vector<std::int64_t> cursor(out.offsets, out.offsets + out.num_vertices);
  for (std::uint32_t v = 0; v < in.num_vertices; ++v)
    for (std::int64_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
      const std::uint32_t u = in.neighbors[i];
      std::int64_t& at = cursor[u];
      if (at < out.offsets[u + 1] && out.neighbors[at] < v) fail(u, out.neighbors[at], true);
      if (at == out.offsets[u + 1] || out.neighbors[at] != v) fail(u, v, false);
      ++at;
    }
  for (std::uint32_t u = 0; u < out.num_vertices; ++u)
    if (cursor[u] < out.offsets[u + 1]) fail(u, out.neighbors[cursor[u]], true);
}

}  // namespace subiso
