// All that counts on a candidate graph without a plan, one thing after the other, in a thread that no interpreter holds up.
#pragma once
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "candidates/graph.hpp"

namespace subiso {

// How a query is counted, and what that may take.
struct CountQuestion {
  std::vector<QueryLink> apart;           // pairs of query vertices that must not be joined
  bool injective = true;
  bool failing_sets = true;
  bool twins = true;                      // points that are alike may be merged
  std::vector<std::uint64_t> overlaps;    // bit u of overlaps[v]: u and v may coincide; unused where vertices may repeat
  std::size_t most_partitions = 0;        // ways to coincide, beyond which nothing is eliminated
  std::uint64_t first_steps = 0;          // of backtracking before anything else, ...
  std::uint64_t long_steps = 0;           // ... and after it
  std::uint64_t first_rows = 0;           // that eliminating for one way to coincide may look at, ...
  std::uint64_t most_rows = 0;            // ... and for all of them
  unsigned threads = 1;
};

// A count, unless nothing has come to its end (or the count does not fit into 128 bits, which others may say).
struct Counted {
  bool found = false;
  Count total = 0;
};

class CountThread {
 public:
  CountThread() = default;
  ~CountThread();
  CountThread(const CountThread&) = delete;
  CountThread& operator=(const CountThread&) = delete;

  // Counts on the graph, which is the thread's until it has ended, as the store is, and empty then. `make` makes it, and says
  // whether that came to its end. False where too many such threads are running in the process, and nothing begins.
  template <class Make>
  bool begin(CandidateGraph& graph, const CsrStore& store, CountQuestion question, const Stop& stop, Make make);

  bool begun() const { return thread_.joinable(); }
  // A process that was forked has no such thread, and nothing was found there.
  bool done() const { return stage_.load(std::memory_order_acquire) == kDone || process_ != getpid(); }
  // Once it is done.
  Counted counted() const { return process_ == getpid() ? counted_ : Counted{}; }
  // Until the first steps are over, or it is done, or that takes longer.
  void wait_for_first_steps(double seconds);

 private:
  enum Stage { kFirstSteps, kFurther, kDone };

  static bool take_place();
  static void leave_place();
  Counted run(CandidateGraph& graph, const CsrStore& store, const CountQuestion& question, const Stop& stop);
  void reach(Stage stage);

  std::thread thread_;
  pid_t process_ = 0;  // that it runs in
  std::atomic<Stage> stage_{kFirstSteps};
  std::mutex mutex_;
  std::condition_variable changed_;
  Counted counted_;
};

template <class Make>
bool CountThread::begin(CandidateGraph& graph, const CsrStore& store, CountQuestion question, const Stop& stop, Make make) {
  if (!take_place()) return false;
  process_ = getpid();
  try {
    thread_ = std::thread([this, &graph, &store, question = std::move(question), &stop, make] {
      try {
        if (make()) counted_ = run(graph, store, question, stop);
      } catch (...) {  // no memory: nothing was found
        counted_ = {};
      }
      graph = {};  // who waits for the end of this may keep it for long
      leave_place();
      reach(kDone);
    });
  } catch (...) {  // no more threads to be had
    leave_place();
    return false;
  }
  return true;
}

}  // namespace subiso
