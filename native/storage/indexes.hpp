// The storage layouts of one relation as the host reads them: where a vertex's list begins and ends. The device's side of
// the same arrays is kernels/stores.cuh; how they are made, storage/*.py.
#pragma once
#include <algorithm>
#include <cstdint>

namespace subiso {

struct Place {
  std::uint32_t begin = 0, end = 0;
};

struct PlainIndex {
  const std::uint32_t* offsets;  // one per vertex, and the end
  Place find(std::uint32_t v) const { return {offsets[v], offsets[v + 1]}; }
};

struct CompressedIndex {
  const std::uint32_t* keys;
  const std::uint32_t* offsets;
  std::size_t size;
  Place find(std::uint32_t v) const {
    const std::uint32_t* at = std::lower_bound(keys, keys + size, v);
    if (at == keys + size || *at != v) return {};
    return {offsets[at - keys], offsets[at - keys + 1]};
  }
};

struct HashIndex {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  const std::uint32_t* groups;  // theta pairs each
  std::uint32_t num_groups;     // that hashes lead to
  std::uint32_t theta;
  Place find(std::uint32_t v) const {
    std::uint32_t group = static_cast<std::uint32_t>(std::uint64_t{v * 0x9E3779B1u} * num_groups >> 32);
    while (group != kNone) {
      const std::uint32_t* pair = groups + std::size_t{group} * theta * 2;
      for (std::uint32_t i = 0; i + 1 < theta; ++i, pair += 2)
        if (pair[0] == v) return {pair[1], pair[3]};
      group = pair[0];
    }
    return {};
  }
};

struct IntervalIndex {
  const std::uint32_t* renamed;    // vertex -> new number
  const std::uint32_t* intervals;  // pairs: the first new number, the place of its list; and a pair for the end
  const std::uint32_t* offsets;    // by place
  std::size_t size;
  Place find(std::uint32_t v) const {
    const std::uint32_t x = renamed[v];
    std::size_t first = 0, left = size;  // the number of intervals that begin at or before x
    while (left != 0) {
      const std::size_t half = left / 2;
      const bool go = intervals[2 * (first + half)] <= x;
      first += go ? half + 1 : 0;
      left = go ? left - half - 1 : half;
    }
    if (first == 0) return {};
    const std::uint32_t* mine = intervals + 2 * (first - 1);
    const std::uint32_t place = mine[1] + (x - mine[0]);
    if (place >= mine[3]) return {};
    return {offsets[place], offsets[place + 1]};
  }
};

// Of label-grouped lists: those of a vertex stand together, its labels listed in a directory.
struct LabelIndex {
  const std::uint32_t* first;      // vertex -> its entries of the directory
  const std::uint32_t* directory;  // pairs: a label, the beginning of its list; and a pair for the end
  std::uint32_t label;
  Place find(std::uint32_t v) const {
    std::uint32_t at = first[v], left = first[v + 1] - at;
    const std::uint32_t end = first[v + 1];
    while (left != 0) {
      const std::uint32_t half = left / 2;
      const bool go = directory[2 * std::size_t{at + half}] < label;
      at += go ? half + 1 : 0;
      left = go ? left - half - 1 : half;
    }
    const std::uint32_t* entry = directory + 2 * std::size_t{at};
    return at < end && entry[0] == label ? Place{entry[1], entry[3]} : Place{};
  }
};

// A graph's lists with a label beside every entry: the list of one label is picked from all of them.
struct ScanIndex {
  const std::uint32_t* offsets;
  const std::uint32_t* labels;
  std::uint32_t label;
  // Entries of the label, as if they stood together.
  Place find(std::uint32_t v) const {
    Place found{offsets[v], offsets[v]};
    for (std::uint32_t i = offsets[v]; i < offsets[v + 1]; ++i) found.end += labels[i] == label;
    return found;
  }
};

// Looks every vertex up; the sum of the lists' lengths.
template <class Index>
std::uint64_t look_up_all(const Index& index, const std::uint32_t* vertices, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Place place = index.find(vertices[i]);
    sum += place.end - place.begin;
  }
  return sum;
}

}  // namespace subiso
