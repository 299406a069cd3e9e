// A set of vertex pairs, for generators that must not draw an edge twice: open addressing, linear probing, no tombstones.
#pragma once
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "generate/rng.hpp"

namespace subiso::generate {
class PairSet {
 public:
  // `most` is an upper bound of the number of pairs held at one time.
  explicit PairSet(std::uint64_t most) : slots_(std::bit_ceil(most * 2 + 2), kEmpty), mask_(slots_.size() - 1) {}

  static std::uint64_t key(std::uint32_t u, std::uint32_t v) {
    if (u > v) std::swap(u, v);
    return static_cast<std::uint64_t>(u) << 32 | v;
  }

  bool contains(std::uint32_t u, std::uint32_t v) const { return slots_[find(key(u, v))] != kEmpty; }

  // Whether the pair was new.
  bool insert(std::uint32_t u, std::uint32_t v) {
    const std::uint64_t k = key(u, v);
    std::uint64_t& slot = slots_[find(k)];
    if (slot != kEmpty) return false;
    slot = k;
    return true;
  }

  // Closes the gap by moving later members of the cluster back, so that probing still ends at the first empty slot.
  void erase(std::uint32_t u, std::uint32_t v) {
    std::uint64_t gap = find(key(u, v));
    if (slots_[gap] == kEmpty) return;
    for (std::uint64_t i = (gap + 1) & mask_; slots_[i] != kEmpty; i = (i + 1) & mask_) {
      const std::uint64_t from_home = (i - home(slots_[i])) & mask_;
      const std::uint64_t from_gap = (i - gap) & mask_;
      if (from_home < from_gap) continue;
      slots_[gap] = slots_[i];
      gap = i;
    }
    slots_[gap] = kEmpty;
  }

 private:
  static constexpr std::uint64_t kEmpty = ~0ull;  // no pair: no vertex has the number 2^32 - 1

  std::uint64_t home(std::uint64_t k) const { return mix(k) & mask_; }
  std::uint64_t find(std::uint64_t k) const {
    std::uint64_t i = home(k);
    while (slots_[i] != kEmpty && slots_[i] != k) i = (i + 1) & mask_;
    return i;
  }

  std::vector<std::uint64_t> slots_;
  std::uint64_t mask_;
};
}  // namespace subiso::generate
