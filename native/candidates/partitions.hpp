// The ways in which pattern vertices may coincide, with their coefficients in the number of ways to keep them apart.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace subiso {

struct Partitions {
  std::vector<std::vector<int>> block_of;  // per partition and vertex the number of its block; the first has all alone
  std::vector<std::int64_t> coefficients;  // products of (-1)^(b-1) (b-1)! over the blocks' sizes b
  bool all = true;                         // there are no more
};

// Splits vertices into blocks of which any two may coincide (bit u of overlaps[v]); gives up beyond `most`.
Partitions partitions_of(const std::vector<std::uint64_t>& overlaps, std::size_t most);

}  // namespace subiso
