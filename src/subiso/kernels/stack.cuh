// A warp's search stack in shared memory: per level up to 32 entries, one per lane. An entry is a candidate, the index of
// its parent entry one level up, and what is left of its own local candidates. Partial matches are never written out:
// they are rebuilt by walking parents. In schedule `stack` entries also own sets, which lie in the warp's arena.
#pragma once
#include "storage.cuh"

namespace subiso {

// What is left to try below one entry: lane i holds entry i's.
struct Frontier {
  const u32* next = nullptr;
  u32 left = 0;
  u32 origin = 0;  // the operation whose list this is: it need not be checked again
};

struct StackLevel {
  const u32* next[kWarp];
  u32 left[kWarp];
  u32 vertex[kWarp];
  u8 parent[kWarp];
  u8 origin[kWarp];
};

// Where a set lies in the arena.
struct Span {
  u32 begin, size;
};

class Stack {
 public:
  // Bytes of shared memory: levels, spans of sets, and where every level's sets begin in the arena.
  SUBISO_DEVICE static constexpr u32 bytes(u32 levels, u32 sets) {
    return levels * u32{sizeof(StackLevel)} + sets * kWarp * u32{sizeof(Span)} + (sets != 0 ? (levels + 3) / 4 * 16 : 0);
  }
  SUBISO_DEVICE Stack(u8* memory, u32 levels, u32 sets, u32* arena)
      : levels_(reinterpret_cast<StackLevel*>(memory)),
        spans_(reinterpret_cast<Span*>(levels_ + levels)),
        bases_(reinterpret_cast<u32*>(spans_ + sets * kWarp)),
        arena_(arena) {}

  SUBISO_DEVICE u32 vertex(int level, u32 entry) const { return levels_[level].vertex[entry]; }
  SUBISO_DEVICE u32 parent(int level, u32 entry) const { return levels_[level].parent[entry]; }
  SUBISO_DEVICE void put(int level, u32 entry, u32 vertex, u32 parent) {
    levels_[level].vertex[entry] = vertex;
    levels_[level].parent[entry] = static_cast<u8>(parent);
  }
  SUBISO_DEVICE Frontier frontier(int level) const {
    const StackLevel& l = levels_[level];
    return {l.next[lane_id()], l.left[lane_id()], l.origin[lane_id()]};
  }
  SUBISO_DEVICE u32 left(int level) const { return levels_[level].left[lane_id()]; }
  SUBISO_DEVICE void set_left(int level, u32 left) { levels_[level].left[lane_id()] = left; }
  SUBISO_DEVICE void set_frontier(int level, const Frontier& f) {
    StackLevel& l = levels_[level];
    l.next[lane_id()] = f.next;
    l.left[lane_id()] = f.left;
    l.origin[lane_id()] = static_cast<u8>(f.origin);
  }

  SUBISO_DEVICE List set(u32 number, u32 entry) const {
    const Span span = spans_[number * kWarp + entry];
    return {arena_ + span.begin, span.size};
  }
  SUBISO_DEVICE Span& span(u32 number) { return spans_[number * kWarp + lane_id()]; }
  SUBISO_DEVICE u32* arena() const { return arena_; }
  // Where the sets of a level's entries begin; what is above belongs to deeper levels.
  SUBISO_DEVICE u32& base(int level) { return bases_[level]; }

  u32 top = 0;  // the free part of the arena begins here

 private:
  StackLevel* levels_;
  Span* spans_;
  u32* bases_;
  u32* arena_;
};

// How many tasks the entry of a lane's own number gave away, and the lane that does the first of them.
struct Dealt {
  u32 taken, begin;
  SUBISO_DEVICE u32 before(u32 lane) const { return begin < lane ? least(taken, lane - begin) : 0; }
};

// The task that one lane does in a step: try `vertex` below entry `entry`.
struct Task {
  bool present;
  u32 entry;
  u32 vertex;
  u32 origin;
  Dealt dealt;
};

// Deals the next tasks of a virtual pool, the concatenation of all entries' local candidates, one per lane. At most
// `kBatch` entries give at a time (1: the naive way, one partial match per warp). Entries keep theirs until `commit`.
template <u32 kBatch>
SUBISO_DEVICE Task deal(const Frontier& f) {
  const u32 lane = lane_id();
  const u32 open = ballot(f.left != 0);
  if (open == 0) return {false, 0, 0, 0, {0, 0}};
  const u32 first = lowest_bit(open);
  u32 entry = first, offset = lane, taken = 0, begin = 0;
  bool present = true;
  const u32 there = shuffle(f.left, first);
  if (kBatch == 1 || there >= kWarp) {
    present = lane < there;
    if (lane == first) taken = least(there, kWarp);
  } else {
    const u32 offered = lane - first < kBatch ? least(f.left, kWarp) : 0;  // lane < first: nothing left there
    const u32 end = scan_add(offered);
    begin = end - offered;
    if (begin < kWarp) taken = least(offered, kWarp - begin);
    entry = 0;  // the number of entries whose share ends at or before this lane's task
    SUBISO_UNROLL
    for (u32 step = kWarp / 2; step != 0; step /= 2)
      if (shuffle(end, entry + step - 1) <= lane) entry += step;
    present = lane < shuffle(end, kWarp - 1);
    offset = lane - shuffle(begin, entry);
  }
  const u32* list = shuffle(f.next, entry);
  const u32 origin = shuffle(f.origin, entry);
  return {present, entry, present ? load_own(list + offset) : 0, origin, {taken, begin}};
}

SUBISO_DEVICE void commit(Frontier& f, const Task& t) {
  f.next += t.dealt.taken;
  f.left -= t.dealt.taken;
}

// A task of `drain`: as above, and which lanes work for the entry of this lane's own number.
struct DrainTask {
  bool present;
  u32 entry;
  u32 vertex;
  u32 origin;
  u32 takers;
};

// Deals all tasks of a virtual pool, step by step; shares are computed once for all steps. f(task) says whether to go on.
// Returns what is left.
template <u32 kBatch, class F>
SUBISO_DEVICE Frontier drain(Frontier f, F step) {
  constexpr u32 kMost = 1u << 26;  // of one entry at a time, so that sums stay within 32 bits
  const u32 lane = lane_id();
  for (u32 open = ballot(f.left != 0); open != 0; open = ballot(f.left != 0)) {
    const u32 offered = lane - lowest_bit(open) < kBatch ? least(f.left, kMost) : 0;  // lane below: nothing left there
    const bool single = ballot(offered > 1) == 0;  // every lane does its own entry's task
    u32 begin = 0, end = 0, total = 1;
    if (!single) {
      end = scan_add(offered);
      begin = end - offered;
      total = shuffle(end, kWarp - 1);
    }
    for (u32 base = 0; base < total; base += kWarp) {
      DrainTask task{offered != 0, lane, 0, f.origin, offered << lane};
      const u32* at = f.next;
      if (!single) {
        task.entry = 0;  // the number of entries whose share ends at or before this lane's task
        SUBISO_UNROLL
        for (u32 half = kWarp / 2; half != 0; half /= 2)
          if (shuffle(end, task.entry + half - 1) <= base + lane) task.entry += half;
        task.present = base + lane < total;
        at = shuffle(f.next, task.entry) + (base + lane - shuffle(begin, task.entry));
        task.origin = shuffle(f.origin, task.entry);
        const u32 from = begin > base ? begin - base : 0, to = end > base ? least(end - base, kWarp) : 0;
        const u32 below = to == kWarp ? kFull : (1u << to) - 1;
        task.takers = from < to ? below & ~((1u << from) - 1) : 0;
      }
      if (task.present) task.vertex = load_own(at);
      if (step(task)) continue;
      const u32 done = single ? offered : least(offered, base + kWarp > begin ? base + kWarp - begin : 0);
      return {f.next + done, f.left - done, f.origin};
    }
    f.next += offered;
    f.left -= offered;
  }
  return f;
}

}  // namespace subiso
