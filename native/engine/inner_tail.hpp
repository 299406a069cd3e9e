// The tail of loops at their innermost one: which of its sizes are wanted for every vertex, and when their polynomial
// can be summed for all vertices that are left at once.
#pragma once
#include <memory>

#include "engine/tail_sizes.hpp"

namespace subiso {

class InnerTail {
 public:
  // For the innermost of `loops`, which is at position `last`, with sizes of its own.
  InnerTail(const Inputs& in, Sets& sets, const Loops& loops, int last);
  // With sizes that others read too; `size_at`: where those of the loops are among them.
  InnerTail(const Loops& loops, std::shared_ptr<TailSizes> sizes, const std::vector<int>& size_at);

  // The loop over the last level is about to run over `length` candidates; false when it cannot count anything: it has
  // no end then.
  bool begin(std::size_t length);
  // The last level was just matched with v.
  void evaluate(std::uint32_t v, std::uint64_t* sizes) {
    for (std::size_t i = 0; i < size_at_.size(); ++i) sizes[i] = sizes_->value(size_at_[i], v);
  }
  void end() {
    for (std::size_t size : size_at_) sizes_->end(size);
  }
  // The only size is a codegree by now, and the level takes every vertex but matched ones.
  bool all_counted() const { return summable_ && sizes_->counted(size_at_[0]); }
  PowerSums sum_over(Span vertices) { return sizes_->sum_over(size_at_[0], vertices, degree_); }
  // ... and what it is for one of them.
  std::uint64_t counted(std::uint32_t v) { return sizes_->counted_at(size_at_[0], v); }

 private:
  std::shared_ptr<TailSizes> sizes_;
  std::vector<std::size_t> size_at_;
  const std::size_t degree_;  // of the polynomial
  const bool summable_;       // a polynomial in one size, and a level that takes all but matched vertices
};

}  // namespace subiso
