// Sets that a search keeps (schedule `stack`): computed once for all entries of a level, in one combined operation over
// their elements, and read at deeper levels. They lie in the warp's arena in device memory, level after level.
#pragma once
#include "checks.cuh"

namespace subiso {

struct SetArgs {
  u32* arenas;                // one per warp
  u64 words;                  // of one arena
  u32 limits[kMaxPositions];  // by level: above this, the room is kept for one entry of every deeper level
};

// How many of the first `count` entries of a level find room for their sets. The host sees to it that one always does.
template <class Plan, class Store, class Level>
SUBISO_DEVICE u32 entries_with_room(const Plan& plan, const Reads<Store>& reads, const SetArgs& args, Stack& stack,
                                    Level level, u32 count) {
  u32 wanted = 0;
  plan.each_set(level, [&](auto, auto set_level) {
    if (lane_id() < count) wanted += local_candidates(plan, reads, stack, set_level, level, lane_id()).left;
  });
  const u32 end = stack.top + scan_add(wanted);
  return popcount(ballot(lane_id() < count && end <= args.limits[level]));
}

// Computes one set for the first `count` entries of a level; `counter` hears of every step's tasks.
template <u32 kBatch, class Plan, class Store, class Set, class SetLevel, class Level, class Counter>
SUBISO_DEVICE void compute_set(const Plan& plan, const Reads<Store>& reads, Stack& stack, Set set, SetLevel set_level,
                               Level level, u32 count, Counter counter) {
  Frontier f;
  if (lane_id() < count) f = local_candidates(plan, reads, stack, set_level, level, lane_id());
  const u32 end = scan_add(f.left);
  Span span{stack.top + end - f.left, 0};
  stack.top += shuffle(end, kWarp - 1);
  drain<kBatch>(f, [&](const DrainTask& task) {
    counter(popcount(ballot(task.present)));
    const bool ok =
        task.present && fits(plan, reads, stack, set_level, level, task.vertex, task.entry, task.origin);
    const u32 fitting = ballot(ok);
    const u32 before = fitting & lanes_below() & shuffle(task.takers, task.entry);
    const u32 place = shuffle(span.begin + span.size, task.entry) + popcount(before);
    if (ok) stack.arena()[place] = task.vertex;
    span.size += popcount(fitting & task.takers);
    return true;
  });
  stack.span(set) = span;
  sync_warp();
}

}  // namespace subiso
