// Schedule `local`: plans in which every vertex is a neighbour of the seed are searched on bit rows of its neighbourhood.
// Small neighbourhoods: a team (a warp, or a block) makes the rows in shared memory and deals pairs of second and third
// vertices to its lanes; every lane searches below its pair on its own. Large ones: the rows stand in device memory, made
// by one launch and searched by the next, where a warp works on one set at a time.
#pragma once
#include "local_build.cuh"
#include "share.cuh"

namespace subiso {

// A large neighbourhood, and where its numbers begin among those of all.
struct LargeSeed {
  u64 rows;         // words of the scratch memory before its rows
  u64 first_batch;  // of 32 rows
  u64 first_task;   // (second vertex, slot of third ones)
  u32 vertex;
  u32 stride;
};

template <class Store>
struct LocalArgs {
  Store store;
  Table<const u64*, 8> filters;
  Control* control;
  const LocalTables* tables;
  u64* ticket;             // the first item of this launch that nobody has taken
  u64 num_items;
  const u32* seeds;        // small ones, largest first
  const u32* starts;       // warp teams: item i is the seeds from starts[i] to starts[i + 1]
  u32* counters;           // block teams: per seed, the pairs that were taken
  u64 num_seeds;
  u64 helped;              // block teams: seeds that blocks come back to
  const LargeSeed* large;  // and one more, which says where the last one ends
  u32* scratch;
  u32 capacity;            // members that a team has room for
  u32 row_capacity;        // of them, such as have rows
  u32 beyond;              // second vertices with so many neighbours, or fewer, belong to another launch
  u32 chunk;               // tasks that a warp takes at a time from a large neighbourhood
  u32 vertices;            // of cliques: how many are looked for among the neighbours of a second vertex
  u32 parts;               // of cliques: tasks that a second vertex makes, if it has neighbours enough
};

inline constexpr u32 kExhausted = 1u << 31;  // in a counter: nothing is left

// The members below a seed.
template <class Plan, class Store>
SUBISO_DEVICE u32 split_of(const LocalArgs<Store>& args, const Plan& plan, u32 seed) {
  const HoodTable hood = plan.hood();
  return hood.above ? 0 : args.store.neighbors_below(seed, hood.relation).size;
}

// ---- small neighbourhoods --------------------------------------------------------------------------------------------
// kLeast, kMost: words of a row, powers of two.
template <bool kBlockTeam, u32 kLeastWords, u32 kMostWords, bool kNarrowSums>
struct TeamConfig {
  static constexpr bool kBlock = kBlockTeam;
  static constexpr u32 kLeast = kLeastWords;
  static constexpr u32 kMost = kMostWords;
  static constexpr bool kNarrow = kNarrowSums;
};

// What a team shares. The rows follow, then the members, then begins.
struct alignas(16) TeamShared {
  u64 item;
  u64 unused;
};

// Words of shared memory behind TeamShared.
SUBISO_DEVICE constexpr u32 team_words(u32 capacity, u32 rows, u32 stride) {
  return (rows * stride + 3) / 4 * 4 + (2 * capacity + 1 + 3) / 4 * 4;
}

// Members before this one have no rows.
SUBISO_DEVICE u32 first_row(const HoodTable& hood, u32 split) { return hood.rows_after ? split : 0; }

template <class Plan, class Store, class Config>
class LocalTeam {
 public:
  SUBISO_DEVICE LocalTeam(const LocalArgs<Store>& args, Plan plan) : args_(args), plan_(plan) {
    const HoodTable hood = plan.hood();
    const u32 rows = hood.num_matrices * args.row_capacity + hood.num_filters;
    const u32 words = team_words(args.capacity, rows, Config::kMost);
    const u32 number = Config::kBlock ? 0 : warp_in_block();
    u8* mine = shared_memory() + u64{number} * (sizeof(TeamShared) + words * sizeof(u32));
    shared_ = reinterpret_cast<TeamShared*>(mine);
    rows_ = reinterpret_cast<u32*>(shared_ + 1);
    members_ = rows_ + (rows * Config::kMost + 3) / 4 * 4;
    begins_ = members_ + args.capacity;
  }

  SUBISO_DEVICE void run() {
    for (u64 item = take(); item < args_.num_items; item = take()) {
      if (Config::kBlock) {
        search(seed_of(item));
        continue;
      }
      const u32 end = load_constant(args_.starts + item + 1);
      for (u32 s = load_constant(args_.starts + item); s < end; ++s) search(s);
    }
    add_up(args_.control, sums_.all());
  }

 private:
  SUBISO_DEVICE static u32 width() { return Config::kBlock ? warps_per_block() * kWarp : kWarp; }
  SUBISO_DEVICE static u32 self() { return Config::kBlock ? warp_in_block() * kWarp + lane_id() : lane_id(); }
  SUBISO_DEVICE static void sync() {
    if (Config::kBlock)
      sync_block();
    else
      sync_warp();
  }

  // The next item, the same for the whole team. Seeds that others have finished are passed over.
  SUBISO_DEVICE u64 take() {
    if (self() == 0) {
      u64 item = 0;
      while (true) {
        item = atomic_add(args_.ticket, u64{1});
        const u32 stop = load_fresh(&args_.control->stop);
        if (stop != 0) item = args_.num_items;
        if (!Config::kBlock || item < args_.num_seeds || item >= args_.num_items) break;
        if (load_fresh(args_.counters + seed_of(item)) < kExhausted) break;
      }
      shared_->item = item;
    }
    sync();
    const u64 found = shared_->item;
    sync();
    return found;
  }

  // First every seed once, then the largest ones again and again: there blocks help that have nothing else to do.
  SUBISO_DEVICE u32 seed_of(u64 item) const {
    return static_cast<u32>(item < args_.num_seeds ? item : (item - args_.num_seeds) % args_.helped);
  }

  SUBISO_DEVICE void search(u32 number) {
    const HoodTable hood = plan_.hood();
    const u32 seed = load_constant(args_.seeds + number);
    const List list = hood.above ? args_.store.neighbors_above(seed, hood.relation)
                                 : args_.store.neighbors(seed, hood.relation);
    u32 stride = Config::kLeast;
    while (stride * 32 < list.size) stride *= 2;
    for (u32 i = self(); i < list.size; i += width()) members_[i] = load_constant(list.data + i);
    const u32 split = split_of(args_, plan_, seed);
    const Hood found{rows_, list.size, stride, split, first_row(hood, split)};
    const u32 words = (hood.num_matrices * found.num_rows() + hood.num_filters) * stride;
    for (u32 i = self(); i < words; i += width()) rows_[i] = 0;
    sync();
    for (u32 first = self() / kWarp * kWarp; first < list.size; first += width())
      build_batch(plan_, args_.store, args_.filters, {members_, list.size}, rows_, stride, found.first, first);
    sync();
    with_words<Config::kLeast>(found, number);
    sync();
  }

  template <u32 kWords>
  SUBISO_DEVICE void with_words(const Hood& hood, u32 number) {
    if constexpr (kWords < Config::kMost) {
      if (hood.stride > kWords) return with_words<kWords * 2>(hood, number);
    }
    LaneShape<kWords> shape;
    LocalSearch<Plan, LaneShape<kWords>, Config::kNarrow> search(plan_, shape, hood, &args_.control->stop, sums_);
    for (u32 b = self(); b < hood.size; b += width())
      begins_[b] = b >= hood.first && search.begin(b) ? search.size(search.thirds()) : 0;
    sync();
    const u32 pairs = sum_up(hood.size);
    u32 round = 0;
    for (u32 first = next(number, 0); first < pairs; first = next(number, first + kWarp)) {
      const u32 pair = first + lane_id();
      bool stopped = ++round % kLookEvery == 0 && load_fresh(&args_.control->stop) != 0;
      if (pair < pairs) {
        const u32 b = last_begin(begins_, hood.size, pair);
        search.begin(b);
        stopped |= !search.count_below(shape.select(search.thirds(), pair - begins_[b]));
      }
      sync_warp();
      if (ballot(stopped) != 0) return;
    }
    if (Config::kBlock && lane_id() == 0) atomic_or(args_.counters + number, kExhausted);
  }

  // The first of the next 32 pairs; other warps take theirs from the same counter.
  SUBISO_DEVICE u32 next(u32 number, u32 mine) {
    if (!Config::kBlock) return mine;
    u32 first = 0;
    if (lane_id() == 0) first = atomic_add(args_.counters + number, kWarp) & (kExhausted - 1);
    return shuffle(first, 0);
  }

  // begins_[b] becomes the number of pairs before those of b. The number of all.
  SUBISO_DEVICE u32 sum_up(u32 size) {
    if (self() < kWarp) {
      u32 before = 0;
      for (u32 first = 0; first < size; first += kWarp) {
        const u32 b = first + lane_id();
        const u32 mine = b < size ? begins_[b] : 0;
        const u32 end = before + scan_add(mine);
        if (b < size) begins_[b] = end - mine;
        before = shuffle(end, kWarp - 1);
      }
      if (lane_id() == 0) begins_[size] = before;
    }
    sync();
    return begins_[size];
  }

  const LocalArgs<Store>& args_;
  const Plan plan_;
  TeamShared* shared_;
  u32* rows_;
  u32* members_;
  u32* begins_;
  Sums sums_;
};

template <class Plan, class Store, class Config>
SUBISO_DEVICE void local_team(const LocalArgs<Store>& args, Plan plan) {
  LocalTeam<Plan, Store, Config>(args, plan).run();
}

// ---- large neighbourhoods --------------------------------------------------------------------------------------------
// The seed of a batch or task: the last one whose first is not after it.
template <u64 LargeSeed::* kFirst, class Store>
SUBISO_DEVICE u32 large_seed(const LocalArgs<Store>& args, u64 number) {
  u32 at = 0;
  for (u32 left = static_cast<u32>(args.num_seeds); left > 1;) {
    const u32 half = left / 2;
    at += load_constant(&(args.large[at + half].*kFirst)) <= number ? half : 0;
    left -= half;
  }
  return at;
}

template <class Plan, class Store>
SUBISO_DEVICE List large_members(const LocalArgs<Store>& args, const Plan& plan, u32 seed) {
  const HoodTable hood = plan.hood();
  return hood.above ? args.store.neighbors_above(seed, hood.relation) : args.store.neighbors(seed, hood.relation);
}

// Takes `chunk` items; all of them are gone when the host has stopped the run.
template <class Store>
SUBISO_DEVICE u64 take_items(const LocalArgs<Store>& args, u32 chunk) {
  u64 item = 0;
  if (lane_id() == 0) {
    item = atomic_add(args.ticket, u64{chunk});
    if (load_fresh(&args.control->stop) != 0) item = args.num_items;
  }
  return shuffle(item, 0);
}

// The members of a row, in order, and member `also` (kFull: none). How many they are; beyond the room none is noted.
SUBISO_DEVICE u32 list_row(const u32* row, u32 words, u32 also, u32* members, u32 room) {
  u32 before = 0;
  for (u32 base = 0; base < words; base += kWarp) {
    const u32 w = base + lane_id();
    u32 bits = w < words ? load_constant(row + w) : 0;
    if (w == also / 32) bits |= 1u << also % 32;
    const u32 end = before + scan_add(popcount(bits));
    for (u32 at = end - popcount(bits); bits != 0 && at < room; ++at, bits &= bits - 1)
      members[at] = w * 32 + lowest_bit(bits);
    before = shuffle(end, kWarp - 1);
  }
  return before;
}

// First launch: clears the rows.
template <class Store>
SUBISO_DEVICE void local_clear(const LocalArgs<Store>& args) {
  const u64 words = args.large[args.num_seeds].rows, all = u64{num_blocks()} * warps_per_block() * kWarp;
  const u64 self = (u64{block_id()} * warps_per_block() + warp_in_block()) * kWarp + lane_id();
  for (u64 i = self; i < words; i += all) args.scratch[i] = 0;
}

// Second launch: makes them.
template <class Plan, class Store>
SUBISO_DEVICE void local_build(const LocalArgs<Store>& args, Plan plan) {
  for (u64 batch = take_items(args, 1); batch < args.num_items; batch = take_items(args, 1)) {
    const u32 number = large_seed<&LargeSeed::first_batch>(args, batch);
    const LargeSeed seed = args.large[number];
    const List list = large_members(args, plan, seed.vertex);
    build_batch(plan, args.store, args.filters, {list.data, list.size}, args.scratch + seed.rows, seed.stride,
                first_row(plan.hood(), split_of(args, plan, seed.vertex)),
                static_cast<u32>(batch - seed.first_batch) * kWarp);
  }
}

// Third launch: searches. A task is a second vertex and those third ones that stand in one slot of the words.
template <class Plan, class Store, u32 kSlots, bool kNarrow>
SUBISO_DEVICE void local_search(const LocalArgs<Store>& args, Plan plan) {
  Sums sums;
  for (u64 first = take_items(args, args.chunk); first < args.num_items; first = take_items(args, args.chunk)) {
    const u64 end = least(first + args.chunk, args.num_items);
    for (u64 task = first; task < end; ++task) {
      const LargeSeed seed = args.large[large_seed<&LargeSeed::first_task>(args, task)];
      const List list = large_members(args, plan, seed.vertex);
      const u32 split = split_of(args, plan, seed.vertex);
      WarpShape<kSlots> shape((list.size + 31) / 32);
      const Hood hood{args.scratch + seed.rows, list.size, seed.stride, split, first_row(plan.hood(), split)};
      LocalSearch<Plan, WarpShape<kSlots>, kNarrow> search(plan, shape, hood, &args.control->stop, sums);
      const u32 slots = (shape.words + kWarp - 1) / kWarp;
      const u32 number = static_cast<u32>(task - seed.first_task);
      if (!search.begin(hood.first + number / slots)) continue;
      auto some = search.thirds();
      SUBISO_UNROLL
      for (u32 k = 0; k < kSlots; ++k)
        if (k != number % slots) some.word[k] = 0;
      if (!search.count_all(some)) break;
    }
  }
  add_up(args.control, sums.all());
}

}  // namespace subiso
