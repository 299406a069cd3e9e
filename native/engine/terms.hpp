// The tail's polynomial: sums coefficient * product of sizes into a 128-bit total, noting overflow.
#pragma once
#include "engine/program.hpp"
#include "engine/scheduler.hpp"

namespace subiso {

inline void add_to(Count part, Count& total, bool& overflow) {
  overflow |= __builtin_add_overflow(total, part, &total);
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
  static constexpr std::size_t kHighest = 2;
  Count sum[kHighest + 1] = {};

  void add(std::uint64_t size, bool remove = false) {
    const Count sign = remove ? -1 : 1;
    sum[0] += sign;
    sum[1] += sign * static_cast<Count>(size);
    sum[2] += sign * static_cast<Count>(size) * static_cast<Count>(size);  // sizes have 32 bits
  }
};

inline bool is_univariate(const Loops& p) {
  if (p.sizes.size() != 1) return false;
  for (const Term& term : p.terms)
    if (term.factors.size() > PowerSums::kHighest) return false;
  return true;
}

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
