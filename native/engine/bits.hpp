// Sets as bit rows of whole words: sizes, and what is in them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace subiso {

inline std::uint64_t size_of_bits(const std::uint64_t* bits, std::size_t words) {
  std::uint64_t found = 0;
  for (std::size_t w = 0; w < words; ++w) found += static_cast<std::uint64_t>(__builtin_popcountll(bits[w]));
  return found;
}

inline std::uint64_t size_of_common_bits(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  std::uint64_t found = 0;
  for (std::size_t w = 0; w < words; ++w) found += static_cast<std::uint64_t>(__builtin_popcountll(a[w] & b[w]));
  return found;
}

template <class F>
void each_bit(const std::uint64_t* bits, std::size_t words, const F& f) {
  for (std::size_t w = 0; w < words; ++w)
    for (std::uint64_t left = bits[w]; left != 0; left &= left - 1)
      f(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left))));
}

}  // namespace subiso
