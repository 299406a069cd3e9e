// Pass: all triangles x < b < c, from x. The members above x go into a hash table of the team, then the upper lists of all
// members are read and looked up in it. A seed with too many members for the table is searched in its list instead.
#pragma once
#include "motifs.cuh"

namespace subiso::motif {

// kCount: how many there are. kTally: those of every edge. kAfter: what follows from the triangles of a triangle's edges.
enum class Step { kCount, kTally, kAfter };

inline constexpr u32 kSlotsPerMember = 4;  // of a hash table: most looks are in vain, and end at the first slot

// What a team keeps in shared memory: keys and, where they are asked for, places and counts.
template <Step kStep>
SUBISO_DEVICE constexpr u32 triangle_bytes(u32 capacity) {
  return 16 + (kStep == Step::kCount ? 4 * kSlotsPerMember : 6 * kSlotsPerMember + 4) * capacity;
}

template <Step kStep, bool kBlock, class Store>
class Triangles {
 public:
  using Team = Crew<kBlock>;
  SUBISO_DEVICE explicit Triangles(const Args<Store>& args) : args_(args), lists_(args.store.relations.at(0)) {
    u8* memory = Team::memory(triangle_bytes<kStep>(args.capacity));
    slot_ = reinterpret_cast<u64*>(memory);
    keys_ = reinterpret_cast<u32*>(memory + 16);
    counts_ = keys_ + kSlotsPerMember * args.capacity;
    places_ = reinterpret_cast<u16*>(counts_ + args.capacity);
  }

  SUBISO_DEVICE void run() {
    each_seed<kBlock>(args_, slot_, [&](u32 x) { search(x); });
    if (kStep == Step::kCount) add_up<1>(args_.board, {{kCliques3}, {found_}});
    if (kStep == Step::kAfter) add_up<3>(args_.board, {{kFans, kKites, kTailsUp}, {fans_, kites_, tails_}});
  }

 private:
  static constexpr u32 kNone = kFull;
  // A member's list, the triangles of the edge to the member, and its degree.
  struct Fetched {
    const u32* data;
    u32 size, triangles, degree;
  };

  SUBISO_DEVICE u64 entry_of(const u32* at) const { return static_cast<u64>(at - lists_.neighbors); }
  SUBISO_DEVICE u32 degree(u32 v) const { return args_.store.neighbors(v, 0).size; }

  SUBISO_DEVICE void search(u32 x) {
    members_ = args_.store.neighbors_above(x, 0);
    own_degree_ = kStep == Step::kAfter ? degree(x) : 0;
    hashed_ = members_.size <= args_.capacity;
    if (hashed_) fill();
    for (u32 first = Team::warp() * kWarp; first < members_.size; first += Team::warps() * kWarp) look_from(first);
    Team::sync();
    if (kStep == Step::kTally && hashed_) {
      for (u32 j = Team::self(); j < members_.size; j += Team::width())
        if (counts_[j] != 0) atomic_add(args_.triangles + entry_of(members_.data) + j, counts_[j]);
      Team::sync();
    }
  }

  // ---- the members -------------------------------------------------------------------------------------------------
  SUBISO_DEVICE void fill() {
    u32 slots = kWarp;
    while (slots < kSlotsPerMember * members_.size) slots *= 2;
    mask_ = slots - 1;
    for (u32 i = Team::self(); i < slots; i += Team::width()) keys_[i] = kFull;
    if (kStep == Step::kTally)
      for (u32 j = Team::self(); j < members_.size; j += Team::width()) counts_[j] = 0;
    Team::sync();
    for (u32 j = Team::self(); j < members_.size; j += Team::width()) {
      const u32 member = load_constant(members_.data + j);
      u32 slot = first_slot(member);
      while (atomic_cas(keys_ + slot, kFull, member) != kFull) slot = (slot + 1) & mask_;
      if (kStep != Step::kCount) places_[slot] = static_cast<u16>(j);
    }
    Team::sync();
  }
  SUBISO_DEVICE u32 first_slot(u32 v) const { return (v * 0x9E3779B1u >> 15) & mask_; }

  // The place of c among the members.
  SUBISO_DEVICE u32 find(u32 c) const {
    if (!hashed_) {
      const u32 at = count_below(members_, c);
      return at < members_.size && load_constant(members_.data + at) == c ? at : kNone;
    }
    u32 slot = first_slot(c), key = keys_[slot];
    while (key != c && key != kFull) {
      slot = (slot + 1) & mask_;
      key = keys_[slot];
    }
    if (key != c) return kNone;
    return kStep == Step::kCount ? 0 : places_[slot];
  }

  // ---- their lists -------------------------------------------------------------------------------------------------
  // Of 32 members, one per lane.
  SUBISO_DEVICE void look_from(u32 first) {
    const u32 j = first + lane_id();
    List list{nullptr, 0};
    u32 there = 0, its_degree = 0;
    if (j < members_.size) {
      const u32 b = load_constant(members_.data + j);
      list = args_.store.neighbors_above(b, 0);
      if (kStep == Step::kAfter) {
        there = load_constant(args_.triangles + entry_of(members_.data) + j);
        its_degree = degree(b);
        if (there == 0) list.size = 0;
      }
    }
    const auto fetch = [&](u32 owner) -> Fetched {
      if (kStep != Step::kAfter) return {shuffle(list.data, owner), 0, 0, 0};
      return {shuffle(list.data, owner), shuffle(list.size, owner), shuffle(there, owner), shuffle(its_degree, owner)};
    };
    const u32 hits = deal_lists(list.size, fetch, [&](const Fetched& its, u32, u32 at, bool present) {
      if (!present) return false;
      const u32 c = load_constant(its.data + at), place = find(c);
      if (place == kNone) return false;
      if (kStep == Step::kTally) tally(place, its.data + at);
      if (kStep == Step::kAfter) after(c, place, its.data + at, its.size - at - 1, its.triangles, its.degree);
      return true;
    });
    if (kStep == Step::kCount) found_ += hits;
    if (kStep == Step::kTally && hits != 0) atomic_add(args_.triangles + entry_of(members_.data) + j, hits);
  }

  SUBISO_DEVICE void tally(u32 place, const u32* closing) {
    if (hashed_)
      atomic_add(counts_ + place, 1u);
    else
      atomic_add(args_.triangles + entry_of(members_.data) + place, 1u);
    atomic_add(args_.triangles + entry_of(closing), 1u);
  }

  // Of the triangle (x, b, c): `beyond` neighbours of b stand above c.
  SUBISO_DEVICE void after(u32 c, u32 place, const u32* closing, u32 beyond, u32 xb, u32 degree_b) {
    const u64 one = xb - 1, two = load_constant(args_.triangles + entry_of(members_.data) + place) - 1,
              three = load_constant(args_.triangles + entry_of(closing)) - 1;
    fans_ += static_cast<Wide>(one) * (two + three) + static_cast<Wide>(two) * three;
    kites_ += static_cast<Wide>(own_degree_ - 2) * three + static_cast<Wide>(degree_b - 2) * two +
              static_cast<Wide>(degree(c) - 2) * one;
    tails_ += static_cast<u64>(members_.size - place - 1) + beyond + args_.store.neighbors_above(c, 0).size;
  }

  const Args<Store>& args_;
  const Csr<typename Store::Offset> lists_;
  u64* slot_;
  u32 *keys_, *counts_;
  u16* places_;
  List members_;
  u32 mask_ = 0, own_degree_ = 0;
  bool hashed_ = false;
  u64 found_ = 0, tails_ = 0;
  Wide fans_ = 0, kites_ = 0;
};

template <Step kStep, bool kBlock, class Store>
SUBISO_DEVICE void triangles(const Args<Store>& args) {
  Triangles<kStep, kBlock, Store>(args).run();
}

}  // namespace subiso::motif
