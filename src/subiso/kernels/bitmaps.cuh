// Bitmaps over vertices as 32-bit words, and going through their members: lanes get one each, whatever words these are in.
#pragma once
#include "storage.cuh"

namespace subiso {

inline constexpr u32 kFew = 8;  // elements of a list that one lane looks at; longer lists have the warp

// Others may be clearing bits of it.
SUBISO_DEVICE bool has_bit(const u32* bits, u32 v) { return load_fresh(bits + (v >> 5)) >> (v & 31) & 1; }
SUBISO_DEVICE bool has_constant_bit(const u32* bits, u32 v) { return load_constant(bits + (v >> 5)) >> (v & 31) & 1; }

// The set bits of 32 words, one word per lane, numbered through.
struct Deal {
  u32 word;
  u32 before;  // set bits of the lanes below
  u32 total;
};

SUBISO_DEVICE Deal deal(u32 word) {
  const u32 mine = popcount(word), upto = scan_add(mine);
  return {word, upto - mine, shuffle(upto, kWarp - 1)};
}

// Where the i-th set bit stands, counted from the first lane's first bit; kFull where there are not so many.
SUBISO_DEVICE u32 place_of(const Deal& d, u32 i) {
  u32 lane = 0;  // the last one with at most i set bits below it
  for (u32 step = kWarp / 2; step != 0; step /= 2)
    if (shuffle(d.before, lane + step) <= i) lane += step;
  const u32 word = shuffle(d.word, lane), before = shuffle(d.before, lane);
  return i < d.total ? 32 * lane + nth_bit(word, i - before) : kFull;
}

// Work on bitmaps is dealt to warps as pieces of at most 32 words of one of them.
struct Pieces {
  u32 words;  // of a bitmap
  u32 chunk;  // of a piece
  u32 bitmaps;

  SUBISO_DEVICE u32 each() const { return (words + chunk - 1) / chunk; }
  SUBISO_DEVICE u64 all() const { return u64{bitmaps} * each(); }
};

// One warp per piece; calls f(bitmap, first word of the piece).
template <class F>
SUBISO_DEVICE void each_piece(const Pieces& pieces, F f) {
  const u32 each = pieces.each(), warps = num_blocks() * warps_per_block();
  for (u64 at = block_id() * warps_per_block() + warp_in_block(); at < pieces.all(); at += warps)
    f(static_cast<u32>(at / each), static_cast<u32>(at % each) * pieces.chunk);
}

// Calls f(v) with every lane's own member of a piece that begins with word `first`, kFull for lanes without one.
template <class F>
SUBISO_DEVICE void each_member(const u32* bits, const Pieces& pieces, u32 first, F f) {
  const u32 at = first + lane_id();
  const Deal members = deal(lane_id() < pieces.chunk && at < pieces.words ? load_fresh(bits + at) : 0);
  for (u32 i = 0; i < members.total; i += kWarp) {
    const u32 place = place_of(members, i + lane_id());
    f(place == kFull ? kFull : 32 * first + place);
  }
}

SUBISO_DEVICE List list_at(const u32* bounds, const u32* neighbors, u32 v) {
  const u32 begin = load_constant(bounds + 2 * u64{v}), end = load_constant(bounds + 2 * u64{v} + 2);
  return {neighbors + begin, end - begin};
}

}  // namespace subiso
