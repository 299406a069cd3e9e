#include "engine/tally_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "graph/parallel.hpp"

namespace subiso {
namespace {

std::uint64_t low_half(Weight w) { return static_cast<std::uint64_t>(w); }
std::uint64_t high_half(Weight w) { return static_cast<std::uint64_t>(w >> 64); }

}  // namespace

void TallySink::add_carefully(std::size_t i, Weight weight) {
  // The old value tells whether the low half wrapped, also where others add to it at the same time.
  const std::uint64_t before = __atomic_fetch_add(&low_[i], low_half(weight), __ATOMIC_RELAXED);
  if (high_ == nullptr) return;
  const std::uint64_t carry = before + low_half(weight) < before;
  __atomic_fetch_add(&high_[i], high_half(weight) + carry, __ATOMIC_RELAXED);
}

TallyStore::TallyStore(const Inputs& in, std::vector<DeferredList> deferred, int threads, std::size_t budget)
    : in_(in), deferred_(std::move(deferred)), num_columns_(in.tally.columns.size()), wide_(in.tally.wide) {
  starts_.push_back(0);
  for (int relation : in.tally.columns) {
    lengths_.push_back(relation == kNone ? in.store.num_vertices() : in.store.num_entries(relation));
    starts_.push_back(starts_.back() + lengths_.back() + 1);  // what is not found, by a wrong program, stands behind
  }
  for (std::size_t i = 0; i < deferred_.size(); ++i) starts_.push_back(starts_.back() + in.store.num_vertices());
  const std::size_t words = std::max<std::size_t>(1, starts_.back() * (wide_ ? 2 : 1));
  const std::size_t shards = std::clamp<std::size_t>(budget / (words * 8), 1, static_cast<std::size_t>(threads));
  shared_ = shards < static_cast<std::size_t>(threads);
  for (std::size_t i = 0; i < shards; ++i) {
    shards_.emplace_back(static_cast<std::uint64_t*>(std::calloc(words, 8)));
    if (shards_.back() == nullptr) throw std::bad_alloc();
  }
}

TallySink TallyStore::sink(int worker) const {
  TallySink sink;
  sink.starts_ = starts_.data();
  sink.low_ = shards_[static_cast<std::size_t>(worker) % shards_.size()].get();
  sink.high_ = wide_ ? sink.low_ + starts_.back() : nullptr;
  sink.plain_ = !wide_ && !shared_;
  return sink;
}

Weight TallyStore::weight_at(int column, std::size_t index) const {
  const std::size_t i = starts_[static_cast<std::size_t>(column)] + index;
  const std::uint64_t* low = shards_[0].get();
  return wide_ ? Weight{low[starts_.back() + i]} << 64 | low[i] : Weight{low[i]};
}

void TallyStore::merge(std::size_t from, std::size_t to) {
  std::uint64_t* sum = shards_[0].get();
  const std::size_t half = starts_.back();
  for (std::size_t s = 1; s < shards_.size(); ++s) {
    const std::uint64_t* other = shards_[s].get();
    for (std::size_t i = from; i < to; ++i) {
      sum[i] += other[i];
      if (wide_) sum[half + i] += other[half + i] + (sum[i] < other[i]);
    }
  }
}

// To the vertices [from, to) and their entries: each is written by one thread only.
void TallyStore::hand_out(const DeferredList& d, int weights, std::uint32_t from, std::uint32_t to) {
  const std::uint64_t* filter = d.filter == kNone ? nullptr : in_.filters[static_cast<std::size_t>(d.filter)];
  TallySink out = sink(0);
  const auto part = [&](std::uint32_t v, int relation, DeferredList::Part p) {
    return p == DeferredList::kAll     ? in_.store.neighbors(v, relation)
           : p == DeferredList::kAbove ? in_.store.neighbors_above(v, relation)
                                       : in_.store.neighbors_below(v, relation);
  };
  for (std::uint32_t v = from; v < to; ++v) {
    if (d.to_edges) {
      const Weight weight = weight_at(weights, v);
      if (weight == 0) continue;
      const Span list = part(v, d.relation, d.part);
      for (const std::uint32_t* p = list.begin(); p != list.end(); ++p)
        if (filter == nullptr || in_bitmap(filter, *p))
          out.add(d.column, in_.store.entry_number(p, d.relation), weight);
      continue;
    }
    if (filter != nullptr && !in_bitmap(filter, v)) continue;
    // What v gets from all that have it in their list; it is above those that are below it.
    const auto seen = d.part == DeferredList::kAbove   ? DeferredList::kBelow
                      : d.part == DeferredList::kBelow ? DeferredList::kAbove
                                                       : DeferredList::kAll;
    Weight sum = 0;
    for (std::uint32_t u : part(v, in_.reverse[static_cast<std::size_t>(d.relation)], seen)) sum += weight_at(weights, u);
    if (sum != 0) out.add(d.column, v, sum);
  }
}

void TallyStore::finish(int threads) {
  if (finished_) return;
  finished_ = true;
  const auto parts = threads_for(starts_.back(), 0) > 1 ? static_cast<unsigned>(threads) : 1u;
  run_threads(parts, [&](unsigned t) {
    merge(part_begin(starts_.back(), t, parts), part_begin(starts_.back(), t + 1, parts));
  });
  shards_.resize(1);
  for (std::size_t i = 0; i < deferred_.size(); ++i)
    run_threads(parts, [&](unsigned t) {
      const auto bound = [&](unsigned x) {
        return static_cast<std::uint32_t>(part_begin(in_.store.num_vertices(), x, parts));
      };
      hand_out(deferred_[i], deferred_column(i), bound(t), bound(t + 1));
    });
}

std::vector<std::uint64_t> TallyStore::column(int column, bool high) const {
  const auto c = static_cast<std::size_t>(column);
  const std::uint64_t* first = shards_[0].get() + (high ? starts_.back() : 0);
  return {first + starts_[c], first + starts_[c] + lengths_[c]};
}

}  // namespace subiso
