// Codegrees of a seed: for every vertex w, how many of the seed's neighbours have w in their list. Wedges from the seed
// are grouped by their end points, so that sizes of the kind |N(seed) & N(w)| are looked up, and a loop over all w with
// such a size need not go through the wedges one by one. A team, a warp or a block, works on one seed at a time.
#pragma once
#include "checks.cuh"

namespace subiso {

enum class Bound : u32 { kAll, kAbove, kBelow };  // where a list is read, relative to the seed

enum class Team { kNone, kWarp, kBlock };  // who shares a table; kNone: there is none

struct CodegreeArgs {
  const u32* units;   // pairs: a seed; a part of its rows and, from bit 16 on, how many parts there are
  u64 num_units;
  u32* counts;        // of block teams: `stride` each, all zero between seeds
  u32* ends;          // the same for the vertices with a count
  u64 stride;
  u32 slots;          // of a warp team's hash table, a power of two: at least twice the wedges of its seeds
  u32 base_relation;  // the seed's neighbours
  u32 end_relation;   // and theirs
  u32 row_relation;   // the vertices of level 1, unless they are the ends
  Bound base, end, row;
  u32 from_ends;
  u32 row_origin;     // the operation of level 1 that its list stands for
};

// What a team shares beside the table.
struct TeamState {
  u32 num_ends;
  u32 next_row;
  u32 seed;  // kFull: no more
  u32 part;
};

template <class Store>
SUBISO_DEVICE List bounded(const Store& store, u32 v, u32 relation, Bound bound, u32 seed) {
  if (bound == Bound::kAll) return store.neighbors(v, relation);
  const List list = store.neighbors(v, relation);
  const u32 below = count_below(list, bound == Bound::kAbove ? seed + 1 : seed);
  if (bound == Bound::kBelow) return {list.data, below};
  return {list.data + below, list.size - below};
}

// A count per vertex, in device memory.
class DenseCounts {
 public:
  SUBISO_DEVICE DenseCounts(const CodegreeArgs& args, TeamState* state)
      : counts_(args.counts + block_id() * args.stride), ends_(args.ends + block_id() * args.stride), state_(state) {}

  SUBISO_DEVICE void open() const {}
  SUBISO_DEVICE void add(u32 w) const {
    if (atomic_add(counts_ + w, 1u) == 0) ends_[atomic_add(&state_->num_ends, 1u)] = w;
  }
  SUBISO_DEVICE u32 at(u32 w) const { return load_far(counts_ + w); }
  // Another number instead of w's count.
  SUBISO_DEVICE void set(u32 w, u32 number) const { counts_[w] = number; }
  SUBISO_DEVICE const u32* end(u32 i) const { return ends_ + i; }
  SUBISO_DEVICE void clear(u32 i) const { counts_[load_far(ends_ + i)] = 0; }

 private:
  u32 *counts_, *ends_;
  TeamState* state_;
};

// A small hash table in shared memory.
class HashedCounts {
 public:
  SUBISO_DEVICE static constexpr u32 bytes(u32 slots) { return slots * 10; }
  SUBISO_DEVICE HashedCounts(const CodegreeArgs& args, TeamState* state, u8* memory)
      : mask_(args.slots - 1),
        keys_(reinterpret_cast<u32*>(memory)),
        counts_(keys_ + args.slots),
        slots_(reinterpret_cast<u16*>(counts_ + args.slots)),
        state_(state) {}

  SUBISO_DEVICE void open() const {
    for (u32 i = lane_id(); i <= mask_; i += kWarp) {
      keys_[i] = kFull;
      counts_[i] = 0;
    }
    sync_warp();
  }
  // How often w had been counted.
  SUBISO_DEVICE u32 add(u32 w) const {
    u32 slot = first_slot(w);
    while (true) {
      const u32 found = atomic_cas(keys_ + slot, kFull, w);
      if (found == kFull) slots_[atomic_add(&state_->num_ends, 1u)] = static_cast<u16>(slot);
      if (found == kFull || found == w) break;
      slot = (slot + 1) & mask_;
    }
    return atomic_add(counts_ + slot, 1u);
  }
  SUBISO_DEVICE u32 at(u32 w) const {
    const u32 slot = find(w);
    return keys_[slot] == w ? counts_[slot] : 0;
  }
  SUBISO_DEVICE void set(u32 w, u32 number) const { counts_[find(w)] = number; }
  SUBISO_DEVICE const u32* end(u32 i) const { return keys_ + slots_[i]; }
  SUBISO_DEVICE void clear(u32 i) const {
    keys_[slots_[i]] = kFull;
    counts_[slots_[i]] = 0;
  }

 private:
  SUBISO_DEVICE u32 first_slot(u32 w) const { return (w * 0x9E3779B1u >> 15) & mask_; }
  SUBISO_DEVICE u32 find(u32 w) const {
    u32 slot = first_slot(w);
    while (keys_[slot] != w && keys_[slot] != kFull) slot = (slot + 1) & mask_;
    return slot;
  }

  u32 mask_;
  u32 *keys_, *counts_;
  u16* slots_;
  TeamState* state_;
};

// Counts the wedges from a seed; warp `number` of `warps` does its share.
template <class Store, class Counts>
SUBISO_DEVICE void count_wedges(const Store& store, const CodegreeArgs& args, const Counts& counts, u32 seed, u32 number,
                                u32 warps) {
  const List base = bounded(store, seed, args.base_relation, args.base, seed);
  for (u32 first = number * kWarp; first < base.size; first += warps * kWarp) {
    Frontier f;
    if (first + lane_id() < base.size) {
      const List ends = bounded(store, load_own(base.data + first + lane_id()), args.end_relation, args.end, seed);
      f = {ends.data, ends.size, 0};
    }
    drain<kWarp>(f, [&](const DrainTask& task) {
      if (task.present) counts.add(task.vertex);
      return true;
    });
  }
}

}  // namespace subiso
