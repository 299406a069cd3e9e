// What one plan sums at the end of its loops: its tail's polynomial for every vertex of the innermost one, multiplied
// with what its parts count.
#pragma once
#include "engine/inner_tail.hpp"
#include "engine/part.hpp"
#include "engine/scheduler.hpp"
#include "engine/sets.hpp"
#include "engine/terms.hpp"

namespace subiso {

class LeafCounter {
 public:
  // `sizes`: those of the node where the leaf ends.
  LeafCounter(const Inputs& in, Sets& sets, Scheduler& scheduler, const Leaf& leaf,
              std::shared_ptr<TailSizes> sizes, LeafSum& sum);

  // The innermost loop is about to run over `length` candidates.
  void begin(std::size_t length) {
    linear_sum_ = 0;
    open_ = tail_.begin(length);
  }
  // Nothing is to be added for the rest of the loop.
  void close() {
    if (open_) end();
  }
  bool open() const { return open_; }
  // Adds for all vertices that the loop still has to come to, where that can be done at once; closes it then.
  void add_rest(Span vertices);
  // The innermost vertex was just matched with v. How many candidates its parts looked at.
  std::int64_t add(std::uint32_t v) {
    tail_.evaluate(v, sizes_.data());
    if (linear_) {
      linear_sum_ += sizes_[0];
      return 0;
    }
    if (!parts_.empty()) return add_product();
    add_terms(leaf_, sizes_.data(), sum_.total, sum_.overflow);
    return 0;
  }
  // The loop is over.
  void end();

  // For local counts, which have an innermost loop of their own.
  InnerTail& tail() { return tail_; }
  std::uint64_t* sizes() { return sizes_.data(); }

 private:
  // The polynomial at sizes_, multiplied with what the parts count.
  std::int64_t add_product();

  Scheduler& scheduler_;
  const Leaf& leaf_;
  LeafSum& sum_;
  const bool linear_;
  InnerTail tail_;
  std::vector<PartCounter> parts_;
  std::vector<std::uint64_t> sizes_;
  std::uint64_t linear_sum_ = 0;
  bool open_ = false;
};

}  // namespace subiso
