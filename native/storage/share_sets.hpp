// The order of share sets (GENEVA, algorithm 2): which edge-label partitions a group of vertices is in decides where
// the group stands, so that the vertices of every partition form few intervals.
#pragma once
#include <cstdint>
#include <vector>

namespace subiso {

// Set s holds the partitions items[offsets[s]] .. items[offsets[s + 1]], sorted, and stands for `weights[s]` vertices.
struct ShareSets {
  const std::int64_t* offsets;
  const std::uint32_t* items;
  const std::int64_t* weights;
  std::uint32_t size;
  std::uint32_t num_partitions;
};

// The sets in the order of their new vertex numbers. The partition with the most vertices that have no place yet comes
// next; its sets are chained, each followed by the one that has most partitions in common with it, of these the one that
// differs least. Partitions of more than `window` sets are chained in pieces of neighbouring sets.
std::vector<std::uint32_t> share_order(const ShareSets& sets, std::uint32_t window);

}  // namespace subiso
