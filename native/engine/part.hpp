// Counts the extensions of a matched cut by one component of the rest: loops inside the worker's, without handing over.
#pragma once
#include "engine/inner_tail.hpp"
#include "engine/scheduler.hpp"

namespace subiso {

class PartCounter {
 public:
  // `first`: the position of its first level.
  PartCounter(const Inputs& in, Sets& sets, Scheduler& scheduler, const Part& part, int first);

  // How many extensions the vertices matched in `sets` have; meaningless once the run is stopped. `steps` grows by the
  // candidates looked at.
  Count count(std::int64_t& steps, bool& overflow);
  int power() const { return part_.power; }

 private:
  void iterate(std::size_t level);
  void innermost();

  const Inputs& in_;
  Sets& sets_;
  Scheduler& scheduler_;
  const Part& part_;
  const int first_;
  const bool linear_;
  InnerTail tail_;
  std::vector<std::uint64_t> sizes_;
  LeafSum sum_;
  std::int64_t steps_ = 0;
};

}  // namespace subiso
