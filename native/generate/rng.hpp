// The random numbers of the generators: counter-based, so that the i-th draw needs no earlier one. Header only.
//
// A stream is the SplitMix64 sequence read at random: draw i of stream s of a seed is mix(key(seed, s) + (i + 1) * gamma), in 64-bit
// unsigned arithmetic alone. Hence the same numbers on every platform, and the same graph for every number of threads.
#pragma once
#include <cstdint>

namespace subiso::generate {
inline constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15ull;  // 2^64 / golden ratio, odd

// A bijection of 64-bit words in which every input bit reaches every output bit (Stafford's variant 13).
inline constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

class Stream {
 public:
  constexpr Stream(std::uint64_t seed, std::uint64_t stream) : key_(mix(mix(seed + kGamma) ^ mix(~stream))) {}

  // 64 random bits, number i of the stream.
  constexpr std::uint64_t at(std::uint64_t i) const { return mix(key_ + (i + 1) * kGamma); }

  // A number in [0, bound) from draw i; the bias, bound / 2^64, is far below what any sample could show.
  constexpr std::uint64_t below(std::uint64_t i, std::uint64_t bound) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(at(i)) * bound) >> 64);
  }

 private:
  std::uint64_t key_;
};

// The same stream read in order, for generators whose number of draws is not known beforehand.
class Draws {
 public:
  constexpr Draws(std::uint64_t seed, std::uint64_t stream) : stream_(seed, stream) {}
  constexpr std::uint64_t next() { return stream_.at(i_++); }
  constexpr std::uint64_t below(std::uint64_t bound) { return stream_.below(i_++, bound); }

 private:
  Stream stream_;
  std::uint64_t i_ = 0;
};
}  // namespace subiso::generate
