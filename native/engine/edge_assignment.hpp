// Edge-isomorphism: do distinct data edges exist for the pattern edges matched so far? Only pattern edges that fell on
// the same pair of vertices compete, so small bipartite matchings per pair decide.
#pragma once
#include "engine/inputs.hpp"

namespace subiso {

class EdgeAssignment {
 public:
  explicit EdgeAssignment(const Inputs& in);
  // The level of a node was just matched: can every pattern edge up to it have a data edge of its own?
  bool possible(int node, const std::uint32_t* match);

 private:
  void candidates(const EdgeCheck& e, const std::uint32_t* match, std::vector<std::uint32_t>& ids) const;
  bool assign(std::size_t edge, std::vector<bool>& tried);

  const Inputs& in_;
  std::vector<std::vector<EdgeCheck>> completed_;  // by node: all pattern edges within the positions up to it
  std::vector<std::vector<std::uint32_t>> choices_;
  std::vector<std::pair<std::uint32_t, std::size_t>> taken_;  // data edge -> which competitor has it
};

}  // namespace subiso
