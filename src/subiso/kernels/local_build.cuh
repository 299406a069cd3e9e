// Makes the bit rows of a neighbourhood: for every member, which other members are in its lists. The elements of 32 lists
// are dealt to the lanes of a warp one by one, so that short lists waste nothing; an element is looked up among the members.
#pragma once
#include "checks.cuh"
#include "local_search.cuh"

namespace subiso {

inline constexpr u32 kSearchRatio = 16;  // a list so many times longer than the neighbourhood is searched, not read

// The members of a neighbourhood, sorted, in any memory.
struct Members {
  const u32* data;
  u32 size;

  // The place of x; `size` where it is none of them. All lanes take the same number of steps.
  SUBISO_DEVICE u32 find(u32 x) const {
    u32 at = 0;
    for (u32 left = size; left > 1;) {
      const u32 half = left / 2;
      at += data[at + half] <= x ? half : 0;
      left -= half;
    }
    return data[at] == x ? at : size;
  }
};

// One member's list while its row is made.
struct RowTask {
  const u32* data;
  u32 size;
  SUBISO_DEVICE bool searched(u32 members) const { return size / kSearchRatio > members; }
  SUBISO_DEVICE u32 elements(u32 members) const { return searched(members) ? members : size; }
  // The member that element number `at` stands for; `members.size` where it stands for none.
  SUBISO_DEVICE u32 member(u32 at, const Members& members) const {
    if (searched(members.size)) return contains({data, size}, members.data[at]) ? at : members.size;
    return members.find(load_constant(data + at));
  }
};

SUBISO_DEVICE void set_bit(u32* rows, u64 row, u32 stride, u32 bit) {
  atomic_or(rows + row * stride + bit / 32, 1u << bit % 32);
}

// What the lists of members first .. first + 31 say of one matrix, by one warp. The rows, which begin with that of member
// `first_row`, were cleared before. Mirrored relations are read above a member only, which is the short half of a long
// list, and every edge found is noted at both ends.
template <class Store>
SUBISO_DEVICE void build_rows(const Store& store, u32 relation, bool only_above, bool mirrored, const Members& members,
                              u32* rows, u32 stride, u32 first_row, u32 first) {
  const bool both = mirrored && !only_above;
  const u32 mine = first + lane_id();
  RowTask task{nullptr, 0};
  if (mine < members.size && (both || mine >= first_row)) {
    const u32 v = members.data[mine];
    const List list = only_above || mirrored ? store.neighbors_above(v, relation) : store.neighbors(v, relation);
    task = {list.data, list.size};
  }
  const u32 elements = task.elements(members.size);
  const u32 end = scan_add(elements);
  const u32 total = shuffle(end, kWarp - 1);
  for (u32 base = 0; base < total; base += kWarp) {
    const u32 t = base + lane_id();
    u32 entry = 0;  // the number of lists that end at or before element t
    SUBISO_UNROLL
    for (u32 step = kWarp / 2; step != 0; step /= 2)
      if (shuffle(end, entry + step - 1) <= t) entry += step;
    const RowTask its{shuffle(task.data, entry), shuffle(task.size, entry)};
    const u32 at = t - shuffle(end - elements, entry);
    if (t >= total) continue;
    const u32 found = its.member(at, members);
    if (found == members.size) continue;
    if (first + entry >= first_row) set_bit(rows, first + entry - first_row, stride, found);
    if (both && found >= first_row) set_bit(rows, found - first_row, stride, first + entry);
  }
}

// What the lists of members first .. first + 31 say of all matrices, and the filters' words for these members.
template <class Plan, class Store>
SUBISO_DEVICE void build_batch(const Plan& plan, const Store& store, const Table<const u64*, 8>& filters,
                               const Members& members, u32* rows, u32 stride, u32 first_row, u32 first) {
  const HoodTable hood = plan.hood();
  const u64 num_rows = members.size - first_row;
  for (u32 m = 0; m < hood.num_matrices; ++m)
    build_rows(store, hood.relations[m], hood.rows_above != 0, hood.mirrored[m] != 0, members,
               rows + m * num_rows * stride, stride, first_row, first);
  u32* passing = rows + hood.num_matrices * num_rows * stride + first / 32;
  for (u32 f = 0; f < hood.num_filters; ++f) {
    const u32 mine = first + lane_id();
    const u32 bits = ballot(mine < members.size && in_bitmap(filters.at(f), members.data[mine]));
    if (lane_id() == 0) passing[u64{f} * stride] = bits;
  }
}

}  // namespace subiso
