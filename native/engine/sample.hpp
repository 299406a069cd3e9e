// Blocks of random walks: block b is the same whoever runs it and with whichever others, so that a seed gives one
// answer for any number of threads. The seeds of a block's walks are spread evenly over the seeds' weights.
#pragma once
#include "engine/walk.hpp"

namespace subiso {

struct Block {
  double mean = 0;     // of the walks' estimates
  double work = 0;     // elements looked at
  double nonzero = 0;  // walks that counted something
  double reached = 0;  // estimated number of ways to the innermost level
  bool overflow = false;
};

// Runs blocks first, first + 1, ... of `size` walks each.
std::vector<Block> sample_blocks(const Inputs& in, const WalkWeights& weights, std::uint64_t seed, std::uint64_t first,
                                 std::size_t blocks, std::size_t size, int threads);

}  // namespace subiso
