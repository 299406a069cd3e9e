// R-MAT: recursive choice of a quadrant per bit of the two ids. See generate.hpp.
#include "generate/generate.hpp"
#include "generate/parallel.hpp"
#include "generate/permutation.hpp"

namespace subiso::generate {
namespace {
enum Streams : std::uint64_t { kCells, kShuffle };

std::vector<std::uint32_t> shuffled_ids(int scale, std::uint64_t seed, int threads) {
  const std::uint64_t n = 1ull << scale;
  const Permutation permutation(n, seed, kShuffle);
  std::vector<std::uint32_t> ids(n);
  parallel_ranges(n, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t v = begin; v < end; ++v) ids[v] = static_cast<std::uint32_t>(permutation(v));
  });
  return ids;
}
}  // namespace

EdgeList rmat(int scale, std::uint64_t edges, Quadrants quadrants, std::uint64_t seed, int threads) {
  const std::vector<std::uint32_t> ids = shuffled_ids(scale, seed, threads);
  const Stream cells(seed, kCells);
  const std::uint64_t draws_per_edge = (scale + 1) / 2;  // 32 bits choose a quadrant: two per draw
  EdgeList out(edges);
  parallel_ranges(edges, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t e = begin; e < end; ++e) {
      std::uint64_t row = 0, column = 0, bits = 0;
      for (int level = 0; level < scale; ++level) {
        bits = level % 2 == 0 ? cells.at(e * draws_per_edge + level / 2) : bits >> 32;
        const std::uint64_t r = bits & 0xFFFFFFFFu;
        const std::uint64_t down = r >= quadrants.ab;
        const std::uint64_t right = (r >= quadrants.a) ^ down ^ (r >= quadrants.abc);  // a | b above, c | d below
        row = row << 1 | down;
        column = column << 1 | right;
      }
      out.src[e] = ids[row];
      out.dst[e] = ids[column];
    }
  });
  return out;
}
}  // namespace subiso::generate
