// The storage interface: neighbors(v, relation) and has_edge(u, v, relation). Kernels are templates over a store and
// read neighbours through these calls only. CsrStore is the first: one CSR per relation, vertices ranked by degree.
#pragma once
#include "warp.cuh"

namespace subiso {

// Sorted distinct vertices: neighbours, or a set that a search has computed.
struct List {
  const u32* data;
  u32 size;
};

// The number of elements < value (branch-light: the range shrinks by a fixed pattern, so lanes stay together).
template <class Item>
SUBISO_DEVICE u32 count_below(const Item* data, u32 size, u32 value) {
  u32 first = 0, left = size;
  while (left != 0) {
    const u32 half = left / 2;
    const bool go = load_own(data + first + half) < value;
    first += go ? half + 1 : 0;
    left = go ? left - half - 1 : half;
  }
  return first;
}

SUBISO_DEVICE u32 count_below(List list, u32 value) { return count_below(list.data, list.size, value); }

SUBISO_DEVICE bool contains(List list, u32 value) {
  const u32 at = count_below(list, value);
  return at < list.size && load_own(list.data + at) == value;
}

// A table of which the first few entries travel with the kernel's parameters.
template <class T, u32 kFew>
struct Table {
  T few[kFew];
  const T* more;
  SUBISO_DEVICE T at(u32 i) const { return i < kFew ? few[i] : more[i - kFew]; }
};

// Neighbours of v stand from bounds[2v] to bounds[2v + 2]; those above v begin at bounds[2v + 1]. The vertices from
// `first_hub` on, which have the longest lists, have them as bit rows too: one look instead of a search.
template <class Offset>
struct Csr {
  const Offset* bounds;
  const u32* neighbors;
  const u32* hubs;  // `words` a row
  u32 words;
  u32 first_hub;    // kFull: there are no rows
  u32 symmetric;    // v is in u's list just when u is in v's
  u32 unused;

  SUBISO_DEVICE bool bit(u32 hub, u32 v) const {
    return load_constant(hubs + u64{hub - first_hub} * words + (v >> 5)) >> (v & 31) & 1;
  }
};

template <class OffsetType>
struct CsrStore {
  using Offset = OffsetType;
  Table<Csr<Offset>, 8> relations;

  SUBISO_DEVICE List neighbors(u32 v, u32 relation) const { return list(relation, 2 * u64{v}, 2 * u64{v} + 2); }
  SUBISO_DEVICE List neighbors_above(u32 v, u32 relation) const { return list(relation, 2 * u64{v} + 1, 2 * u64{v} + 2); }
  SUBISO_DEVICE List neighbors_below(u32 v, u32 relation) const { return list(relation, 2 * u64{v}, 2 * u64{v} + 1); }
  SUBISO_DEVICE bool has_edge(u32 u, u32 v, u32 relation) const {
    const Csr<Offset> csr = relations.at(relation);
    if (u >= csr.first_hub) return csr.bit(u, v);
    if (csr.symmetric && v >= csr.first_hub) return csr.bit(v, u);
    return contains(u < v ? neighbors_above(u, relation) : neighbors_below(u, relation), v);  // loops stand below
  }

 private:
  SUBISO_DEVICE List list(u32 relation, u64 from, u64 to) const {
    const Csr<Offset> csr = relations.at(relation);
    const Offset begin = load_constant(csr.bounds + from), end = load_constant(csr.bounds + to);
    return {csr.neighbors + begin, static_cast<u32>(end - begin)};
  }
};

// A relation whose entries are data edges: parallel ones stay, each with its id (edge-isomorphism).
struct Entities {
  const i64* offsets;
  const u32* neighbors;
  const u32* edge_ids;
};

SUBISO_DEVICE bool in_bitmap(const u64* bits, u32 v) { return load_constant(bits + (v >> 6)) >> (v & 63) & 1; }

}  // namespace subiso
