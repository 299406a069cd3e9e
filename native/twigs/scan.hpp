// Lists a twig's relation in batches, on several threads: each call goes on where the last one stopped, so that relations
// of any size pass through a buffer of fixed size.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "twigs/twig.hpp"

namespace subiso::twigs {

// Where rows go: slot s of row r at data[r * row_stride + place[s]].
struct Target {
  u32* data;
  std::size_t capacity;
  std::size_t row_stride;
  std::vector<std::size_t> place;
};

class ScanWorker;

class TwigScan {
 public:
  TwigScan(Twig twig, unsigned threads);
  ~TwigScan();

  // Rows written, from the target's first on; fewer than it can take only at the end, or when stopped.
  std::size_t next(const Target& target);
  std::size_t num_slots() const { return twig_.bits.size(); }
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  // The fraction of the roots taken up so far.
  double progress() const;

 private:
  friend class ScanWorker;
  Twig twig_;
  std::vector<std::unique_ptr<ScanWorker>> workers_;
  std::atomic<std::size_t> next_word_{0};
  std::atomic<std::size_t> next_block_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace subiso::twigs
