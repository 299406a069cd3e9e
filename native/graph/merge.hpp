// Finds and merges duplicates in lists sorted by (key, value, row). The step of build_csr after the sorting.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "graph/group.hpp"

namespace subiso {

struct MergeResult {
  std::size_t duplicates = 0;
  bool has_parallel = false;  // some pair still has several entries
  bool found = false;
  std::uint32_t key = 0, value = 0;  // the first duplicate pair, when found
};

namespace detail {

// Which entries of a run (same key and value) repeat the label of an earlier one. The result is in `repeated`.
inline std::size_t mark_repeats(const std::vector<std::uint32_t>& labels, std::vector<char>& repeated,
                                std::vector<std::pair<std::uint32_t, std::uint32_t>>& sorted) {
  const std::size_t size = labels.size();
  repeated.assign(size, 0);
  sorted.clear();
  for (std::size_t i = 0; i < size; ++i) sorted.emplace_back(labels[i], static_cast<std::uint32_t>(i));
  std::sort(sorted.begin(), sorted.end());
  std::size_t count = 0;
  for (std::size_t i = 1; i < size; ++i)
    if (sorted[i].first == sorted[i - 1].first) repeated[sorted[i].second] = 1, ++count;
  return count;
}

// One thread's share of merge_duplicates: lists [first, last), compacted in place, their new sizes in `sizes`.
template <class Row>
MergeResult merge_range(Lists<Row>& lists, const std::uint32_t* labels, bool merge, std::uint32_t first,
                        std::uint32_t last, std::int64_t* sizes) {
  MergeResult result;
  std::vector<std::uint32_t> run_labels;
  std::vector<char> repeated;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> scratch;
  std::uint32_t* values = lists.values.data();
  for (std::uint32_t key = first; key < last; ++key) {
    const std::int64_t end = lists.offsets[key + 1];
    std::int64_t kept = lists.offsets[key];
    for (std::int64_t i = lists.offsets[key], next; i < end; i = next) {
      next = i + 1;
      while (next < end && values[next] == values[i]) ++next;
      const auto length = static_cast<std::size_t>(next - i);
      std::size_t repeats = length - 1;
      bool all_but_first = true;
      if constexpr (kHasRow<Row>) {
        if (labels && length > 1) {
          run_labels.clear();
          for (std::int64_t j = i; j < next; ++j) run_labels.push_back(labels[lists.rows[j]]);
          repeats = mark_repeats(run_labels, repeated, scratch);
          all_but_first = false;
        }
      }
      if (repeats && !result.found) result.found = true, result.key = key, result.value = values[i];
      result.duplicates += repeats;
      result.has_parallel |= length - (merge ? repeats : 0) > 1;
      for (std::int64_t j = i; j < next; ++j) {
        if (merge && repeats && (all_but_first ? j > i : repeated[j - i])) continue;
        values[kept] = values[j];
        if constexpr (kHasRow<Row>) lists.rows[kept] = lists.rows[j];
        ++kept;
      }
    }
    sizes[key] = kept - lists.offsets[key];
  }
  return result;
}

// Closes the gaps that merging left behind each list.
template <class Row>
void close_gaps(Lists<Row>& lists, const std::int64_t* sizes) {
  std::int64_t at = 0;
  for (std::uint32_t key = 0; key < lists.num_keys(); ++key) {
    const std::int64_t from = lists.offsets[key];
    std::memmove(&lists.values[at], &lists.values[from], sizes[key] * sizeof(std::uint32_t));
    if constexpr (kHasRow<Row>) std::memmove(&lists.rows[at], &lists.rows[from], sizes[key] * sizeof(Row));
    lists.offsets[key] = at;
    at += sizes[key];
  }
  lists.offsets[lists.num_keys()] = at;
  lists.values.shrink(static_cast<std::size_t>(at));
  lists.rows.shrink(static_cast<std::size_t>(at));
}
}  // namespace detail

// Counts the entries that repeat an earlier one (same key, value and label) and, with `merge`, takes them out.
template <class Row>
MergeResult merge_duplicates(Lists<Row>& lists, const std::uint32_t* labels, bool merge, unsigned wanted_threads) {
  const unsigned threads = threads_for(lists.size(), wanted_threads);
  Buffer<std::int64_t> sizes(lists.num_keys());
  std::vector<MergeResult> parts(threads);
  run_threads(threads, [&](unsigned t) {
    const auto first = key_begin(lists.offsets.data(), lists.num_keys(), t, threads);
    const auto last = key_begin(lists.offsets.data(), lists.num_keys(), t + 1, threads);
    parts[t] = detail::merge_range(lists, labels, merge, first, last, sizes.data());
  });
  MergeResult all;
  for (const auto& part : parts) {
    if (!all.found && part.found) all.found = true, all.key = part.key, all.value = part.value;
    all.duplicates += part.duplicates;
    all.has_parallel |= part.has_parallel;
  }
  if (merge && all.duplicates) detail::close_gaps(lists, sizes.data());
  return all;
}

}  // namespace subiso
