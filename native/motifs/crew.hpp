// The threads of one job: they share out vertices, the largest degrees first, and can be stopped and asked how far they are.
#pragma once
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "graph/parallel.hpp"
#include "motifs/graph.hpp"

namespace subiso::motifs {

class Crew {
 public:
  explicit Crew(int threads) : threads_(static_cast<unsigned>(std::max(threads, 1))) {}

  unsigned threads() const { return threads_; }
  // No more threads than there are pieces of work for: each has arrays of the size of the graph.
  void expect_entries(std::size_t entries) {
    threads_ = static_cast<unsigned>(std::min<std::size_t>(threads_, 1 + entries / kPerThread));
  }
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }
  void expect_passes(int passes) { passes_ = passes; }
  // Never goes back, although a pass may end between looks at its numbers. Asked by one thread.
  double progress() {
    const double part = size_.load() ? static_cast<double>(next_.load()) / static_cast<double>(size_.load()) : 0.0;
    told_ = std::max(told_, std::min(1.0, (done_.load() + std::min(1.0, part)) / passes_));
    return told_;
  }

  // Every thread makes itself a worker, feeds it vertices and hands it to `finish`, one at a time. Nothing once it was stopped.
  template <class Make, class Finish>
  void over_vertices(u32 n, const Make& make, const Finish& finish) {
    if (stopped()) return;
    next_ = 0;
    size_ = n;
    std::mutex one_at_a_time;
    const unsigned wanted = n < 4096 ? std::min(threads_, 1 + n / 512) : threads_;
    run_threads(wanted, [&](unsigned) {
      auto worker = make();
      for (u64 begin, end; take(begin, end);)
        for (u64 i = begin; i < end && !stopped(); ++i) worker(static_cast<u32>(n - 1 - i));
      const std::lock_guard lock(one_at_a_time);
      finish(worker);
    });
    ++done_;
  }

 private:
  // Hubs one by one, the many vertices behind them in larger pieces.
  bool take(u64& begin, u64& end) {
    constexpr u64 kHubs = 1024, kPiece = 64;
    const u64 size = size_.load(std::memory_order_relaxed);
    begin = next_.load(std::memory_order_relaxed);
    do {
      if (begin >= size || stopped()) return false;
      end = std::min(size, begin + (begin < kHubs ? 1 : kPiece));
    } while (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    return true;
  }

  static constexpr std::size_t kPerThread = 8192;
  unsigned threads_;
  double told_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<u64> next_{0}, size_{0};
  std::atomic<int> done_{0};
  std::atomic<int> passes_{1};
};

}  // namespace subiso::motifs
