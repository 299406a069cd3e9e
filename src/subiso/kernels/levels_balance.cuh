// Whose work a row of schedule `levels` is: SGSI's cost model (section 7) on a histogram of candidates per row. A device
// decides by itself, so that no join waits for the host.
#pragma once
#include "warp.cuh"

namespace subiso {

inline constexpr u32 kBins = 128;
inline constexpr u32 kNarrowBins = 32;  // 32 candidates wide, up to 1024; then four intervals per doubling

// Rows with so many candidates at most are one warp's work (W3), up to `block` (W2) they are shared by the warps of a block
// with other rows, up to `grid` (W1) they have a block for themselves; beyond, they are everybody's.
struct Limits {
  u32 pool, block, grid;
};

// The interval of the histogram.
SUBISO_DEVICE u32 bin_of(u32 size) {
  if (size < 1024) return size / kWarp;
  u32 octave = 10;
  while (octave < 31 && size >> (octave + 1) != 0) ++octave;
  return least(kNarrowBins + 4 * (octave - 10) + (size >> (octave - 2) & 3), kBins - 1);
}
// The smallest number of candidates in an interval.
SUBISO_DEVICE u64 size_of_bin(u32 bin) {
  if (bin <= kNarrowBins) return u64{kWarp} * bin;
  const u32 above = bin - kNarrowBins;
  return u64{4 + above % 4} << (above / 4 + 8);
}

SUBISO_DEVICE i64 parts(i64 a, i64 b) { return (a + b - 1) / b; }

// Costs are in tenths of a step of a warp; waiting for the block costs one tenth, and another launch ten. What the rows of an
// interval cost more as one warp's work than in the block's pool; from 1024 candidates on, more as a block's than everybody's.
SUBISO_DEVICE i64 gain(u32 bin, i64 rows, i64 multiprocessors) {
  const i64 size = static_cast<i64>(size_of_bin(bin)), each = parts(rows, multiprocessors);
  if (rows == 0) return 0;
  if (bin < kNarrowBins) return 10 * (size / kWarp) * parts(rows, kWarp * multiprocessors) - 12 * parts(size * each, 1024);
  return 11 * each * parts(size, 1024) - rows * (10 + 10 * parts(size, 1024 * multiprocessors));
}

// From which interval on, of `count` from `first` on, the other way is taken, so that all together cost least; as late as
// possible. By the whole warp.
SUBISO_DEVICE u32 best_cut(const u32* histogram, u32 first, u32 count, u32 multiprocessors) {
  const u32 each = (count + kWarp - 1) / kWarp, begin = lane_id() * each;
  const auto gain_of = [&](u32 i) { return i < count ? gain(first + i, load_own(histogram + first + i), multiprocessors) : 0; };
  i64 sum = 0;
  for (u32 i = begin; i < begin + each; ++i) sum += gain_of(i);
  i64 least_cost = scan_add(sum) - sum, cost = least_cost;
  u32 cut = least(begin, count);
  for (u32 i = begin; i < begin + each && i < count; ++i) {
    cost += gain_of(i);
    if (cost > least_cost) continue;
    least_cost = cost;
    cut = i + 1;
  }
  SUBISO_UNROLL
  for (u32 step = kWarp / 2; step != 0; step /= 2) {
    const i64 other_cost = shuffle(least_cost, lane_id() ^ step);
    const u32 other_cut = shuffle(cut, lane_id() ^ step);
    if (other_cost < least_cost || (other_cost == least_cost && other_cut > cut)) {
      least_cost = other_cost;
      cut = other_cut;
    }
  }
  return first + cut;
}

SUBISO_DEVICE Limits choose_limits(const u32* histogram, u32 multiprocessors) {
  const u32 pool = best_cut(histogram, 1, kNarrowBins - 1, multiprocessors);
  const u32 grid = best_cut(histogram, kNarrowBins, kBins - kNarrowBins, multiprocessors);
  return {static_cast<u32>(size_of_bin(pool) - 1), 1024, grid == kBins ? kFull : static_cast<u32>(size_of_bin(grid) - 1)};
}

}  // namespace subiso
