// The candidate graph of a query, in numbers of its own: per query vertex its candidates, per link the joined pairs.
// Small enough to be searched from the cache, whatever the size of the data graph.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "storage/csr_store.hpp"

namespace subiso {

using Count = __int128;

// From each candidate at one end of a link to those at its other end, both by their number among the candidates.
struct CandidateLists {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> neighbors;

  Span operator[](std::uint32_t i) const {
    return {neighbors.data() + offsets[i], offsets[i + std::size_t{1}] - offsets[i]};
  }
};

struct CandidateLink {
  int a;
  int b;
  CandidateLists ahead;  // from a's candidates to b's
  CandidateLists back;
};

struct CandidateGraph {
  std::vector<std::vector<std::uint32_t>> points;  // per query vertex: its candidates, ascending, by point
  std::vector<CandidateLink> links;
  std::vector<std::uint32_t> vertex;  // point -> data vertex (any one of those that it stands for)
  std::vector<std::uint32_t> weight;  // point -> how many data vertices it stands for

  int num_vertices() const { return static_cast<int>(points.size()); }
  std::size_t num_pairs() const {
    std::size_t pairs = 0;
    for (const CandidateLink& link : links) pairs += link.ahead.neighbors.size();
    return pairs;
  }
};

// Vertices a and b of the query are joined by a relation of the store, read at a.
struct QueryLink {
  int a;
  int b;
  int relation;
};

// Set by those who want what is being made no more: it is worth nothing then.
using Stop = std::atomic<bool>;
inline bool still_wanted(const Stop* stop) { return stop == nullptr || !stop->load(std::memory_order_relaxed); }

// `filters[u]`: the bitmap of u's candidates.
CandidateGraph build_candidate_graph(const CsrStore& store, const std::vector<const std::uint64_t*>& filters,
                                     const std::vector<QueryLink>& links, const Stop* stop = nullptr);

// Points that are candidates of the same query vertices and have the same lists become one, which weighs as much.
CandidateGraph merge_twins(const CandidateGraph& graph, const Stop* stop = nullptr);

}  // namespace subiso
