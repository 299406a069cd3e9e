// Schedule `levels`, the whole first descent in one launch: steps that would be launches of their own follow each other,
// and between two of them all blocks wait for all. No more blocks may be launched than fit on the device at once.
#pragma once
#include "levels.cuh"

namespace subiso {

// A step: which of the kernel's, and its arguments.
template <class Store>
struct DescentStep {
  LevelsArgs<Store> args;
  u64 kind;
};

template <class Store>
struct DescentArgs {
  const DescentStep<Store>* steps;
  u64 num_steps;
  u64* arrived;     // blocks that ever came to a meeting; never cleared
  Control* control;
  u64 scratch;      // bytes of shared memory that belong to steps
};

// Everybody waits here for everybody, and then sees what everybody has written.
SUBISO_DEVICE void meet(u64* arrived) {
  sync_block();
  if (warp_in_block() == 0 && lane_id() == 0) {
    fence_device();
    const u64 before = atomic_add(arrived, u64{1}), all = (before / num_blocks() + 1) * num_blocks();
    while (load_fresh(arrived) < all) backoff();
    fence_device();
  }
  sync_block();
}

// do_step(kind, arguments) for one step after the other. Arguments are read from shared memory, as fast as a launch's own.
template <class Store, class F>
SUBISO_DEVICE void run_steps(const DescentArgs<Store>& args, F do_step) {
  using Step = DescentStep<Store>;
  Step* const step = reinterpret_cast<Step*>(shared_memory() + args.scratch);
  const u32 thread = warp_in_block() * kWarp + lane_id();
  for (u64 i = 0; i < args.num_steps; ++i) {
    if (i != 0) meet(args.arrived);
    const u64* const from = reinterpret_cast<const u64*>(args.steps + i);
    for (u32 word = thread; word < sizeof(Step) / sizeof(u64); word += warps_per_block() * kWarp)
      reinterpret_cast<u64*>(step)[word] = load_constant(from + word);
    sync_block();
    do_step(step->kind, step->args);
  }
}

}  // namespace subiso
