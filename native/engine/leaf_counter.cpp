#include "engine/leaf_counter.hpp"


namespace subiso {

LeafCounter::LeafCounter(const Inputs& in, Sets& sets, Scheduler& scheduler, const Leaf& leaf,
                         std::shared_ptr<TailSizes> sizes, LeafSum& sum)
    : scheduler_(scheduler),
      leaf_(leaf),
      sum_(sum),
      linear_(is_linear(leaf) && leaf.parts.empty()),
      tail_(leaf, std::move(sizes), leaf.size_at),
      sizes_(leaf.sizes.size()) {
  for (const Part& part : leaf.parts)
    parts_.emplace_back(in, sets, scheduler, part, static_cast<int>(leaf.levels.size()));
}

void LeafCounter::add_rest(Span vertices) {
  if (!parts_.empty() || !tail_.all_counted()) return;
  add_powers(leaf_, tail_.sum_over(vertices), sum_.total, sum_.overflow);
  end();
}

std::int64_t LeafCounter::add_product() {
  Count product = 0;
  std::int64_t steps = 0;
  add_terms(leaf_, sizes_.data(), product, sum_.overflow);
  for (PartCounter& part : parts_) {
    if (product == 0) break;
    const Count count = part.count(steps, sum_.overflow);
    for (int i = 0; i < part.power(); ++i) sum_.overflow |= __builtin_mul_overflow(product, count, &product);
  }
  if (!scheduler_.stopped()) add_to(product, sum_.total, sum_.overflow);
  scheduler_.check(sum_);
  return steps;
}

void LeafCounter::end() {
  if (linear_) add_linear(leaf_, linear_sum_, sum_.total, sum_.overflow);
  scheduler_.check(sum_);
  linear_sum_ = 0;
  open_ = false;
  tail_.end();
}

}  // namespace subiso
