#include "engine/part.hpp"

#include "engine/accept.hpp"
#include "engine/terms.hpp"

namespace subiso {

PartCounter::PartCounter(const Inputs& in, Sets& sets, Scheduler& scheduler, const Part& part, int first)
    : in_(in),
      sets_(sets),
      scheduler_(scheduler),
      part_(part),
      first_(first),
      linear_(is_linear(part)),
      tail_(in, sets, part, first_ + static_cast<int>(part.levels.size()) - 1),
      sizes_(part.sizes.size()) {}

Count PartCounter::count(std::int64_t& steps, bool& overflow) {
  sum_.total = 0;
  steps_ = 0;
  iterate(0);
  steps += steps_;
  overflow |= sum_.overflow;
  return sum_.total;
}

void PartCounter::iterate(std::size_t level) {
  if (level + 1 == part_.levels.size()) return innermost();
  const Level& l = part_.levels[level];
  for (std::uint32_t v : sets_.slice(l.expression)) {
    if (scheduler_.stopped()) return;
    if (!l.plain() && !accepts(in_, l, sets_.match, v)) continue;
    ++steps_;
    sets_.bind(first_ + static_cast<int>(level), v);
    sets_.compute_at(l);
    iterate(level + 1);
  }
}

void PartCounter::innermost() {
  const Level& l = part_.levels.back();
  const Span candidates = sets_.slice(l.expression);
  steps_ += static_cast<std::int64_t>(candidates.size);
  if (!tail_.begin(candidates.size)) return;
  std::uint64_t sum = 0;
  const std::uint32_t* next = candidates.begin();
  while (next != candidates.end()) {
    if (tail_.all_counted()) {
      const Span rest{next, static_cast<std::size_t>(candidates.end() - next)};
      add_powers(part_, tail_.sum_over(rest), sum_.total, sum_.overflow);
      break;
    }
    const std::uint32_t v = *next++;
    if (!l.plain() && !accepts(in_, l, sets_.match, v)) continue;
    sets_.bind(first_ + static_cast<int>(part_.levels.size()) - 1, v);
    sets_.compute_at(l);
    tail_.evaluate(v, sizes_.data());
    if (linear_)
      sum += sizes_[0];
    else
      add_terms(part_, sizes_.data(), sum_.total, sum_.overflow);
  }
  if (linear_) add_linear(part_, sum, sum_.total, sum_.overflow);
  scheduler_.check(sum_);
  tail_.end();
}

}  // namespace subiso
