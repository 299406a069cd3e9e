// The arrays that local counts are summed in: one flat shard per worker where memory allows, otherwise shared ones with
// atomic additions. Sums wrap around; the caller knows from the total whether they can have, and asks for wide ones then.
//
// Behind the tally's own columns stand deferred ones: a weight per vertex that, at the end, every entry of the vertex's
// neighbour list gets. So a share for "all neighbours of v" costs one addition while searching.
#pragma once
#include <memory>
#include <vector>

#include "engine/inputs.hpp"
#include "engine/scheduler.hpp"

namespace subiso {

using Weight = unsigned __int128;  // signed values modulo 2^128

// The entries above the vertex, below it, or all of them, in one relation.
struct DeferredList {
  enum Part { kAll, kAbove, kBelow } part;
  int relation;
  int filter;
  int column;      // where it goes in the end
  bool to_edges;   // ... to the entries, not to the neighbours
};

// One worker's way into the arrays.
class TallySink {
 public:
  void add(int column, std::size_t index, Weight weight) {
    const std::size_t i = starts_[column] + index;
    if (plain_)
      low_[i] += static_cast<std::uint64_t>(weight);
    else
      add_carefully(i, weight);
  }

 private:
  friend class TallyStore;
  void add_carefully(std::size_t i, Weight weight);

  const std::size_t* starts_ = nullptr;
  std::uint64_t* low_ = nullptr;
  std::uint64_t* high_ = nullptr;  // null: 64 bits are enough
  bool plain_ = true;              // nobody else adds here, and there are no high halves
};

class TallyStore {
 public:
  // `budget`: bytes that the shards may take; there is always one.
  TallyStore(const Inputs& in, std::vector<DeferredList> deferred, int threads, std::size_t budget);

  TallySink sink(int worker) const;
  const std::vector<DeferredList>& deferred() const { return deferred_; }
  int deferred_column(std::size_t i) const { return static_cast<int>(num_columns_ + i); }

  // Sums the shards and hands the deferred weights out, when all workers are done.
  void finish(int threads);
  bool wide() const { return wide_; }
  // A column's low or, where it is wide, high halves.
  std::vector<std::uint64_t> column(int column, bool high) const;

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  void merge(std::size_t from, std::size_t to);
  void hand_out(const DeferredList& list, int weights, std::uint32_t from, std::uint32_t to);
  Weight weight_at(int column, std::size_t index) const;

  const Inputs& in_;
  const std::vector<DeferredList> deferred_;
  const std::size_t num_columns_;
  std::vector<std::size_t> starts_;   // one more than there are columns
  std::vector<std::size_t> lengths_;  // of the tally's own columns
  bool wide_;
  bool shared_;
  bool finished_ = false;
  std::vector<std::unique_ptr<std::uint64_t[], Free>> shards_;
};

}  // namespace subiso
