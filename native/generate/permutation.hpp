// A seeded permutation of [0, size) that is evaluated point by point: shuffles ids and draws without replacement in parallel.
#pragma once
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "generate/rng.hpp"

namespace subiso::generate {
// Large domains use a Feistel network on the next power of two and walk its cycle until it is back in the domain (fewer than two steps on
// average), which needs no memory. Small domains, where a network has too few keys to look random, are shuffled in a table.
class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t stream) : size_(size), keys_(seed, stream) {
    if (size <= kTable) {
      shuffle();
      return;
    }
    const int bits = std::bit_width(size - 1);
    low_bits_ = bits / 2;
    low_mask_ = (1ull << low_bits_) - 1;
    high_mask_ = (1ull << (bits - low_bits_)) - 1;
    for (int round = 0; round < kRounds; ++round) round_keys_[round] = keys_.at(round);
  }

  std::uint64_t size() const { return size_; }

  std::uint64_t operator()(std::uint64_t x) const {
    if (!table_.empty()) return table_[x];
    do x = network(x);
    while (x >= size_);
    return x;
  }

 private:
  static constexpr std::uint64_t kTable = 1ull << 16;
  static constexpr int kRounds = 8;

  void shuffle() {
    table_.resize(size_);
    std::iota(table_.begin(), table_.end(), 0u);
    for (std::uint64_t i = size_; i > 1; --i) std::swap(table_[i - 1], table_[keys_.below(i, i)]);
  }

  std::uint64_t network(std::uint64_t x) const {
    std::uint64_t low = x & low_mask_;
    std::uint64_t high = x >> low_bits_;
    for (int round = 0; round < kRounds; round += 2) {
      high ^= mix(low + round_keys_[round]) & high_mask_;
      low ^= mix(high + round_keys_[round + 1]) & low_mask_;
    }
    return high << low_bits_ | low;
  }

  std::uint64_t size_;
  Stream keys_;
  std::vector<std::uint32_t> table_;
  std::uint64_t round_keys_[kRounds] = {};
  std::uint64_t low_mask_ = 0, high_mask_ = 0;
  int low_bits_ = 0;
};
}  // namespace subiso::generate
