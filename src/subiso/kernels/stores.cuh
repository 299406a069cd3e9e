// Stores beside the plain CSR, for relations that touch few of the vertices (one edge label of many): same face as CsrStore,
// an index instead of an offset per vertex. storage/*.py makes the arrays; which store a kernel is compiled with,
// engine/cuda/storage.py says. Every part has the size of a Csr, so that arguments look alike whatever the store.
#pragma once
#include "storage.cuh"

namespace subiso {

// What all parts do once they know where a list is. Above begins after v itself: loops stand below, as in CsrStore.
template <class Part>
struct IndexStore {
  static_assert(sizeof(Part) == sizeof(Csr<u32>), "a part takes the place of a Csr in the arguments");
  using Offset = u32;
  Table<Part, 8> relations;

  SUBISO_DEVICE List neighbors(u32 v, u32 relation) const { return relations.at(relation).list(v); }
  SUBISO_DEVICE List neighbors_above(u32 v, u32 relation) const {
    const List all = neighbors(v, relation);
    const u32 below = count_below(all, v + 1);
    return {all.data + below, all.size - below};
  }
  SUBISO_DEVICE List neighbors_below(u32 v, u32 relation) const {
    const List all = neighbors(v, relation);
    return {all.data, count_below(all, v + 1)};
  }
  SUBISO_DEVICE bool has_edge(u32 u, u32 v, u32 relation) const { return contains(neighbors(u, relation), v); }
};

// Two words that are read together.
struct TwoWords {
  u32 first, second;
};
SUBISO_DEVICE TwoWords load_pair(const u64* at) {
  const u64 both = load_constant(at);
  return {static_cast<u32>(both), static_cast<u32>(both >> 32)};
}

SUBISO_DEVICE List list_between(const u32* neighbors, const u32* offsets, u32 place) {
  const u32 begin = load_constant(offsets + place), end = load_constant(offsets + place + 1);
  return {neighbors + begin, end - begin};
}

// The vertices that have a list, sorted: binary search.
struct CompressedPart {
  const u32* keys;
  const u32* offsets;
  const u32* neighbors;
  u32 size;
  u32 unused[3];

  SUBISO_DEVICE List list(u32 v) const {
    const u32 place = count_below({keys, size}, v);
    if (place == size || load_constant(keys + place) != v) return {neighbors, 0};
    return list_between(neighbors, offsets, place);
  }
};

// Groups of `theta` pairs (vertex, offset); the last pair is (where the chain goes on, end of the last list).
struct HashPart {
  const u64* groups;
  const u32* neighbors;
  u64 unused;
  u32 num_groups;  // that hashes lead to
  u32 theta;
  u32 unused2[2];

  SUBISO_DEVICE List list(u32 v) const {
    u32 group = static_cast<u32>(u64{v * 0x9E3779B1u} * num_groups >> 32);
    while (group != kFull) {
      const u64* at = groups + u64{group} * theta;
      const u64* const last = at + theta - 1;
      TwoWords pair = load_pair(at);
      while (at != last) {
        const TwoWords next = load_pair(++at);
        if (pair.first == v) return {neighbors + pair.second, next.second - pair.second};
        pair = next;
      }
      group = pair.first;
    }
    return {neighbors, 0};
  }
};

// Vertices have new numbers, of which those with a list form intervals: pairs (first number, place of its list).
struct IntervalPart {
  const u32* renamed;
  const u64* intervals;  // and one for the end
  const u32* offsets;    // by place
  const u32* neighbors;
  u32 num_intervals;
  u32 unused;

  SUBISO_DEVICE List list(u32 v) const {
    const u32 x = load_constant(renamed + v);
    u32 after = 0, left = num_intervals;  // intervals that begin at or before x
    while (left != 0) {
      const u32 half = left / 2;
      const bool go = load_pair(intervals + after + half).first <= x;
      after += go ? half + 1 : 0;
      left = go ? left - half - 1 : half;
    }
    if (after == 0) return {neighbors, 0};
    const TwoWords mine = load_pair(intervals + after - 1);
    const u32 place = mine.second + (x - mine.first);
    if (place >= load_pair(intervals + after).second) return {neighbors, 0};
    return list_between(neighbors, offsets, place);
  }
};

// A vertex's neighbours along all labels stand together; a directory has a pair (label, beginning) per group.
struct LabelPart {
  const u32* first;      // vertex -> its first pair
  const u64* directory;  // and one for the end
  const u32* neighbors;
  u32 key;
  u32 unused[3];

  SUBISO_DEVICE List list(u32 v) const {
    const u32 begin = load_constant(first + v), end = load_constant(first + v + 1);
    u32 at = begin, left = end - begin;
    while (left != 0) {
      const u32 half = left / 2;
      const bool go = load_pair(directory + at + half).first < key;
      at += go ? half + 1 : 0;
      left = go ? left - half - 1 : half;
    }
    if (at == end) return {neighbors, 0};
    const TwoWords mine = load_pair(directory + at);
    if (mine.first != key) return {neighbors, 0};
    return {neighbors + mine.second, load_pair(directory + at + 1).second - mine.second};
  }
};

using CompressedStore = IndexStore<CompressedPart>;
using HashStore = IndexStore<HashPart>;
using IntervalStore = IndexStore<IntervalPart>;
using LabelStore = IndexStore<LabelPart>;

}  // namespace subiso
