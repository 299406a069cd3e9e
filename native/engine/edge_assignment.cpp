#include "engine/edge_assignment.hpp"

#include <algorithm>

namespace subiso {

EdgeAssignment::EdgeAssignment(const Inputs& in) : in_(in) {
  for (const Node& node : in.program.nodes) {
    std::vector<EdgeCheck> all;
    if (node.parent != kNone) all = completed_[static_cast<std::size_t>(node.parent)];
    all.insert(all.end(), node.level.edges.begin(), node.level.edges.end());
    completed_.push_back(std::move(all));
  }
}

void EdgeAssignment::candidates(const EdgeCheck& e, const std::uint32_t* match, std::vector<std::uint32_t>& ids) const {
  const EntityCsr& csr = in_.entities[static_cast<std::size_t>(e.entities)];
  const std::uint32_t u = match[e.source], v = match[e.target];
  const auto range = std::equal_range(csr.neighbors + csr.offsets[u], csr.neighbors + csr.offsets[u + 1], v);
  ids.assign(csr.edge_ids + (range.first - csr.neighbors), csr.edge_ids + (range.second - csr.neighbors));
}

// Augmenting paths: gives `edge` a data edge, moving earlier ones where that helps.
bool EdgeAssignment::assign(std::size_t edge, std::vector<bool>& tried) {
  for (std::uint32_t id : choices_[edge]) {
    auto holder = std::find_if(taken_.begin(), taken_.end(), [&](const auto& t) { return t.first == id; });
    if (holder == taken_.end()) {
      taken_.emplace_back(id, edge);
      return true;
    }
    const auto slot = static_cast<std::size_t>(holder - taken_.begin());
    if (tried[slot]) continue;
    tried[slot] = true;
    if (assign(taken_[slot].second, tried)) {
      taken_[slot].second = edge;
      return true;
    }
  }
  return false;
}

bool EdgeAssignment::possible(int node, const std::uint32_t* match) {
  const auto n = static_cast<std::size_t>(node);
  for (const EdgeCheck& fresh : in_.program.nodes[n].level.edges) {
    const auto pair = std::minmax(match[fresh.source], match[fresh.target]);
    choices_.clear();
    for (const EdgeCheck& e : completed_[n]) {
      if (std::minmax(match[e.source], match[e.target]) != pair) continue;
      choices_.emplace_back();
      candidates(e, match, choices_.back());
    }
    if (choices_.size() == 1 && !choices_[0].empty()) continue;
    taken_.clear();
    for (std::size_t edge = 0; edge < choices_.size(); ++edge) {
      std::vector<bool> tried(choices_.size(), false);
      if (!assign(edge, tried)) return false;
    }
  }
  return true;
}

}  // namespace subiso
