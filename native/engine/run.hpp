// One query being run: threads, stopping, batches. The caller polls (so that Ctrl-C, timeouts and progress stay in
// Python); destroying a run stops and joins its threads.
#pragma once
#include <thread>
#include <vector>

#include "engine/scheduler.hpp"
#include "engine/worker.hpp"

namespace subiso {

class Run {
 public:
  Run(Inputs inputs, int threads) : inputs_(std::move(inputs)), scheduler_(inputs_.num_seeds, 8), threads_(threads) {}
  ~Run() { close(); }

  void start() {
    scheduler_.set_workers(threads_);
    constexpr std::int64_t kBriefSteps = 2000;  // some 0.1 ms: about what starting the threads costs
    Worker first(inputs_, scheduler_);
    const bool done = first.run_briefly(kBriefSteps);
    for (int i = 0; i < threads_; ++i) {
      if (done)
        scheduler_.worker_done();
      else
        workers_.emplace_back([this] { work(); });
    }
  }
  void close() {
    scheduler_.stop();
    for (std::thread& t : workers_) t.join();
    workers_.clear();
  }
  Scheduler& scheduler() { return scheduler_; }
  const Inputs& inputs() const { return inputs_; }
  std::size_t columns() const { return inputs_.program.levels.size(); }

 private:
  void work() {
    try {
      Worker(inputs_, scheduler_).run();
    } catch (...) {  // only memory can be missing; nothing may leave the thread
      scheduler_.fail();
    }
    scheduler_.worker_done();
  }

  const Inputs inputs_;
  Scheduler scheduler_;
  const int threads_;
  std::vector<std::thread> workers_;
};

}  // namespace subiso
