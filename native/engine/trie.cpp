#include "engine/trie.hpp"

#include <algorithm>
#include <stdexcept>

namespace subiso {
namespace {

// Bit rows are shared by what reads the same rows. Pivoting is a search of its own.
bool same_rows(const Local& a, const Local& b) {
  if (!a.wanted() || !b.wanted()) return a.wanted() == b.wanted();
  return a.relation == b.relation && a.above == b.above && a.rows_above == b.rows_above && !a.cliques && !b.cliques;
}

void add_new(std::vector<int>& all, const std::vector<int>& more) {
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());  // sets are computed in the order of their numbers
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

class Builder {
 public:
  void insert(Leaf& leaf, int number) {
    int at = kNone;
    for (std::size_t depth = 0; depth < leaf.levels.size(); ++depth) {
      at = child_for(at, leaf, static_cast<int>(depth));
      Node& node = nodes[static_cast<std::size_t>(at)];
      node.level.least = std::min(node.level.least, leaf.levels[depth].least);
      add_new(node.level.sets, leaf.levels[depth].sets);
      add_new(node.level.codegrees, leaf.levels[depth].codegrees);
      if (depth == 1) node.local.least = std::min(node.local.least, leaf.local.least);
      node.leaves.push_back(number);
    }
    Node& last = nodes[static_cast<std::size_t>(at)];
    last.ends.push_back(number);
    for (const TailSize& size : leaf.sizes) {
      const auto found = std::find(last.sizes.begin(), last.sizes.end(), size);
      leaf.size_at.push_back(static_cast<int>(found - last.sizes.begin()));
      if (found == last.sizes.end()) last.sizes.push_back(size);
    }
  }

  std::vector<Node> nodes;

 private:
  int child_for(int parent, const Leaf& leaf, int depth) {
    const Level& level = leaf.levels[static_cast<std::size_t>(depth)];
    if (parent == kNone) {
      if (nodes.empty()) return add(parent, leaf, depth);
      if (!nodes[0].level.same_loop(level)) throw std::invalid_argument("malformed program: plans that begin differently");
      return 0;
    }
    for (int child : nodes[static_cast<std::size_t>(parent)].children) {
      const Node& node = nodes[static_cast<std::size_t>(child)];
      if (node.level.same_loop(level) && (depth != 1 || same_rows(node.local, leaf.local))) return child;
    }
    return add(parent, leaf, depth);
  }

  int add(int parent, const Leaf& leaf, int depth) {
    const int number = static_cast<int>(nodes.size());
    Node node;
    node.depth = depth;
    node.parent = parent;
    node.level = leaf.levels[static_cast<std::size_t>(depth)];
    if (depth == 1) node.local = leaf.local;
    nodes.push_back(std::move(node));
    if (parent != kNone) nodes[static_cast<std::size_t>(parent)].children.push_back(number);
    return number;
  }
};

}  // namespace

std::vector<Node> make_trie(std::vector<Leaf>& leaves) {
  Builder builder;
  for (std::size_t i = 0; i < leaves.size(); ++i) builder.insert(leaves[i], static_cast<int>(i));
  return std::move(builder.nodes);
}

}  // namespace subiso
