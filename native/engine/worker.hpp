// One worker's depth-first search: loops over the levels, hands work over when others are hungry, and ends each path
// in the tail (counting) or in a row (matching).
#pragma once
#include "engine/edge_assignment.hpp"
#include "engine/inner_tail.hpp"
#include "engine/local.hpp"
#include "engine/part.hpp"
#include "engine/scheduler.hpp"
#include "engine/sets.hpp"
#include "engine/tally.hpp"

namespace subiso {

class Worker {
 public:
  // `store`: where local counts are summed, by the worker's number; null for plain counts and rows.
  Worker(const Inputs& in, Scheduler& scheduler, const TallyStore* store = nullptr, int number = 0);

  // Works until nothing is left or the run is stopped.
  void run();
  // Works through seeds for about `steps` candidates, then leaves the rest to the scheduler: small queries finish
  // here, on the calling thread, before any other is started.
  // True when nothing is left.
  bool run_briefly(std::int64_t steps);

 private:
  struct Frame {
    const std::uint32_t* next;
    const std::uint32_t* end;
  };

  void run_seeds();
  void run_task(const Task& task);
  void finish();

  void iterate(int level);
  // Matches v at the level; false when it does not fit.
  bool take(int level, std::uint32_t v);
  void iterate_local();
  void count_innermost();
  // The polynomial at sizes_, multiplied with what the parts count.
  void add_product();
  void tally_innermost();
  void emit_innermost();
  void flush_rows();

  // True when the loops should end: stopped, or the brief run's steps are spent (the rest was then given away).
  bool interrupted(int level);
  void give_away(int level, bool everything);

  const Inputs& in_;
  const Program& program_;
  Scheduler& scheduler_;
  Sets sets_;
  EdgeAssignment edges_;
  std::unique_ptr<Tally> tally_;
  LocalSearch local_;
  Frame frames_[kMaxLevels];
  int first_level_ = 0;
  const int last_level_;
  const bool linear_;
  const bool looks_up_;  // the innermost loop takes every vertex, and sums one size
  InnerTail tail_;
  std::vector<PartCounter> parts_;
  std::int64_t steps_left_ = INT64_MAX;
  bool leaving_ = false;
  std::vector<std::uint64_t> sizes_;
  Batch rows_;
  Count total_ = 0;
  bool overflow_ = false;
};

}  // namespace subiso
