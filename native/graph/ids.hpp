// From arbitrary integers to dense numbers 0..n-1: checked conversion, lookup tables, and hashing where ids are sparse.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "graph/buffer.hpp"
#include "graph/parallel.hpp"

namespace subiso {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;
inline constexpr std::int64_t kAllGood = -1;

// Converts `values` with f(value, out) -> bool and returns the first row where f said no, or kAllGood.
template <class T, class F>
std::int64_t convert_rows(const T* values, std::size_t size, std::uint32_t* out, unsigned wanted, const F& f) {
  const unsigned threads = threads_for(size, wanted);
  std::vector<std::int64_t> bad(threads, kAllGood);
  run_threads(threads, [&](unsigned t) {
    const std::size_t last = part_begin(size, t + 1, threads);
    for (std::size_t row = part_begin(size, t, threads); row < last; ++row)
      if (!f(values[row], out[row])) {
        bad[t] = static_cast<std::int64_t>(row);
        return;
      }
  });
  for (auto row : bad)
    if (row != kAllGood) return row;
  return kAllGood;
}

// Values that must lie in 0..limit-1 already.
template <class T>
std::int64_t to_dense(const T* values, std::size_t size, std::uint64_t limit, std::uint32_t* out, unsigned threads) {
  return convert_rows(values, size, out, threads, [=](T value, std::uint32_t& to) {
    to = static_cast<std::uint32_t>(value);
    return static_cast<std::uint64_t>(value) < limit;  // a negative number becomes a very large one
  });
}

// Values in [least, least + size of table), numbered by a table that holds kNone for those that are not there.
template <class T>
std::int64_t look_up(const T* values, std::size_t size, T least, const std::uint32_t* table, std::size_t table_size,
                     std::uint32_t* out, unsigned threads) {
  return convert_rows(values, size, out, threads, [=](T value, std::uint32_t& to) {
    const auto at = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(least);
    to = at < table_size ? table[at] : kNone;
    return to != kNone;
  });
}

inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9E3779B97F4A7C15ull;
  x ^= x >> 29;
  return x;
}

// How many items ahead of their use the slots of a table are asked for: the misses then overlap.
inline constexpr std::size_t kAhead = 12;

// A growing set of 64-bit numbers, open addressing; 0 marks an empty slot, so the number 0 itself is a flag.
class NumberSet {
 public:
  NumberSet() : slots_(64, 0) {}
  void add(std::uint64_t value) {
    if (value == 0)
      has_zero_ = true;
    else if (place(slots_, value) && ++count_ * 2 > slots_.size())
      grow();
  }
  void prefetch(std::uint64_t value) const { __builtin_prefetch(&slots_[mix(value) & (slots_.size() - 1)], 1); }
  template <class F>
  void each(const F& f) const {
    if (has_zero_) f(std::uint64_t{0});
    for (auto value : slots_)
      if (value) f(value);
  }
  std::size_t size() const { return count_ + has_zero_; }

 private:
  static bool place(std::vector<std::uint64_t>& slots, std::uint64_t value) {
    const std::size_t mask = slots.size() - 1;
    std::size_t at = mix(value) & mask;
    for (; slots[at]; at = (at + 1) & mask)
      if (slots[at] == value) return false;
    slots[at] = value;
    return true;
  }
  void grow() {
    std::vector<std::uint64_t> slots(slots_.size() * 4, 0);
    for (auto value : slots_)
      if (value) place(slots, value);
    slots_.swap(slots);
  }
  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
  bool has_zero_ = false;
};

// The distinct numbers of two arrays, in no order. Each thread collects those whose hash is its own.
template <class T>
Buffer<T> distinct(const T* a, std::size_t a_size, const T* b, std::size_t b_size, unsigned wanted) {
  const unsigned threads = threads_for(a_size + b_size, wanted);
  std::vector<NumberSet> sets(threads);
  run_threads(threads, [&](unsigned t) {
    auto collect = [&](const T* values, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i) {
        const auto value = static_cast<std::uint64_t>(values[i]);
        if (i + kAhead < size) sets[t].prefetch(static_cast<std::uint64_t>(values[i + kAhead]));
        if (threads == 1 || (mix(value) >> 40) % threads == t) sets[t].add(value);
      }
    };
    collect(a, a_size);
    collect(b, b_size);
  });
  std::size_t total = 0;
  for (const auto& set : sets) total += set.size();
  Buffer<T> result(total);
  std::size_t at = 0;
  for (const auto& set : sets) set.each([&](std::uint64_t value) { result[at++] = static_cast<T>(value); });
  return result;
}

// Numbers `values` by their position in `names` (distinct); the first row whose value is no name, or kAllGood.
template <class T>
std::int64_t number_by(const T* names, std::size_t num_names, const T* values, std::size_t size, std::uint32_t* out,
                       unsigned threads) {
  std::size_t capacity = 64;
  while (capacity < num_names * 2) capacity *= 2;
  const std::size_t mask = capacity - 1;
  std::vector<std::uint32_t> table(capacity, kNone);
  for (std::size_t i = 0; i < num_names; ++i) {
    std::size_t at = mix(static_cast<std::uint64_t>(names[i])) & mask;
    while (table[at] != kNone) at = (at + 1) & mask;
    table[at] = static_cast<std::uint32_t>(i);
  }
  const T* end = values + size;
  auto slot = [&](T value) { return mix(static_cast<std::uint64_t>(value)) & mask; };
  return convert_rows(values, size, out, threads, [&](const T& value, std::uint32_t& to) {
    // Two reads miss the cache for every value, the slot and then the name: both are asked for ahead of time.
    if (&value + 2 * kAhead < end) __builtin_prefetch(&table[slot((&value)[2 * kAhead])]);
    if (&value + kAhead < end) {
      const std::uint32_t near = table[slot((&value)[kAhead])];
      if (near != kNone) __builtin_prefetch(&names[near]);
    }
    std::size_t at = slot(value);
    while (table[at] != kNone && names[table[at]] != value) at = (at + 1) & mask;
    to = table[at];
    return to != kNone;
  });
}

// Sets marks[value - least] for every value; a byte each, written by all threads with the same 1.
template <class T>
void mark(const T* values, std::size_t size, T least, std::atomic<std::uint8_t>* marks, unsigned wanted) {
  const unsigned threads = threads_for(size, wanted);
  run_threads(threads, [&](unsigned t) {
    const std::size_t last = part_begin(size, t + 1, threads);
    for (std::size_t i = part_begin(size, t, threads); i < last; ++i) {
      auto& byte = marks[static_cast<std::uint64_t>(values[i]) - static_cast<std::uint64_t>(least)];
      // Reading first keeps the line shared between the cores once it is set.
      if (!byte.load(std::memory_order_relaxed)) byte.store(1, std::memory_order_relaxed);
    }
  });
}

}  // namespace subiso
