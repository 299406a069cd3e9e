// Lists of neighbours inside neighbourhoods. First where every list begins: the triangles of the edge to a member say how long
// its list is. Then the upper lists of all members are looked up in the hub's list, 32 members by a warp; an edge found is
// noted at both ends, so that a list fills from the front in order and from the back in any.
#pragma once
#include "hoods.cuh"

namespace subiso::hoods {

// A warp per hub.
template <class Store>
SUBISO_DEVICE void begins(const Args<Store>& args) {
  const u32* entries = args.store.relations.at(0).neighbors;
  u64* slot = reinterpret_cast<u64*>(shared_memory() + 16 * warp_in_block());
  for (u64 number = take<false>(args, slot, 1); number < args.num_items; number = take<false>(args, slot, 1)) {
    const Hub hub = args.hubs[number];
    const u32* triangles = args.triangles + (args.store.neighbors(hub.vertex, 0).data - entries);
    u32 before = 0;
    for (u32 first = 0; first <= hub.size; first += kWarp) {
      const u32 i = first + lane_id();
      const u32 mine = i < hub.size ? load_constant(triangles + i) : 0;
      const u32 end = before + scan_add(mine);
      if (i <= hub.size) args.members[hub.first_member + i] = {end - mine, 0};
      if (i < hub.size) args.cursors[hub.first_member + i] = end;
      before = shuffle(end, kWarp - 1);
    }
  }
}

template <class Item, class Store>
SUBISO_DEVICE void fill_batch(const Args<Store>& args, const Hub& hub, u32 first) {
  Item* items = static_cast<Item*>(args.lists) + hub.first_item;
  Member* members = args.members + hub.first_member;
  u32* cursors = args.cursors + hub.first_member;
  const List around = args.store.neighbors(hub.vertex, 0);
  const u32 mine = first + lane_id();
  Frontier upper;
  u32 begin = 0, found = 0;
  if (mine < hub.size) {
    begin = members[mine].begin;
    if (members[mine + 1].begin != begin) {
      const List list = args.store.neighbors_above(load_constant(around.data + mine), 0);
      upper = {list.data, list.size, 0};
    }
  }
  drain<kWarp>(upper, [&](const DrainTask& task) {
    const u32 from = first + task.entry + 1;  // members above this one stand behind it
    u32 place = around.size;
    if (task.present && from < around.size) {
      place = from + count_below({around.data + from, around.size - from}, task.vertex);
      if (place < around.size && load_constant(around.data + place) != task.vertex) place = around.size;
    }
    const u32 hits = ballot(place < around.size);
    const u32 before = popcount(hits & lanes_below() & shuffle(task.takers, task.entry));
    const u32 at = shuffle(begin + found, task.entry) + before;
    if (place < around.size) {
      items[at] = static_cast<Item>(place);
      items[atomic_add(cursors + place, kFull) - 1] = static_cast<Item>(from - 1);
    }
    found += popcount(hits & task.takers);
    return true;
  });
  if (mine < hub.size) members[mine].up = found;
}

template <class Item, class Store>
SUBISO_DEVICE void fill(const Args<Store>& args) {
  u64* slot = reinterpret_cast<u64*>(shared_memory() + 16 * warp_in_block());
  for (u64 batch = take<false>(args, slot, 1); batch < args.num_items; batch = take<false>(args, slot, 1)) {
    const Hub hub = args.hubs[hub_of<&Hub::first_batch>(args, batch)];
    fill_batch<Item>(args, hub, static_cast<u32>(batch - hub.first_batch) * kWarp);
  }
}

}  // namespace subiso::hoods
