// Looks many (vertex, relation) lists up in a store and adds up their lengths: what a layout costs, for benchmarks and tests.
#pragma once
#include "storage.cuh"

namespace subiso {

template <class Store>
struct LookUpArgs {
  Store store;
  const u32* vertices;
  const u32* wanted;  // relations, by look-up
  u64 count;
  u64* sum;        // of the lengths
  u32* lengths;    // by look-up; null: not wanted
  u64 touch;       // also read the first neighbour of every list
};

template <class Store>
SUBISO_DEVICE void look_up(const LookUpArgs<Store>& args) {
  const u64 step = u64{num_blocks()} * warps_per_block() * kWarp;
  u64 sum = 0;
  for (u64 i = (u64{block_id()} * warps_per_block() + warp_in_block()) * kWarp + lane_id(); i < args.count; i += step) {
    const List list = args.store.neighbors(load_constant(args.vertices + i), load_constant(args.wanted + i));
    sum += list.size;
    if (args.touch && list.size != 0 && load_constant(list.data) == kFull) sum += 1;  // no vertex has that number
    if (args.lengths != nullptr) args.lengths[i] = list.size;
  }
  sum = reduce_add(sum);
  if (lane_id() == 0) atomic_add(args.sum, sum);
}

}  // namespace subiso
