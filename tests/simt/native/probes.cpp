// Small kernels that test the shim itself: some right, most wrong on purpose.
#include "probes.hpp"

#include "warp.cuh"

namespace subiso {
namespace {

// Turns a warp's numbers round through shared memory; right only if every lane has written before any reads.
template <bool kSync>
void reverse(const std::uint32_t* in, std::uint32_t* out) {
  u32* shared = reinterpret_cast<u32*>(shared_memory());
  const u32 at = warp_in_block() * kWarp;
  shared[at + lane_id()] = in[block_id() * warps_per_block() * kWarp + at + lane_id()];
  if (kSync) sync_warp();
  out[block_id() * warps_per_block() * kWarp + at + lane_id()] = shared[at + kWarp - 1 - lane_id()];
}

void warp_sums(const std::uint32_t* in, std::uint32_t* out) {
  const u32 x = in[lane_id()];
  out[lane_id()] = scan_add(x);
  out[32 + lane_id()] = reduce_add(x);
  out[64 + lane_id()] = shuffle(x, 31 - lane_id());
  out[96 + lane_id()] = ballot(x % 2 == 1);
}

void foreign_mask(const std::uint32_t*, std::uint32_t*) { ballot(true, lane_id() == 5 ? 0xffu << 8 : kFull); }

void different_masks(const std::uint32_t*, std::uint32_t*) { sync_warp(lane_id() < 16 ? kFull : 0xffff0000u); }

void divergent_calls(const std::uint32_t*, std::uint32_t*) {
  if (lane_id() < 7)
    ballot(true);
  else
    sync_warp();
}

void early_exit(const std::uint32_t*, std::uint32_t*) {
  if (lane_id() == 3) return;
  sync_warp();
}

void missing_barrier(const std::uint32_t*, std::uint32_t*) {
  if (warp_in_block() == 1) return;
  sync_block();
}

void absent_lane(const std::uint32_t* in, std::uint32_t* out) {
  if (lane_id() < 16) out[lane_id()] = shuffle(in[lane_id()], 20, 0xffff);
}

void overrun(const std::uint32_t*, std::uint32_t*) {
  if (lane_id() == 0) reinterpret_cast<u32*>(shared_memory())[32] = 1;
}

void read_unwritten(const std::uint32_t*, std::uint32_t* out) {
  out[lane_id()] = reinterpret_cast<u32*>(shared_memory())[lane_id()];
}

// The last block sets what the others wait for: ends only if blocks interleave.
void wait_for_last(const std::uint32_t*, std::uint32_t* out) {
  if (block_id() + 1 == num_blocks()) atomic_add(out, 1u);
  while (load_fresh(out) < 32) backoff();
}

void wait_for_nobody(const std::uint32_t*, std::uint32_t* out) {
  while (load_fresh(out) == 0) backoff();
}

// Not atomic though it should be: wrong under interleavings between the load and the store.
void lost_update(const std::uint32_t*, std::uint32_t* out) { store_fresh(out, load_fresh(out) + 1); }

void wide_total(const std::uint32_t*, std::uint32_t* out) {
  atomic_add(reinterpret_cast<Total*>(out), (Wide{1} << 63) - Wide{lane_id()});
  if (lane_id() == 0) atomic_add(reinterpret_cast<Total*>(out), -(Wide{1} << 70));
}

}  // namespace

const std::map<std::string, Probe>& probes() {
  static const std::map<std::string, Probe> all{
      {"reverse", reverse<true>},
      {"reverse_without_sync", reverse<false>},
      {"warp_sums", warp_sums},
      {"foreign_mask", foreign_mask},
      {"different_masks", different_masks},
      {"divergent_calls", divergent_calls},
      {"early_exit", early_exit},
      {"missing_barrier", missing_barrier},
      {"absent_lane", absent_lane},
      {"overrun", overrun},
      {"read_unwritten", read_unwritten},
      {"wait_for_last", wait_for_last},
      {"wait_for_nobody", wait_for_nobody},
      {"lost_update", lost_update},
      {"wide_total", wide_total},
  };
  return all;
}

}  // namespace subiso
