// The trie of a program's leaves: levels that are the same loop below the same loops are one node.
#pragma once
#include "engine/program.hpp"

namespace subiso {

// Tells the leaves where their sizes are. Throws std::invalid_argument when they do not begin with the same level.
std::vector<Node> make_trie(std::vector<Leaf>& leaves);

}  // namespace subiso
