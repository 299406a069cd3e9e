// Stable grouping of (key, value, row) items by key: the counting sort under every CSR we build.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "graph/buffer.hpp"
#include "graph/parallel.hpp"

namespace subiso {

// Stands where the input rows are not wanted: takes no memory, so that one code serves both.
struct NoRow {
  NoRow() = default;
  explicit NoRow(std::size_t) {}
};
template <class Row>
inline constexpr bool kHasRow = !std::is_same_v<Row, NoRow>;

template <class Row>
struct Item {
  std::uint32_t key, value;
  [[no_unique_address]] Row row;
};

// Lists of values by key: the values of key k stand in [offsets[k], offsets[k + 1]).
template <class Row>
struct Lists {
  Buffer<std::int64_t> offsets;
  Buffer<std::uint32_t> values;
  Buffer<Row> rows;  // empty for NoRow

  std::uint32_t num_keys() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
  std::size_t size() const { return values.size(); }
  Row row(std::size_t i) const {
    if constexpr (kHasRow<Row>)
      return rows[i];
    else
      return NoRow{};
  }
};

template <class Row>
Lists<Row> make_lists(std::uint32_t num_keys, std::size_t size) {
  return {Buffer<std::int64_t>(std::size_t{num_keys} + 1), Buffer<std::uint32_t>(size),
          Buffer<Row>(kHasRow<Row> ? size : 0)};
}

// First key of part t when the keys are cut into parts of about equally many values.
inline std::uint32_t key_begin(const std::int64_t* offsets, std::uint32_t num_keys, unsigned t, unsigned parts) {
  if (t == 0) return 0;
  if (t >= parts) return num_keys;
  auto target = static_cast<std::int64_t>(part_begin(static_cast<std::size_t>(offsets[num_keys]), t, parts));
  return static_cast<std::uint32_t>(std::lower_bound(offsets, offsets + num_keys, target) - offsets);
}

namespace detail {

// Groups the items of keys [first_key, last_key) into lists whose first value stands at `base`.
template <class Row, class Visit>
void group_range(const Visit& visit, std::uint32_t first_key, std::uint32_t last_key, std::int64_t base,
                 std::vector<std::int64_t>& cursor, Lists<Row>& lists) {
  cursor.assign(last_key - first_key, 0);
  visit([&](std::uint32_t key, std::uint32_t, Row) { ++cursor[key - first_key]; });
  for (std::uint32_t key = first_key; key < last_key; ++key) {
    std::int64_t count = cursor[key - first_key];
    lists.offsets[key] = cursor[key - first_key] = base;
    base += count;
  }
  visit([&](std::uint32_t key, std::uint32_t value, Row row) {
    std::int64_t at = cursor[key - first_key]++;
    lists.values[at] = value;
    if constexpr (kHasRow<Row>) lists.rows[at] = row;
    (void)row;
  });
}

// At most 1024 buckets of 2**shift keys: the cursors of one bucket and the part of the lists it fills stay in
// the cache, and the buckets can be shared out among threads.
inline unsigned bucket_shift(std::uint32_t num_keys) {
  unsigned shift = 0;
  while (((std::uint64_t{num_keys} + (1ull << shift) - 1) >> shift) > 1024) ++shift;
  return shift;
}
}  // namespace detail

// The items of `source` spread over buckets of 2**shift keys, in input order within each.
template <class Row>
struct Spread {
  unsigned shift;
  std::vector<std::int64_t> begin;  // of each bucket, and the end
  Buffer<Item<Row>> items;
};

template <class Row, class Source>
Spread<Row> spread(const Source& source, std::uint32_t num_keys, std::size_t size, unsigned threads) {
  const unsigned shift = detail::bucket_shift(num_keys);
  const std::size_t buckets = (std::size_t{num_keys} + (std::size_t{1} << shift) - 1) >> shift;
  std::vector<std::vector<std::int64_t>> cursors(threads);
  run_threads(threads, [&](unsigned t) {
    cursors[t].assign(buckets, 0);
    auto* counts = cursors[t].data();
    source.template visit<Row>(t, threads, [=](std::uint32_t key, std::uint32_t, Row) { ++counts[key >> shift]; });
  });
  Spread<Row> result{shift, std::vector<std::int64_t>(buckets + 1, 0), Buffer<Item<Row>>(size)};
  std::int64_t total = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    result.begin[b] = total;
    for (auto& part : cursors) {
      const std::int64_t count = part[b];
      part[b] = total;
      total += count;
    }
  }
  result.begin[buckets] = total;
  run_threads(threads, [&](unsigned t) {
    auto* cursor = cursors[t].data();
    auto* out = result.items.data();
    source.template visit<Row>(t, threads, [=](std::uint32_t key, std::uint32_t value, Row row) {
      out[cursor[key >> shift]++] = Item<Row>{key, value, row};
    });
  });
  return result;
}

// Groups what `source` yields. source.visit(t, parts, f) calls f(key, value, row) for the items of part t, the same
// ones each time; the parts follow each other in input order, which the lists keep. `size` is their number.
// Below `direct_below` items there is one simple pass; above, the items are first spread over buckets of keys.
template <class Row, class Source>
Lists<Row> group_by(const Source& source, std::uint32_t num_keys, std::size_t size, unsigned wanted_threads,
                    std::size_t direct_below) {
  Lists<Row> lists = make_lists<Row>(num_keys, size);
  lists.offsets[num_keys] = static_cast<std::int64_t>(size);
  if (size < direct_below) {
    std::vector<std::int64_t> cursor;
    detail::group_range([&](auto f) { source.template visit<Row>(0, 1, f); }, 0, num_keys, 0, cursor, lists);
    return lists;
  }
  const unsigned threads = threads_for(size, wanted_threads);
  const auto spread_out = spread<Row>(source, num_keys, size, threads);
  const std::size_t buckets = spread_out.begin.size() - 1;
  std::atomic<std::size_t> next{0};
  run_threads(threads, [&](unsigned) {
    std::vector<std::int64_t> cursor;
    for (std::size_t b; (b = next.fetch_add(1, std::memory_order_relaxed)) < buckets;) {
      auto visit = [&, b](auto f) {
        for (std::int64_t i = spread_out.begin[b]; i < spread_out.begin[b + 1]; ++i)
          f(spread_out.items[i].key, spread_out.items[i].value, spread_out.items[i].row);
      };
      auto first = static_cast<std::uint32_t>(b << spread_out.shift);
      auto last = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(num_keys, std::uint64_t{b + 1} << spread_out.shift));
      detail::group_range(visit, first, last, spread_out.begin[b], cursor, lists);
    }
  });
  return lists;
}

// The entries (key, value) of lists, given turned round: grouped again by value they come out sorted by key.
struct Transposed {
  const std::int64_t* offsets;
  const std::uint32_t* values;
  std::uint32_t num_keys;
  const void* rows = nullptr;  // Row*, when visited with rows
  bool skip_loops = false;

  template <class Row, class F>
  void visit(unsigned t, unsigned parts, const F& f) const {
    const std::uint32_t last = key_begin(offsets, num_keys, t + 1, parts);
    for (std::uint32_t key = key_begin(offsets, num_keys, t, parts); key < last; ++key)
      for (std::int64_t i = offsets[key]; i < offsets[key + 1]; ++i) {
        if (skip_loops && values[i] == key) continue;
        if constexpr (kHasRow<Row>)
          f(values[i], key, static_cast<const Row*>(rows)[i]);
        else
          f(values[i], key, NoRow{});
      }
  }
};

}  // namespace subiso
