// Counts homomorphisms by eliminating the query's vertices one after the other: what a vertex says of its neighbours
// becomes a table over them. Takes time by the width of the query, not by the number of matches.
#pragma once
#include <cstdint>
#include <vector>

#include "candidates/graph.hpp"

namespace subiso {

// How an elimination ended.
enum class Elimination { kDone, kTooWide, kTooMuch, kOverflow, kStopped };

// What ends an elimination early: rows looked at, or somebody who wants it to end.
struct Limits {
  std::uint64_t rows;
  const Stop* stop = nullptr;
};

struct Eliminated {
  Elimination status = Elimination::kDone;
  Count total = 0;
  std::uint64_t steps = 0;
};

// The maps of the query's blocks (`block_of[u]`: the block that query vertex u belongs to, numbered from 0) to points in
// which all members of a block fall on the same vertex. Stops with kTooMuch where it would look at more rows than the
// limit (or memory is short), with kTooWide where a row does not fit into 64 bits, with kStopped where it was told to.
Eliminated eliminate(const CandidateGraph& graph, const std::vector<int>& block_of, const Limits& limits);

// The sum of coefficient * eliminate(...) over several partitions into blocks, on several threads; the limits are for all.
Eliminated eliminate_all(const CandidateGraph& graph, const std::vector<std::vector<int>>& partitions,
                         const std::vector<std::int64_t>& coefficients, const Limits& limits, unsigned threads);

}  // namespace subiso
