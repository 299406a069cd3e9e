#include "engine/sample.hpp"

#include <atomic>

#include "graph/parallel.hpp"

namespace subiso {
namespace {

Block run_block(Walker& walker, std::uint64_t seed, std::uint64_t number, std::size_t size) {
  generate::Draws draws(seed, number);
  Block block;
  for (std::size_t i = 0; i < size; ++i) {
    const double within = static_cast<double>(draws.next() >> 11) * 0x1p-53;
    const double counted = walker.walk((static_cast<double>(i) + within) / static_cast<double>(size), draws);
    block.mean += counted;
    block.nonzero += counted != 0;
  }
  block.mean /= static_cast<double>(size);
  const WalkTally tally = walker.take_tally();
  block.work = tally.work;
  block.reached = tally.reached / static_cast<double>(size);
  block.overflow = tally.overflow;
  return block;
}

}  // namespace

std::vector<Block> sample_blocks(const Inputs& in, const WalkWeights& weights, std::uint64_t seed, std::uint64_t first,
                                 std::size_t blocks, std::size_t size, int threads) {
  std::vector<Block> results(blocks);
  std::atomic<std::size_t> next{0};
  const auto wanted = std::min(static_cast<std::size_t>(threads), blocks);
  run_threads(static_cast<unsigned>(wanted), [&](unsigned) {
    Walker walker(in, weights);
    for (std::size_t i; (i = next.fetch_add(1)) < blocks;) results[i] = run_block(walker, seed, first + i, size);
  });
  return results;
}

}  // namespace subiso
