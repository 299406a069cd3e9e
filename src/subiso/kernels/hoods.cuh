// Four-cycles inside the neighbourhood of every vertex (the hub): what its files share. Small neighbourhoods become bit rows
// in shared memory (hoods_rows.cuh). Of larger ones the lists of neighbours inside, as places in the hub's list, are written
// to device memory, some hubs at a time (hoods_build.cuh); then wedges are counted by their ends (hoods_wedges.cuh).
#pragma once
#include "motifs.cuh"
#include "share.cuh"

namespace subiso::hoods {

using motif::Crew;

// A hub of one round, and where its numbers begin among those of all.
struct Hub {
  u64 first_item;    // of the lists
  u64 first_member;
  u64 first_batch;   // of 32 members
  u64 first_task;    // (member, window)
  u32 vertex;
  u32 size;          // of its neighbourhood
};

// A member's list: from `begin` on, its neighbours inside; the first `up` of them stand above it, in order. A hub has one
// more, which says where the last list ends.
struct Member {
  u32 begin, up;
};

template <class StoreType>
struct Args {
  using Store = StoreType;
  Store store;             // relation 0: symmetric lists without loops
  Control* control;
  u64* ticket;             // the first item of this launch that nobody has taken
  u64 num_items;
  const u32* seeds;        // small neighbourhoods, those with most work first
  const u32* starts;       // item i is the seeds from starts[i] to starts[i + 1]
  const u32* triangles;    // per list entry, those of its edge
  const u64* corners;      // per vertex, twice its triangles
  const Hub* hubs;         // and one more, which says where the last one ends
  Member* members;
  u32* cursors;            // per member: where the part below it begins, so far
  void* lists;             // places: 16 bits each where no hub of the round has more members
  u32 num_hubs;
  u32 capacity;            // bit rows: members that a team has room for
  u32 window;              // wedges: ends that a team has counters for
  u32 chunk;               // tasks that a team takes at a time
};

inline constexpr u32 kLeastCorners = 8;  // a four-cycle in a neighbourhood is four triangles at its hub

// The next `chunk` items, the same for the whole team; all of them are gone when the host has stopped the run. `slot` is
// shared by the team.
template <bool kBlock, class Store>
SUBISO_DEVICE u64 take(const Args<Store>& args, u64* slot, u32 chunk) {
  if (Crew<kBlock>::self() == 0) {
    const u64 item = atomic_add(args.ticket, u64{chunk});
    *slot = load_fresh(&args.control->stop) != 0 ? args.num_items : item;
  }
  Crew<kBlock>::sync();
  const u64 found = *slot;
  Crew<kBlock>::sync();
  return found;
}

// The hub of a batch or task: the last one whose first is not after it.
template <u64 Hub::* kFirst, class Store>
SUBISO_DEVICE u32 hub_of(const Args<Store>& args, u64 number) {
  u32 at = 0;
  for (u32 left = args.num_hubs; left > 1;) {
    const u32 half = left / 2;
    at += load_constant(&(args.hubs[at + half].*kFirst)) <= number ? half : 0;
    left -= half;
  }
  return at;
}

}  // namespace subiso::hoods
