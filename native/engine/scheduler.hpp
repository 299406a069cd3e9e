// What the workers of one run share: seeds, handed-over tasks, the stop flag, the totals, and the queue of finished
// batches. Work moves from busy to idle workers: whoever finds somebody hungry gives away half of its shallowest loop.
#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace subiso {

using Count = __int128;

// What a plan has counted.
struct LeafSum {
  Count total = 0;
  bool overflow = false;
};

// A part of the search tree: everything below `prefix` with the next vertex, at a node of the trie, among `candidates`.
struct Task {
  int node = 0;
  std::vector<std::uint32_t> prefix;
  std::vector<std::uint32_t> candidates;
  std::vector<int> counted;  // leaves that end at the node and need nothing more of it
};

using Batch = std::vector<std::uint32_t>;

class Scheduler {
 public:
  Scheduler(std::size_t num_seeds, std::size_t max_batches, std::size_t num_leaves = 1)
      : num_seeds_(num_seeds), max_batches_(max_batches), sums_(num_leaves) {}

  // Called once the number of workers is known, before any of them asks for a task.
  void set_workers(int workers) {
    workers_ = workers;
    chunk_ = std::max<std::size_t>(1, std::min<std::size_t>(256, num_seeds_ / (static_cast<std::size_t>(workers) * 64)));
  }

  bool take_seeds(std::size_t& begin, std::size_t& end);
  // Waits until there is a task (true) or nothing is left to do (false).
  bool take_task(Task& task);
  void give(Task task);
  bool hungry() const { return hunger_.load(std::memory_order_relaxed) > 0; }

  void stop();
  // A worker could not go on (no memory): the run is stopped, its answer worth nothing.
  void fail() {
    failed_.store(true);
    stop();
  }
  bool failed() const { return failed_.load(); }
  // A total that has overflown is an error, whatever is still to come: between loops, so that it is one at once.
  void check(const LeafSum& sum) {
    if (sum.overflow) stop();
  }
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }

  // Adds what a worker has counted, leaf by leaf, and takes it from the worker.
  void add(std::vector<LeafSum>& parts);
  const std::vector<LeafSum>& sums() const { return sums_; }

  // Blocks while the queue is full; false when the run was stopped meanwhile. `bounded` off never blocks.
  bool push_batch(Batch batch, bool bounded);
  // True with a batch; false when none came within the time, or none will.
  bool pop_batch(Batch& batch, double seconds);

  void worker_done();
  bool wait_done(double seconds);
  bool done() const { return done_.load(std::memory_order_acquire); }
  double fraction_of_seeds() const;

 private:
  void update_hunger() {
    hunger_.store(static_cast<int>(idle_) - static_cast<int>(tasks_.size()), std::memory_order_relaxed);
  }

  const std::size_t num_seeds_;
  const std::size_t max_batches_;
  std::size_t chunk_ = 1;
  int workers_ = 1;
  std::atomic<std::size_t> next_seed_{0};
  std::atomic<int> hunger_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> done_{false};
  std::atomic<bool> failed_{false};

  std::mutex mutex_;
  std::condition_variable task_ready_;
  std::condition_variable batch_ready_;
  std::condition_variable batch_taken_;
  std::deque<Task> tasks_;
  std::deque<Batch> batches_;
  int idle_ = 0;
  int finished_ = 0;
  std::vector<LeafSum> sums_;  // by leaf
};

}  // namespace subiso
