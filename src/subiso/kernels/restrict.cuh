// The candidate graph: relations restricted to the candidates of both ends, in numbers of the candidates. Lengths first,
// then where each list begins (scan.cuh), then the elements.
#pragma once
#include "bitmaps.cuh"

namespace subiso {

// A relation, and what becomes of it.
struct Restricted {
  const u32* bounds;
  const u32* neighbors;
  const u32* from;   // bitmap of those whose lists are kept
  const u32* to;     // ... and of the elements that are
  u32* lengths;      // per candidate those below and above it; zero before
  u32* new_bounds;   // a bound before each of these, and one behind
  u32* new_neighbors;
};

struct RestrictArgs {
  const Restricted* relations;  // as many as there are bitmaps in `pieces`
  const u32* all;               // bitmap of everybody's candidates
  const u32* before;            // of these, by word
  const u32* vertex_at;
  u32* members;                 // their ranks, by number
  u32* translated;              // ... and their vertices
  const u32* const* filters;
  u32* new_filters;             // `filter_words` each
  u32 num_members;
  u32 num_filters;
  u32 filter_words;
  Pieces pieces;
};

SUBISO_DEVICE u32 number_of(const RestrictArgs& args, u32 v) {
  const u32 word = load_constant(args.all + (v >> 5));
  return load_constant(args.before + (v >> 5)) + popcount(word & ((1u << (v & 31)) - 1));
}

template <class F>
SUBISO_DEVICE void each_restricted(const RestrictArgs& args, F f) {
  each_piece(args.pieces, [&](u32 number, u32 first) {
    const Restricted relation = args.relations[number];
    each_member(relation.from, args.pieces, first, [&](u32 v) {
      const List none{relation.neighbors, 0};
      f(relation, v, v == kFull ? 0 : number_of(args, v), v == kFull ? none : list_at(relation.bounds, relation.neighbors, v));
    });
  });
}

// The members of all bitmaps, in order.
SUBISO_DEVICE void restrict_number(const RestrictArgs& args) {
  Pieces pieces = args.pieces;
  pieces.bitmaps = 1;
  each_piece(pieces, [&](u32, u32 first) {
    each_member(args.all, pieces, first, [&](u32 v) {
      if (v == kFull) return;
      const u32 number = number_of(args, v);
      args.members[number] = v;
      args.translated[number] = load_constant(args.vertex_at + v);
    });
  });
}

// Bitmaps over vertices become bitmaps over members: a warp per word.
SUBISO_DEVICE void restrict_gather(const RestrictArgs& args) {
  const u32 warps = num_blocks() * warps_per_block();
  const u64 words = u64{args.num_filters} * args.filter_words;
  for (u64 at = block_id() * warps_per_block() + warp_in_block(); at < words; at += warps) {
    const u32* bits = args.filters[at / args.filter_words];
    const u32 member = 32 * static_cast<u32>(at % args.filter_words) + lane_id();
    const u32 word = ballot(member < args.num_members && has_constant_bit(bits, load_constant(args.members + member)));
    if (lane_id() == 0) args.new_filters[at] = word;
  }
}

// A lane for a short list, the warp for a long one.
SUBISO_DEVICE void restrict_count(const RestrictArgs& args) {
  each_restricted(args, [&](const Restricted& r, u32 v, u32 number, List list) {
    u32 below = 0, above = 0;
    if (list.size <= kFew)
      for (u32 i = 0; i < list.size; ++i) {
        const u32 u = load_constant(list.data + i);
        if (has_constant_bit(r.to, u)) u > v ? ++above : ++below;
      }
    for (u32 left = ballot(list.size > kFew); left != 0; left &= left - 1) {
      const u32 lane = lowest_bit(left), size = shuffle(list.size, lane), owner = shuffle(v, lane);
      const u32* data = shuffle(list.data, lane);
      u32 all = 0, higher = 0;
      for (u32 i = lane_id(); i < size; i += kWarp) {
        const u32 u = load_constant(data + i);
        const bool kept = has_constant_bit(r.to, u);
        all += kept, higher += kept && u > owner;
      }
      all = reduce_add(all), higher = reduce_add(higher);
      if (lane_id() == lane) below = all - higher, above = higher;
    }
    if (v != kFull) r.lengths[2 * u64{number}] = below, r.lengths[2 * u64{number} + 1] = above;
  });
}

// The same again, writing what is kept.
SUBISO_DEVICE void restrict_fill(const RestrictArgs& args) {
  each_restricted(args, [&](const Restricted& r, u32, u32 number, List list) {
    u32* out = r.new_neighbors + load_constant(r.new_bounds + 2 * u64{number});
    if (list.size <= kFew)
      for (u32 i = 0; i < list.size; ++i) {
        const u32 u = load_constant(list.data + i);
        if (has_constant_bit(r.to, u)) *out++ = number_of(args, u);
      }
    for (u32 left = ballot(list.size > kFew); left != 0; left &= left - 1) {
      const u32 lane = lowest_bit(left), size = shuffle(list.size, lane);
      const u32* data = shuffle(list.data, lane);
      u32* to = shuffle(out, lane);
      for (u32 first = 0; first < size; first += kWarp) {
        const u32 i = first + lane_id(), u = i < size ? load_constant(data + i) : 0;
        const bool kept = i < size && has_constant_bit(r.to, u);
        const u32 here = ballot(kept);
        if (kept) to[popcount(here & lanes_below())] = number_of(args, u);
        to += popcount(here);
      }
    }
  });
}

struct OwnersArgs {
  const u32* bounds;
  u32* owners;  // of the entries
  u32 num_members;
  u32 unused;
};

// Who owns each entry of a relation's lists: a warp per list.
SUBISO_DEVICE void restrict_owners(const OwnersArgs& args) {
  const u32 warps = num_blocks() * warps_per_block();
  for (u32 v = block_id() * warps_per_block() + warp_in_block(); v < args.num_members; v += warps) {
    const u32 end = load_constant(args.bounds + 2 * u64{v} + 2);
    for (u32 i = load_constant(args.bounds + 2 * u64{v}) + lane_id(); i < end; i += kWarp) args.owners[i] = v;
  }
}

}  // namespace subiso
