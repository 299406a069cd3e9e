// The tail's polynomial: sums coefficient * product of sizes into a 128-bit total, noting overflow.
#pragma once
#include <algorithm>

#include "engine/program.hpp"
#include "engine/scheduler.hpp"

namespace subiso {

inline void add_to(Count part, Count& total, bool& overflow) {
  overflow |= __builtin_add_overflow(total, part, &total);
}

// What was added to a total since it was `before`; wraps around as a total that overflows does.
inline Count added_since(Count before, Count total) {
  return static_cast<Count>(static_cast<unsigned __int128>(total) - static_cast<unsigned __int128>(before));
}

// The polynomial is coefficient * one size: sizes may then be summed first.
inline bool is_linear(const Loops& p) {
  return p.sizes.size() == 1 && p.terms.size() == 1 && p.terms[0].factors.size() == 1;
}

inline void add_linear(const Loops& p, std::uint64_t sum, Count& total, bool& overflow) {
  add_to(Count{p.terms[0].coefficient} * static_cast<Count>(sum), total, overflow);
}

// Sums of the powers of one size over many vertices: all that a polynomial in it needs.
struct PowerSums {
  static constexpr std::size_t kHighest = 3;
  Count sum[kHighest + 1] = {};

  // Up to the square, or to the cube: sizes have 32 bits, so neither can leave its type.
  template <bool kCube>
  void add(std::uint64_t size) {
    const std::uint64_t square = size * size;
    sum[0] += 1;
    sum[1] += static_cast<Count>(size);
    sum[2] += static_cast<Count>(square);
    if (kCube) sum[3] += static_cast<Count>(square) * static_cast<Count>(size);
  }
  void subtract(const PowerSums& other) {
    for (std::size_t i = 0; i <= kHighest; ++i) sum[i] -= other.sum[i];
  }
};

inline std::size_t degree(const Loops& p) {
  std::size_t highest = 0;
  for (const Term& term : p.terms) highest = std::max(highest, term.factors.size());
  return highest;
}

inline bool is_univariate(const Loops& p) { return p.sizes.size() == 1 && degree(p) <= PowerSums::kHighest; }

inline void add_powers(const Loops& p, const PowerSums& powers, Count& total, bool& overflow) {
  for (const Term& term : p.terms) {
    Count product;
    overflow |= __builtin_mul_overflow(powers.sum[term.factors.size()], Count{term.coefficient}, &product);
    add_to(product, total, overflow);
  }
}

inline void add_terms(const Loops& p, const std::uint64_t* sizes, Count& total, bool& overflow) {
  for (const Term& term : p.terms) {
    Count product = term.coefficient;
    if (term.fits) {
      for (int factor : term.factors) product *= static_cast<std::int64_t>(sizes[factor]);
      add_to(product, total, overflow);
      continue;
    }
    for (int factor : term.factors)
      overflow |= __builtin_mul_overflow(product, static_cast<Count>(sizes[factor]), &product);
    add_to(product, total, overflow);
  }
}

}  // namespace subiso
