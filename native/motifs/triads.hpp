// Directed triads: triangles and wedges of the underlying graph, tallied by the directions of their edges.
#pragma once
#include <array>

#include "motifs/crew.hpp"
#include "motifs/sums.hpp"

namespace subiso::motifs {

// How a vertex is joined to another: bit 0, an arc to it; bit 1, an arc from it. One per list entry.
using Codes = std::vector<std::uint8_t>;

struct TriadTally {
  std::array<Count, 64> triangles{};  // of a < b < c at [code ab * 16 + code bc * 4 + code ac]
  std::array<Count, 16> wedges{};     // open or closed, at [code of one end * 4 + code of the other], seen from the middle
  std::array<Count, 4> entries{};     // list entries by code
};

Codes direction_codes(const SimpleGraph& either, const CsrStore& out_and_in);
TriadTally tally_triads(const SimpleGraph& graph, const Codes& codes, Crew& crew);

}  // namespace subiso::motifs
