// What one candidate is asked: all demands of its level on the partial match above it, fused into one walk up the
// parents. And where candidates come from: the smallest neighbour list of the matched neighbours. Partial matches are
// read through a Stack (schedule `fine` and its kin) or from the rows of a table (levels.cuh).
#pragma once
#include "plan.cuh"
#include "stack.cuh"
#include "storage.cuh"

namespace subiso {

inline constexpr i64 kNotANumber = static_cast<i64>(u64{1} << 63);  // a key that compares false with everything

SUBISO_DEVICE bool compares(u32 comparison, i64 x, i64 y) {
  if (x == kNotANumber || y == kNotANumber) return false;
  switch (comparison) {
    case 0: return x < y;
    case 1: return x <= y;
    case 2: return x > y;
    case 3: return x >= y;
    case 4: return x == y;
    default: return x != y;
  }
}

// What every check reads and nobody changes.
template <class Store>
struct Reads {
  Store store;
  Table<const u64*, 8> filters;
  Table<const i64*, 4> keys;
  const Entities* entities;
};

// True when the operations of one position want x above the vertex there: only that part of its list matters then.
template <class Plan, class Begin, class End>
SUBISO_DEVICE bool wants_above(const Plan& plan, Begin begin, End end) {
  return !all_of(begin, end, [&](auto i) { return plan.op(i).kind != Op::kAbove; });
}

// True when an operation names all candidates that can pass it.
SUBISO_DEVICE bool is_source(Op op) { return op.kind == Op::kEdge || op.kind == Op::kInSet; }

// One operation on x, given the vertex m of an entry.
template <class Store, class Partial>
SUBISO_DEVICE bool passes(const Reads<Store>& reads, const Partial& stack, Op op, u32 x, u32 m, u32 entry) {
  switch (op.kind) {
    case Op::kInSet: return contains(stack.set(op.a, entry), x);
    case Op::kEdge: return reads.store.has_edge(m, x, op.a);
    case Op::kNoEdge: return !reads.store.has_edge(m, x, op.a);
    case Op::kAbove: return x > m;
    case Op::kBelow: return x < m;
    case Op::kDistinct: return x != m;
    default: return compares(op.c, load_constant(reads.keys.at(op.a) + x), load_constant(reads.keys.at(op.b) + m));
  }
}

// May x stand at `level`, below entry `entry` of position `from`? The list of operation `origin` is known to hold it.
// Without kDistinctOn it may also be one of the vertices that it must differ from.
template <bool kDistinctOn = true, class Plan, class Store, class Partial, class Level, class From>
SUBISO_DEVICE bool fits(const Plan& plan, const Reads<Store>& reads, const Partial& stack, Level level, From from, u32 x,
                        u32 entry, u32 origin) {
  const u32 filter = plan.level(level).filter;
  if (filter != kNoFilter && !in_bitmap(reads.filters.at(filter), x)) return false;
  return plan.walk(level, from, [&](auto p, auto begin, auto end) {
    const u32 m = stack.vertex(p, entry), here = entry;
    entry = stack.parent(p, entry);
    return all_of(begin, end, [&](auto i) {
      const Op op = plan.op(i);
      if (is_source(op) && static_cast<u32>(i - plan.first_op(level)) == origin) return true;
      if (!kDistinctOn && op.kind == Op::kDistinct) return true;
      return passes(reads, stack, op, x, m, here);
    });
  });
}

inline constexpr u32 kNoOrigin = kFull;  // an origin that is no operation's

// The smallest list that holds all candidates of `level` below an entry, cut to the bounds of the total order; or the
// list of the operation `only`, where it names one.
template <class Plan, class Store, class Partial, class Level, class From>
SUBISO_DEVICE Frontier local_candidates(const Plan& plan, const Reads<Store>& reads, const Partial& stack, Level level,
                                        From from, u32 entry, u32 only = kNoOrigin) {
  List best{nullptr, kFull};
  u32 origin = 0, above = 0, below = kFull;
  bool cut_above = false, best_is_above = false;  // x >= above; x < below
  plan.walk(level, from, [&](auto p, auto begin, auto end) {
    const u32 m = stack.vertex(p, entry), here = entry;
    entry = stack.parent(p, entry);
    const bool only_above = wants_above(plan, begin, end);
    if (only_above && m + 1 > above) {
      above = m + 1;
      cut_above = true;
      best_is_above = false;
    }
    all_of(begin, end, [&](auto i) {
      const Op op = plan.op(i);
      if (op.kind == Op::kBelow) below = least(below, m);
      if (!is_source(op)) return true;
      if (only != kNoOrigin && static_cast<u32>(i - plan.first_op(level)) != only) return true;
      const bool in_set = op.kind == Op::kInSet;
      const List list = in_set       ? stack.set(op.a, here)
                        : only_above ? reads.store.neighbors_above(m, op.a)
                                     : reads.store.neighbors(m, op.a);
      if (list.size < best.size || best.data == nullptr) {
        best = list;
        origin = static_cast<u32>(i - plan.first_op(level));
        best_is_above = only_above && !in_set && m + 1 == above;
      }
      return true;
    });
    return true;
  });
  u32 skipped = 0;
  if (cut_above && !best_is_above) skipped = count_below(best, above);
  u32 size = best.size;
  if (below != kFull) size = count_below(best, below);
  return {best.data + skipped, size > skipped ? size - skipped : 0, origin};
}

// How many of the vertices that candidates of a level must differ from would be candidates otherwise.
template <class Plan, class Store, class Partial, class Level, class From>
SUBISO_DEVICE u32 excluded(const Plan& plan, const Reads<Store>& reads, const Partial& stack, Level level, From from,
                           u32 entry) {
  u32 found = 0, above = entry;
  plan.walk(level, from, [&](auto p, auto begin, auto end) {
    const u32 m = stack.vertex(p, above);
    above = stack.parent(p, above);
    return all_of(begin, end, [&](auto i) {
      if (plan.op(i).kind == Op::kDistinct)
        found += fits<false>(plan, reads, stack, level, from, m, entry, kNoOrigin);
      return true;
    });
  });
  return found;
}

// How many candidates a measured level has: the list's length less the distinct vertices that are in it.
template <class Plan, class Store, class Partial, class Level, class From>
SUBISO_DEVICE u32 measure(const Plan& plan, const Reads<Store>& reads, const Partial& stack, Level level, From from,
                          u32 entry) {
  const Frontier f = local_candidates(plan, reads, stack, level, from, entry);
  u32 size = f.left;
  plan.walk(level, from, [&](auto p, auto begin, auto end) {
    const u32 m = stack.vertex(p, entry);
    entry = stack.parent(p, entry);
    return all_of(begin, end, [&](auto i) {
      if (plan.op(i).kind == Op::kDistinct) size -= contains({f.next, f.left}, m);
      return true;
    });
  });
  return size;
}

}  // namespace subiso
