#include "twigs/weigh.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "graph/parallel.hpp"

namespace subiso::twigs {
namespace {

constexpr u64 kTooLarge = ~u64{0};

u64 weight_of(const Twig& twig, u32 root, const u64* below) {
  unsigned __int128 sum = 0;
  twig.each_candidate(0, root, [&](u32 x) {
    const bool fits =
        std::all_of(twig.tests.begin(), twig.tests.end(), [&](const PairTest& t) { return twig.passes(t, x, root); });
    if (fits) sum += below == nullptr ? 1 : below[x];
  });
  return sum >= kTooLarge ? kTooLarge : static_cast<u64>(sum);
}

}  // namespace

Weights weigh(const Twig& twig, const u64* below, unsigned threads) {
  constexpr std::size_t kPiece = 16;  // words that a thread takes at a time
  const std::size_t words = twig.words();
  Weights result{std::vector<u64>(twig.store.num_vertices()), 0};
  std::atomic<std::size_t> next{0};
  std::mutex one_at_a_time;
  run_threads(threads_for(words * 64, threads), [&](unsigned) {
    u64 most = 0;
    for (std::size_t begin; (begin = next.fetch_add(kPiece)) < words;) {
      for (std::size_t w = begin; w < std::min(words, begin + kPiece); ++w) {
        for (u64 left = twig.bits[0][w]; left != 0; left &= left - 1) {
          const auto root = static_cast<u32>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
          const u64 weight = result.values[root] = weight_of(twig, root, below);
          most = std::max(most, weight);
          if (weight == 0) twig.bits[0][w] &= ~(left & -left);
        }
      }
    }
    const std::lock_guard lock(one_at_a_time);
    result.most = std::max(result.most, most);
  });
  return result;
}

}  // namespace subiso::twigs
