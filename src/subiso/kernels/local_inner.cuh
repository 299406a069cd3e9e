// Schedule `local`, large neighbourhoods, plans whose second vertex is joined to all later ones: a warp takes a second
// vertex, copies the part of the rows that belongs to its neighbours into shared memory, and deals pairs of third and
// fourth vertices to its lanes. Sets are then as short as the second vertex's neighbourhood inside the first one's.
#pragma once
#include "local.cuh"

namespace subiso {

// kLeast, kMost: words of an inner row. kAnySize: there may be more members than kMost words hold. kMatrix: the one whose
// row of the second vertex holds all later vertices. kSlots: words per lane of a row outside.
template <u32 kLeastWords, u32 kMostWords, u32 kSlotCount, u32 kMatrixNumber, bool kAny, bool kNarrowSums>
struct InnerConfig {
  static constexpr u32 kLeast = kLeastWords;
  static constexpr u32 kMost = kMostWords;
  static constexpr u32 kSlots = kSlotCount;
  static constexpr u32 kMatrix = kMatrixNumber;
  static constexpr bool kAnySize = kAny;
  static constexpr bool kNarrow = kNarrowSums;
};

template <class Plan, class Store, class Config>
class InnerSearch {
 public:
  SUBISO_DEVICE InnerSearch(const LocalArgs<Store>& args, Plan plan) : args_(args), plan_(plan) {
    const HoodTable hood = plan.hood();
    const u32 rows = hood.num_matrices * args.capacity + hood.num_filters;
    const u32 words = team_words(args.capacity, rows, Config::kMost);
    rows_ = reinterpret_cast<u32*>(shared_memory()) + u64{warp_in_block()} * words;
    members_ = rows_ + (rows * Config::kMost + 3) / 4 * 4;
    begins_ = members_ + args.capacity;
  }

  SUBISO_DEVICE void run() {
    for (u64 first = take_items(args_, args_.chunk); first < args_.num_items; first = take_items(args_, args_.chunk)) {
      const u64 end = least(first + args_.chunk, args_.num_items);
      for (u64 task = first; task < end; ++task) {
        const LargeSeed seed = args_.large[large_seed<&LargeSeed::first_task>(args_, task)];
        if (!search(seed, static_cast<u32>(task - seed.first_task))) break;
        sync_warp();
      }
    }
    add_up(args_.control, sums_.all());
  }

 private:
  using Outer = WarpShape<Config::kSlots>;

  // Everything below the seed and one second vertex. False when stopped.
  SUBISO_DEVICE bool search(const LargeSeed& seed, u32 number) {
    const List list = large_members(args_, plan_, seed.vertex);
    const u32 split = split_of(args_, plan_, seed.vertex);
    const Hood hood{args_.scratch + seed.rows, list.size, seed.stride, split, first_row(plan_.hood(), split)};
    const u32 b = hood.first + number;
    const Outer shape((list.size + 31) / 32);
    LocalSearch<Plan, Outer, Config::kNarrow> outer(plan_, shape, hood, &args_.control->stop, sums_);
    if (!outer.begin(b)) return true;
    // The second vertex and its neighbours.
    const u32 size = list_row(hood.row(Config::kMatrix, b), shape.words, b, members_, args_.capacity);
    if (size - 1 <= args_.beyond) return true;
    if (size > args_.capacity) return Config::kAnySize ? outer.count_all(outer.thirds()) : true;
    sync_warp();
    u32 stride = Config::kLeast;
    while (stride * 32 < size) stride *= 2;
    const Hood inner{rows_, size, stride, rank(split, size), rank(hood.first, size)};
    for (u32 m = 0; m < plan_.hood().num_matrices; ++m)
      for (u32 w = 0; w < stride; ++w) copy_words(hood, inner, m, w);
    for (u32 f = 0; f < plan_.hood().num_filters; ++f) copy_filter(hood, inner, f);
    sync_warp();
    return with_words<Config::kLeast>(inner, rank(b, size));
  }

  // The number of members below an outer number.
  SUBISO_DEVICE u32 rank(u32 outer, u32 size) const {
    u32 at = 0;
    for (u32 left = size; left > 0;) {
      const u32 half = left / 2;
      const bool go = members_[at + half] < outer;
      at += go ? half + 1 : 0;
      left = go ? left - half - 1 : half;
    }
    return at;
  }

  // Word w of every row: each lane looks after one member of that word.
  SUBISO_DEVICE void copy_words(const Hood& hood, const Hood& inner, u32 matrix, u32 w) {
    const u32 k = w * 32 + lane_id();
    const u32 column = k < inner.size ? members_[k] : 0;
    // Rows that hold only what is above them have nothing here further down.
    const u32 end = plan_.hood().rows_above ? least(inner.size, (w + 1) * 32) : inner.size;
    u32* to = rows_ + u64{matrix} * inner.num_rows() * inner.stride + w;
    for (u32 base = inner.first; base < inner.size; base += kWarp) {
      u32 mine = 0;
      for (u32 j = base; j < least(base + kWarp, end); ++j) {
        const u32 word = load_constant(hood.row(matrix, members_[j]) + column / 32);
        const u32 bits = ballot(k < inner.size && (word >> column % 32 & 1));
        mine = lane_id() == j - base ? bits : mine;
      }
      if (base + lane_id() < inner.size) to[u64{base + lane_id() - inner.first} * inner.stride] = mine;
    }
  }

  SUBISO_DEVICE void copy_filter(const Hood& hood, const Hood& inner, u32 f) {
    const u32 matrices = plan_.hood().num_matrices;
    const u32* from = hood.filter(matrices, f);
    u32* to = rows_ + (u64{matrices} * inner.num_rows() + f) * inner.stride;
    for (u32 w = 0; w < inner.stride; ++w) {
      const u32 k = w * 32 + lane_id();
      const u32 column = k < inner.size ? members_[k] : 0;
      const u32 bits = ballot(k < inner.size && (load_constant(from + column / 32) >> column % 32 & 1));
      if (lane_id() == 0) to[w] = bits;
    }
  }

  template <u32 kWords>
  SUBISO_DEVICE bool with_words(const Hood& hood, u32 b) {
    if constexpr (kWords < Config::kMost) {
      if (hood.stride > kWords) return with_words<kWords * 2>(hood, b);
    }
    LaneShape<kWords> shape;
    LocalSearch<Plan, LaneShape<kWords>, Config::kNarrow> search(plan_, shape, hood, &args_.control->stop, sums_);
    search.begin(b);
    const auto thirds = search.thirds();
    u32 pairs = 0;
    for (u32 base = 0; base < hood.size; base += kWarp) {
      const u32 c = base + lane_id();
      const bool there = c < hood.size && (shape.word_of(thirds, c / 32) >> c % 32 & 1);
      const u32 mine = there ? search.size(search.fourths(c)) : 0;
      const u32 end = pairs + scan_add(mine);
      if (c < hood.size) begins_[c] = end - mine;
      pairs = shuffle(end, kWarp - 1);
    }
    sync_warp();
    u32 round = 0;
    for (u32 first = 0; first < pairs; first += kWarp) {
      const u32 pair = first + lane_id();
      bool stopped = ++round % kLookEvery == 0 && load_fresh(&args_.control->stop) != 0;
      if (pair < pairs) {
        const u32 c = last_begin(begins_, hood.size, pair);
        stopped |= !search.count_below_fourth(shape.select(search.fourths(c), pair - begins_[c]));
      }
      sync_warp();
      if (ballot(stopped) != 0) return false;
    }
    return true;
  }

  const LocalArgs<Store>& args_;
  const Plan plan_;
  u32* rows_;
  u32* members_;
  u32* begins_;
  Sums sums_;
};

template <class Plan, class Store, class Config>
SUBISO_DEVICE void local_inner(const LocalArgs<Store>& args, Plan plan) {
  InnerSearch<Plan, Store, Config>(args, plan).run();
}

}  // namespace subiso
