// Numbers the members of a bitmap in order: the compact numbering of a candidate graph.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "setops/setops.hpp"

namespace subiso {

class Numbering {
 public:
  Numbering(const std::uint64_t* bits, std::size_t words) : bits_(bits), before_(words + 1) {
    for (std::size_t w = 0; w < words; ++w)
      before_[w + 1] = before_[w] + static_cast<std::uint32_t>(__builtin_popcountll(bits[w]));
  }

  std::uint32_t size() const { return before_.back(); }
  bool contains(std::uint32_t v) const { return bits_[v >> 6] >> (v & 63) & 1; }
  // The number of a member.
  std::uint32_t operator[](std::uint32_t v) const {
    const std::uint64_t below = bits_[v >> 6] & ((std::uint64_t{1} << (v & 63)) - 1);
    return before_[v >> 6] + static_cast<std::uint32_t>(__builtin_popcountll(below));
  }
  std::vector<std::uint32_t> members() const {
    std::vector<std::uint32_t> found;
    found.reserve(size());
    for (std::size_t w = 0; w + 1 < before_.size(); ++w)
      for (std::uint64_t left = bits_[w]; left != 0; left &= left - 1)
        found.push_back(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left))));
    return found;
  }

 private:
  const std::uint64_t* bits_;
  std::vector<std::uint32_t> before_;  // members in earlier words
};

// How many elements of a list are in a bitmap.
inline std::size_t count_in(Span list, const std::uint64_t* bits) {
  std::size_t found = 0;
  for (std::uint32_t v : list) found += bits[v >> 6] >> (v & 63) & 1;
  return found;
}

}  // namespace subiso
