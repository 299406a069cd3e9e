// A map from vertex pairs to edge numbers for edge lists that change: open addressing, linear probing, no tombstones.
#pragma once
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "generate/rng.hpp"

namespace subiso::generate {
class PairIndex {
 public:
  static constexpr std::uint32_t kAbsent = ~0u;

  // `most` is an upper bound of the number of pairs held at one time. Ordered pairs are told from their reverse.
  PairIndex(std::uint64_t most, bool ordered)
      : slots_(std::bit_ceil(most * 2 + 2)), mask_(slots_.size() - 1), ordered_(ordered) {}

  std::uint32_t find(std::uint32_t u, std::uint32_t v) const {
    return slots_[slot(key(u, v))].edge;
  }
  bool contains(std::uint32_t u, std::uint32_t v) const { return slots_[slot(key(u, v))].key != kEmpty; }
  // Brings the place where a pair is or would be into the cache.
  void prefetch(std::uint32_t u, std::uint32_t v) const { __builtin_prefetch(&slots_[home(key(u, v))]); }

  void put(std::uint32_t u, std::uint32_t v, std::uint32_t edge) {
    const std::uint64_t k = key(u, v);
    slots_[slot(k)] = {k, edge};
  }

  // Closes the gap by moving later members of the cluster back, so that probing still ends at the first empty slot.
  void erase(std::uint32_t u, std::uint32_t v) {
    std::uint64_t gap = slot(key(u, v));
    if (slots_[gap].key == kEmpty) return;
    for (std::uint64_t i = (gap + 1) & mask_; slots_[i].key != kEmpty; i = (i + 1) & mask_) {
      if (((i - home(slots_[i].key)) & mask_) < ((i - gap) & mask_)) continue;
      slots_[gap] = slots_[i];
      gap = i;
    }
    slots_[gap] = {};
  }

 private:
  static constexpr std::uint64_t kEmpty = ~0ull;  // no pair: no vertex has the number 2^32 - 1

  struct Slot {
    std::uint64_t key = kEmpty;
    std::uint32_t edge = kAbsent;
  };

  std::uint64_t key(std::uint32_t u, std::uint32_t v) const {
    if (!ordered_ && u > v) std::swap(u, v);
    return static_cast<std::uint64_t>(u) << 32 | v;
  }
  std::uint64_t home(std::uint64_t k) const { return mix(k) & mask_; }
  std::uint64_t slot(std::uint64_t k) const {
    std::uint64_t i = home(k);
    while (slots_[i].key != kEmpty && slots_[i].key != k) i = (i + 1) & mask_;
    return i;
  }

  std::vector<Slot> slots_;
  std::uint64_t mask_;
  bool ordered_;
};
}  // namespace subiso::generate
