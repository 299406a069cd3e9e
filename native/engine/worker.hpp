// One worker's depth-first search: loops over the levels of the trie, hands work over when others are hungry, and ends
// each path in the tails of its leaves (counting) or in a row (matching).
#pragma once
#include "engine/edge_assignment.hpp"
#include "engine/leaf_counter.hpp"
#include "engine/local.hpp"
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
    int node;  // whose loop it is
    const std::uint32_t* next;
    const std::uint32_t* end;
    Span rest() const { return {next, static_cast<std::size_t>(end - next)}; }
  };

  const Node& node_at(int number) const { return program_.nodes[static_cast<std::size_t>(number)]; }
  LeafCounter& counter(int leaf) { return counters_[static_cast<std::size_t>(leaf)]; }

  void run_seeds();
  void run_task(const Task& task);
  void finish();

  // Searches below the vertices matched so far: the candidates of a child, or all that are in the node's frame.
  void descend(int child);
  void search(int node);
  void iterate(int node);
  // The node's leaves begin their innermost loop, those that ended before their time apart.
  void begin_ends(const Node& node);
  // Adds at once for the rest of the loop what can be; true when nothing is left to do in it.
  bool all_added(const Node& node);
  // Matches v at the node's level; false when it does not fit.
  bool take(int node, std::uint32_t v);
  void iterate_local(int node);
  void tally_innermost();
  void emit_innermost();
  void flush_rows();

  // True when the loops should end: stopped, or the brief run's steps are spent (the rest was then given away).
  bool interrupted(int depth);
  void give_away(int depth, bool everything);
  // Gives away the last candidates of a frame; `begun`: leaves that end there may have counted for them already.
  void give(const Frame& frame, std::ptrdiff_t candidates, bool begun);

  const Inputs& in_;
  const Program& program_;
  Scheduler& scheduler_;
  Sets sets_;
  EdgeAssignment edges_;
  std::unique_ptr<Tally> tally_;
  std::vector<LeafSum> sums_;  // by leaf
  std::vector<LeafCounter> counters_;
  std::vector<std::unique_ptr<LocalSearch>> locals_;  // by node, where there is one
  Frame frames_[kMaxLevels];
  int first_depth_ = 0;
  const std::vector<int>* counted_ = nullptr;  // a task's leaves that need no more
  const bool looks_up_;  // local counts: the innermost loop takes every vertex, and sums one size
  std::int64_t steps_left_ = INT64_MAX;
  bool leaving_ = false;
  Batch rows_;
};

}  // namespace subiso
