#include "engine/inner_tail.hpp"

#include <numeric>

namespace subiso {
namespace {

bool takes_all(const Loops& loops) {
  const Level& level = loops.levels.back();
  const Source::Kind kind = level.expression.source.kind;
  const bool in_order = kind == Source::kList || kind == Source::kSet;
  return is_univariate(loops) && level.expression.filter == kNone && level.pairs.empty() && level.edges.empty() &&
         level.sets.empty() && level.codegrees.empty() && (in_order || level.plain());
}

}  // namespace

InnerTail::InnerTail(const Inputs& in, Sets& sets, const Loops& loops, int last)
    : sizes_(std::make_shared<TailSizes>(in, sets, loops.levels.back(), loops.sizes, last)),
      size_at_(loops.sizes.size()),
      degree_(degree(loops)),
      summable_(takes_all(loops)) {
  std::iota(size_at_.begin(), size_at_.end(), std::size_t{0});
}

InnerTail::InnerTail(const Loops& loops, std::shared_ptr<TailSizes> sizes, const std::vector<int>& size_at)
    : sizes_(std::move(sizes)),
      size_at_(size_at.begin(), size_at.end()),
      degree_(degree(loops)),
      summable_(takes_all(loops)) {}

bool InnerTail::begin(std::size_t length) {
  for (std::size_t size : size_at_) sizes_->begin(size, length);
  if (size_at_.size() != 1 || !sizes_->nothing(size_at_[0])) return true;
  end();
  return false;
}

}  // namespace subiso
