// Several positions at once (schedule `levels`, after GENEVA): the candidates of at most two sets are found once per row,
// and then all their combinations are gone through. Positions of one set share its list.
#pragma once
#include "levels.cuh"

namespace subiso {

// The first row after those whose lists fit into the hand.
template <class Store>
SUBISO_DEVICE u64 span_end(const LevelsArgs<Store>& args) {
  const u64 rows = *args.from.rows, first = args.first_row;
  if (first >= rows) return rows;
  u64 end = rows;
  for (int set = 0; set < 2; ++set) {
    const u64* const offsets = set == 0 ? args.from.offsets : args.from_second.offsets;
    if (offsets == nullptr) continue;
    const u64 limit = load_own(offsets + first) + args.hand.room;
    u64 low = first + 1, high = end + 1;  // rows up to `low` fit; every list alone does
    while (high - low > 1) {
      const u64 middle = low + (high - low) / 2;
      (load_own(offsets + middle) <= limit ? low : high) = middle;
    }
    end = low;
  }
  return end;
}

// The combinations of a row.
template <class Store>
SUBISO_DEVICE u64 combinations(const LevelsArgs<Store>& args, u64 row) {
  const u32 counts[2] = {load_own(args.hand.counts[0] + row),
                         args.hand.counts[1] != nullptr ? load_own(args.hand.counts[1] + row) : 0};
  u64 product = 1;
  for (u32 m = 0; m < args.width; ++m) product *= counts[args.member[m]];
  return product;
}

// One combination: the vertices of the added positions.
template <class Store>
class Combination {
 public:
  // Number `at` of those of the whole hand, which belongs to row `row`.
  SUBISO_DEVICE Combination(const LevelsArgs<Store>& args, u64 row, u64 at) : args_(args), row_(row) {
    rest_ = at - load_own(args.hand.offsets + (row - args.first_row));
  }
  // f(added position, its vertex) for all of them, first to last; stops when f says false.
  template <class F>
  SUBISO_DEVICE bool each(F f) const {
    u64 rest = rest_;
    for (u32 m = 0; m + 1 < args_.width; ++m) {
      const u32 set = args_.member[m];
      if (!f(m, vertex(set, take_digit(rest, load_own(args_.hand.counts[set] + row_))))) return false;
    }
    return f(args_.width - 1, vertex(args_.member[args_.width - 1], rest));
  }

 private:
  // The last digit of a number to this base, which leaves the others; divisions of long numbers take several times as long.
  SUBISO_DEVICE static u32 take_digit(u64& number, u32 base) {
    const u64 whole = number >> 32 == 0 ? static_cast<u32>(number) / base : number / base;
    const u32 digit = static_cast<u32>(number - whole * base);
    number = whole;
    return digit;
  }
  SUBISO_DEVICE u32 vertex(u32 set, u64 digit) const {
    const u64* const offsets = set == 0 ? args_.from.offsets : args_.from_second.offsets;
    const u64 first = load_own(offsets + row_) - load_own(offsets + args_.first_row);
    return load_own(args_.hand.lists[set] + first + digit);
  }

  const LevelsArgs<Store>& args_;
  const u64 row_;
  u64 rest_;
};

// First half of the sums over rows of the hand: by tiles.
template <class Store>
SUBISO_DEVICE void levels_tally(const LevelsArgs<Store>& args) {
  if (stopped(args)) return;
  const u64 rows = span_end(args) - args.first_row, num_tiles = (rows + kTile - 1) / kTile;
  for (u64 tile = grid_warp(); tile < num_tiles; tile += grid_warps()) {
    u64 sum = 0;
    for (u64 i = tile * kTile + lane_id(); i < least((tile + 1) * kTile, rows); i += kWarp)
      sum += combinations(args, args.first_row + i);
    sum = reduce_add(sum);
    if (lane_id() == 0) args.hand.tiles[tile] = sum;
  }
}

// Second half: where every row's combinations begin.
template <class Store>
SUBISO_DEVICE void levels_products(const LevelsArgs<Store>& args) {
  if (stopped(args)) return;
  const u64 end = span_end(args), rows = end - args.first_row;
  if (grid_warp() == 0 && lane_id() == 0) args.hand.state->rows = end;
  const auto value_of = [&](u64 i) { return combinations(args, args.first_row + i); };
  scan_rows(args.hand.tiles, rows, value_of, [&](u64 i, u64 value, u64 before) {
    args.hand.offsets[i] = before;
    if (i + 1 == rows) args.hand.state->total = before + value;
  });
}

}  // namespace subiso
