// The order in which backtracking matches a query's vertices: the core first, its most selective vertex leading, always
// the vertex with fewest expected candidates next; then what can be counted.
#pragma once
#include <vector>

#include "candidates/graph.hpp"

namespace subiso {

struct SearchOrder {
  std::vector<int> vertices;
  std::size_t matched;                    // the others are not joined to each other
  std::vector<std::vector<int>> groups;  // of the others: those whose candidates may coincide
};

// `counting` allows the last vertices to be counted instead of matched.
SearchOrder search_order(const CandidateGraph& graph, bool injective, bool counting);

}  // namespace subiso
