// Schedule `local`, cliques in large neighbourhoods: a warp takes a second vertex and copies the rows of all that are
// joined to it and the seed into shared memory, both halves of them. Loops run over the next vertices until cliques of four
// (where three are wanted from the beginning: of three) are left, which clique_sets.cuh counts for a whole set at once.
#pragma once
#include "clique_sets.cuh"
#include "local.cuh"

namespace subiso {

// kLeast, kMost: words of a row. kFour: four vertices or more are looked for among the neighbours of a second vertex.
template <u32 kLeastWords, u32 kMostWords, bool kFourOrMore>
struct CliqueConfig {
  static constexpr u32 kLeast = kLeastWords;
  static constexpr u32 kMost = kMostWords;
  static constexpr bool kFour = kFourOrMore;
};

inline constexpr u32 kAtOnce = 8;     // words that a lane asks for before it looks at the first
inline constexpr u32 kLeastPart = 8;  // third vertices that make a task of their own worth while

// Words of shared memory of one warp: rows, members (later begins), a set per loop and one more.
SUBISO_DEVICE constexpr u32 clique_words(u32 capacity, u32 stride, u32 vertices) {
  return (capacity * stride + 3) / 4 * 4 + (capacity + 3) / 4 * 4 + ((vertices > 4 ? vertices - 3 : 1) * stride + 3) / 4 * 4;
}

template <class Plan, class Store, class Config>
class CliqueSearch {
 public:
  SUBISO_DEVICE CliqueSearch(const LocalArgs<Store>& args, Plan plan) : args_(args), plan_(plan) {
    const u32 words = clique_words(args.capacity, Config::kMost, args.vertices);
    rows_ = reinterpret_cast<u32*>(shared_memory()) + u64{warp_in_block()} * words;
    members_ = rows_ + (args.capacity * Config::kMost + 3) / 4 * 4;
    sets_ = members_ + (args.capacity + 3) / 4 * 4;
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
    const Wide twice = reduce_add(twice_);  // even: no set is left half counted
    add_up(args_.control, lane_id() == 0 ? twice / 2 : 0);
  }

 private:
  // One part of what is below the seed and a second vertex. False when stopped.
  SUBISO_DEVICE bool search(const LargeSeed& seed, u32 number) {
    const u32 outer = large_members(args_, plan_, seed.vertex).size;
    const Hood hood{args_.scratch + seed.rows, outer, seed.stride, 0, 0};
    const u32 size = list_row(hood.row(0, number / args_.parts), (outer + 31) / 32, kFull, members_, args_.capacity);
    sync_warp();
    if (size < args_.vertices || size <= args_.beyond || size > args_.capacity) return true;
    const u32 parts = greatest(least(args_.parts, size / kLeastPart), 1u), part = number % args_.parts;
    if (part >= parts) return true;
    u32 stride = Config::kLeast;
    while (stride * 32 < size) stride *= 2;
    const u32 edges = copy_rows(hood, size, stride);
    sync_warp();
    return with_words<Config::kLeast>(size, stride, 4 * edges > size * (size - 1), part, parts);
  }

  // ---- rows --------------------------------------------------------------------------------------------------------
  // Rows outside hold what is above them; here both halves stand. The number of edges.
  SUBISO_DEVICE u32 copy_rows(const Hood& hood, u32 size, u32 stride) {
    const u32 words = (size + 31) / 32;
    u32 edges = 0;
    for (u32 w = 0; w < words; ++w)
      for (u32 v = 0; v <= w; ++v) edges += copy_square(hood, size, stride, v, w);
    for (u32 i = lane_id(); i < size; i += kWarp)
      for (u32 w = words; w < stride; ++w) rows_[i * stride + w] = 0;
    return reduce_add(edges);
  }
  // What 32 members from word v have in word w, and the other way round: each lane looks after one member of word w.
  SUBISO_DEVICE u32 copy_square(const Hood& hood, u32 size, u32 stride, u32 v, u32 w) {
    const u32 mine = w * 32 + lane_id();
    const bool there = mine < size;
    const u32 column = there ? members_[mine] : 0;
    const u32 end = least(kWarp, size - v * 32);
    u32 across = 0, down = 0;
    for (u32 first = 0; first < end; first += kAtOnce) {
      u32 words[kAtOnce];
      SUBISO_UNROLL
      for (u32 i = 0; i < kAtOnce; ++i) {
        const bool is_row = there && first + i < end;
        words[i] = is_row ? load_constant(hood.row(0, members_[v * 32 + first + i]) + column / 32) : 0;
      }
      SUBISO_UNROLL
      for (u32 i = 0; i < kAtOnce; ++i) {
        const u32 joined = words[i] >> column % 32 & 1, bits = ballot(joined != 0);
        across = lane_id() == first + i ? bits : across;
        down |= joined << (first + i);
      }
    }
    if (v == w) {
      if (there) rows_[mine * stride + w] = across | down;
    } else {
      rows_[(v * 32 + lane_id()) * stride + w] = across;
      if (there) rows_[mine * stride + v] = down;
    }
    return popcount(across);
  }

  // ---- loops -------------------------------------------------------------------------------------------------------
  template <u32 kWords>
  SUBISO_DEVICE bool with_words(u32 size, u32 stride, bool dense, u32 part, u32 parts) {
    if constexpr (kWords < Config::kMost) {
      if (stride > kWords) return with_words<kWords * 2>(size, stride, dense, part, parts);
    }
    const SetCount<kWords, Config::kFour> counted(rows_, size, members_, dense);
    if (lane_id() < kWords) sets_[lane_id()] = bits_below(size, lane_id());
    sync_warp();
    const u32 depth = Config::kFour ? args_.vertices - 4 : 0;
    u32 level = 0, turn = 0, looks = 0;
    while (true) {
      if (level == depth) twice_ += counted.twice(whole<kWords>(level));
      const u32 c = level == depth ? kFull : next<kWords>(level);
      if (c == kFull) {
        if (level == 0) return true;
        --level;
        continue;
      }
      if (level == 0 && turn++ % parts != part) continue;
      if (++looks % kLookEvery == 0 && ballot(load_fresh(&args_.control->stop) != 0) != 0) return false;
      if (narrow<kWords>(level, c) >= args_.vertices - 1 - level) ++level;
    }
  }

  // Lane w alone reads and writes word w of a set, but for this. What a set holds is above all that was matched.
  template <u32 kWords>
  SUBISO_DEVICE Words<kWords> whole(u32 level) const {
    return LaneShape<kWords>{}.load(sets_ + level * kWords);
  }
  // Takes the lowest one out of a loop's set; kFull where there is none.
  template <u32 kWords>
  SUBISO_DEVICE u32 next(u32 level) {
    const u32 mine = lane_id() < kWords ? sets_[level * kWords + lane_id()] : 0;
    const u32 some = ballot(mine != 0);
    if (some == 0) return kFull;
    const u32 w = lowest_bit(some), bit = lowest_bit(shuffle(mine, w));
    if (lane_id() == w) sets_[level * kWords + w] = mine & (mine - 1);
    return w * 32 + bit;
  }
  // The next set: what is left of a loop's and joined to c. How many these are.
  template <u32 kWords>
  SUBISO_DEVICE u32 narrow(u32 level, u32 c) {
    u32 mine = 0;
    if (lane_id() < kWords) {
      mine = sets_[level * kWords + lane_id()] & rows_[c * kWords + lane_id()];
      sets_[(level + 1) * kWords + lane_id()] = mine;
    }
    const u32 found = reduce_add(popcount(mine));
    sync_warp();
    return found;
  }

  const LocalArgs<Store>& args_;
  const Plan plan_;
  u32* rows_;
  u32* members_;  // and, when the rows are there, the pairs that SetCount lists
  u32* sets_;
  Wide twice_ = 0;
};

template <class Plan, class Store, class Config>
SUBISO_DEVICE void local_cliques(const LocalArgs<Store>& args, Plan plan) {
  CliqueSearch<Plan, Store, Config>(args, plan).run();
}

}  // namespace subiso
