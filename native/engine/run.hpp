// One query, or several merged ones, being run: threads, stopping, batches. The caller polls (so that Ctrl-C, timeouts and progress stay in
// Python); destroying a run stops and joins its threads.
#pragma once
#include <thread>
#include <vector>

#include "engine/scheduler.hpp"
#include "engine/worker.hpp"

namespace subiso {

class Run {
 public:
  Run(Inputs inputs, int threads, std::size_t tally_budget)
      : inputs_(std::move(inputs)), scheduler_(inputs_.num_seeds, 8, inputs_.program.leaves.size()), threads_(threads) {
    if (inputs_.tally.wanted())
      tally_ = std::make_unique<TallyStore>(inputs_, deferred_lists(inputs_), threads, tally_budget);
  }
  ~Run() { close(); }

  void start() {
    scheduler_.set_workers(threads_);
    const bool done = run_briefly();
    for (int i = 0; i < threads_; ++i) {
      if (done)
        scheduler_.worker_done();
      else
        workers_.emplace_back([this, i] { work(i); });
    }
  }
  void close() {
    scheduler_.stop();
    for (std::thread& t : workers_) t.join();
    workers_.clear();
  }
  // The local counts. Ends the run.
  TallyStore& finish_tally() {
    close();
    tally_->finish(threads_);
    return *tally_;
  }
  bool has_tally() const { return tally_ != nullptr; }
  Scheduler& scheduler() { return scheduler_; }
  const Inputs& inputs() const { return inputs_; }
  std::size_t tally_columns() const { return inputs_.tally.columns.size(); }

 private:
  // True when that was all. Local counts cannot be taken back, which a run that is cut short may have to do.
  bool run_briefly() {
    if (tally_) return false;
    constexpr std::int64_t kBriefSteps = 2000;  // some 0.1 ms: about what starting the threads costs
    return Worker(inputs_, scheduler_).run_briefly(kBriefSteps);
  }
  void work(int number) {
    try {
      Worker(inputs_, scheduler_, tally_.get(), number).run();
    } catch (...) {  // only memory can be missing; nothing may leave the thread
      scheduler_.fail();
    }
    scheduler_.worker_done();
  }

  const Inputs inputs_;
  Scheduler scheduler_;
  const int threads_;
  std::unique_ptr<TallyStore> tally_;
  std::vector<std::thread> workers_;
};

}  // namespace subiso
