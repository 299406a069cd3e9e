// Fills the bit rows of hubs from their neighbour lists: a warp clears a row, then sets its bits.
#pragma once
#include "storage.cuh"

namespace subiso {

template <class Offset>
struct HubArgs {
  const Offset* bounds;
  const u32* neighbors;
  u32* rows;
  u32 words;
  u32 first;
  u32 count;
  u32 unused;
};

template <class Offset>
SUBISO_DEVICE void fill_hubs(const HubArgs<Offset>& args) {
  const u32 warp = block_id() * warps_per_block() + warp_in_block(), warps = num_blocks() * warps_per_block();
  for (u32 hub = warp; hub < args.count; hub += warps) {
    u32* row = args.rows + u64{hub} * args.words;
    for (u32 word = lane_id(); word < args.words; word += kWarp) row[word] = 0;
    sync_warp();
    const u64 v = u64{args.first} + hub;
    const u64 begin = static_cast<u64>(load_constant(args.bounds + 2 * v));
    const u64 end = static_cast<u64>(load_constant(args.bounds + 2 * v + 2));
    for (u64 i = begin + lane_id(); i < end; i += kWarp) {
      const u32 x = load_constant(args.neighbors + i);
      atomic_or(row + (x >> 5), 1u << (x & 31));
    }
    sync_warp();
  }
}

}  // namespace subiso
