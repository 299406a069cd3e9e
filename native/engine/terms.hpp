// The tail's polynomial: sums coefficient * product of sizes into a 128-bit total, noting overflow.
#pragma once
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
inline bool is_linear(const Program& p) {
  return p.sizes.size() == 1 && p.terms.size() == 1 && p.terms[0].factors.size() == 1;
}

inline void add_linear(const Program& p, std::uint64_t sum, Count& total, bool& overflow) {
  add_to(Count{p.terms[0].coefficient} * static_cast<Count>(sum), total, overflow);
}

inline void add_terms(const Program& p, const std::uint64_t* sizes, Count& total, bool& overflow) {
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
