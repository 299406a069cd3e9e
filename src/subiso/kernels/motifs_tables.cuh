// Tables of the ends of wedges from a seed: how many paths of two edges lead to every vertex. Blocks have theirs in shared
// memory as far as it goes, warps a small hash table.
#pragma once
#include "motifs_deal.cuh"

namespace subiso::motif {

// A count for each vertex of a range. Nobody is counted more often than it has neighbours: a vertex with fewer than 256
// has a byte, with fewer than 65,536 a half word. kFar: in device memory, past caches that do not see atomics.
template <bool kFar>
class RangeCounts {
 public:
  SUBISO_DEVICE RangeCounts(const Range& range, u32* words)
      : words_(words), range_(range), halves_((range.narrow_end - range.begin) / 4),
        wides_(halves_ + (range.half_end - range.narrow_end) / 2) {}

  // Counts b; how often it had been counted.
  SUBISO_DEVICE u32 add(u32 b) const {
    const Place its = place(b);
    return atomic_add(words_ + its.word, 1u << its.shift) >> its.shift & its.mask;
  }
  SUBISO_DEVICE u32 at(u32 b) const {
    const Place its = place(b);
    return (kFar ? load_far(words_ + its.word) : words_[its.word]) >> its.shift & its.mask;
  }
  // Also clears some others, which is what everybody is about to do.
  SUBISO_DEVICE void clear_around(u32 b) const { words_[place(b).word] = 0; }
  SUBISO_DEVICE void clear() const {
    for (u32 i = Crew<true>::self(); i < range_.words; i += Crew<true>::width()) words_[i] = 0;
  }

 private:
  struct Place {
    u32 word, shift, mask;
  };
  SUBISO_DEVICE Place place(u32 b) const {
    if (b < range_.narrow_end) return {(b - range_.begin) / 4, (b - range_.begin) % 4 * 8, 0xFF};
    if (b < range_.half_end) return {halves_ + (b - range_.narrow_end) / 2, (b - range_.narrow_end) % 2 * 16, 0xFFFF};
    return {wides_ + (b - range_.half_end), 0, kFull};
  }

  u32* const words_;
  const Range range_;
  const u32 halves_, wides_;
};

// The ends of an item with few wedges, listed by its block, so that nobody has to look for them.
class EndList {
 public:
  static constexpr u32 kBytes = 16 + 4 * kFewWedges;
  SUBISO_DEVICE explicit EndList(u8* memory) : size_(reinterpret_cast<u32*>(memory)), ends_(size_ + 4) {
    if (Crew<true>::self() == 0) *size_ = 0;
  }
  SUBISO_DEVICE void push(u32 b) const { ends_[atomic_add(size_, 1u)] = b; }
  SUBISO_DEVICE u32 size() const { return *size_; }
  SUBISO_DEVICE u32 at(u32 i) const { return ends_[i]; }
  // f(end) for all, by single threads; then there are none.
  template <class F>
  SUBISO_DEVICE void drain(F f) const {
    for (u32 i = Crew<true>::self(); i < *size_; i += Crew<true>::width()) f(ends_[i]);
    sync_block();
    if (Crew<true>::self() == 0) *size_ = 0;
  }

 private:
  u32 *const size_, *const ends_;
};

// A block's table of a tile; ends elsewhere are not its business.
class TileCounts {
 public:
  SUBISO_DEVICE static constexpr u32 bytes(u32) { return 0; }
  template <class Store>
  SUBISO_DEVICE TileCounts(const Args<Store>& args, u8* memory)
      : list_(memory), counts_(args.tile.range, reinterpret_cast<u32*>(memory + EndList::kBytes)) {
    counts_.clear();
    sync_block();
  }

  SUBISO_DEVICE u32 add(u32 b, Part part) const {
    const u32 before = counts_.add(b);
    if (part.few && before == 0) list_.push(b);
    return before;
  }
  SUBISO_DEVICE u32 at(u32 b) const { return counts_.at(b); }
  SUBISO_DEVICE void clear(Part part) const {
    if (part.few)
      list_.drain([&](u32 b) { counts_.clear_around(b); });
    else
      counts_.clear();
  }

 private:
  const EndList list_;
  const RangeCounts<false> counts_;
};

// A block's table of the tile with the highest vertices, which are met most, in shared memory, and of those below it in
// device memory. Whoever comes below the latter does not count.
class NearAndFar {
 public:
  SUBISO_DEVICE static constexpr u32 bytes(u32) { return 0; }
  template <class Store>
  SUBISO_DEVICE NearAndFar(const Args<Store>& args, u8* memory)
      : near_range_(args.tile.range),
        far_range_(args.far.range),
        list_(memory),
        shared_(reinterpret_cast<Shared*>(memory + EndList::kBytes)),
        near_(near_range_, reinterpret_cast<u32*>(memory + EndList::kBytes + sizeof(Shared))),
        far_(far_range_, args.far.counts + u64{block_id()} * far_range_.words),
        ends_(args.far.ends + u64{block_id()} * args.far.capacity),
        capacity_(args.far.capacity) {
    near_.clear();
    if (Crew<true>::self() == 0) *shared_ = {};
    sync_block();
  }

  SUBISO_DEVICE u32 first() const { return far_range_.begin; }
  SUBISO_DEVICE void add(u32 b, Part part) const {
    if (b < far_range_.begin) return;
    const bool near = b >= near_range_.begin;
    if ((near ? near_.add(b) : far_.add(b)) != 0) return;
    if (part.few) {
      list_.push(b);
    } else if (!near) {
      const u32 at = atomic_add(&shared_->num_ends, 1u);
      if (at < capacity_) ends_[at] = b;
    }
  }
  SUBISO_DEVICE u32 at(u32 b) const {
    return b >= near_range_.begin ? near_.at(b) : b >= far_range_.begin ? far_.at(b) : 0;
  }

  // f(b, paths), by all lanes of a warp together: for all ends below u of a part. Paths are 0 where a lane has none.
  template <class F>
  SUBISO_DEVICE void each(u32 u, Part part, F f) const {
    if (part.few) {
      each_listed(list_.size(), [&](u32 i) { return list_.at(i); }, [&](u32 b) { return at(b); }, f);
      return;
    }
    scan(near_, near_range_, &shared_->near_groups, u, part, f);
    if (listed(part))
      each_listed(shared_->num_ends, [&](u32 i) { return load_far(ends_ + i); }, [&](u32 b) { return far_.at(b); }, f);
    else
      scan(far_, far_range_, &shared_->far_groups, u, part, f);
  }

  SUBISO_DEVICE void clear(Part part) const {
    if (part.few) {
      list_.drain([&](u32 b) {
        if (b >= near_range_.begin)
          near_.clear_around(b);
        else
          far_.clear_around(b);
      });
    } else {
      near_.clear();
      if (listed(part))
        for (u32 i = Crew<true>::self(); i < shared_->num_ends; i += Crew<true>::width())
          far_.clear_around(load_far(ends_ + i));
      else
        far_.clear();
      sync_block();
    }
    if (Crew<true>::self() == 0) *shared_ = {};
  }

 private:
  struct Shared {
    u32 num_ends = 0, near_groups = 0, far_groups = 0, unused = 0;
  };

  // The order of the list depends on who came first, so parts cannot go by it.
  SUBISO_DEVICE bool listed(Part part) const { return part.of == 1 && shared_->num_ends <= capacity_; }

  template <class End, class Count, class F>
  SUBISO_DEVICE void each_listed(u32 size, End end, Count count, F f) const {
    each_group(&shared_->far_groups, size, kWarp, [&](u32 first) {
      const bool mine = first + lane_id() < size;
      const u32 b = mine ? end(first + lane_id()) : 0;
      f(b, mine ? count(b) : 0);
    });
  }

  template <bool kFar, class F>
  SUBISO_DEVICE void scan(const RangeCounts<kFar>& counts, const Range& range, u32* next, u32 u, Part part, F f) const {
    const u32 end = u < range.end ? u : range.end;
    const u32 groups = end > range.begin ? (end - range.begin + kWarp - 1) / kWarp : 0;
    const u32 mine = groups > part.number ? (groups - part.number + part.of - 1) / part.of : 0;
    each_group(next, mine, 1, [&](u32 group) {
      const u32 b = range.begin + (group * part.of + part.number) * kWarp + lane_id(), paths = b < end ? counts.at(b) : 0;
      if (ballot(paths != 0) != 0) f(b, paths);
    });
  }

  const Range near_range_, far_range_;
  const EndList list_;
  Shared* const shared_;
  const RangeCounts<false> near_;
  const RangeCounts<true> far_;
  u32* const ends_;
  const u64 capacity_;
};

// The same for seeds with few wedges, each a warp's work.
class FewCounts {
 public:
  SUBISO_DEVICE static constexpr u32 bytes(u32 slots) { return 32 + (HashedCounts::bytes(slots) + 15) / 16 * 16; }
  template <class Store>
  SUBISO_DEVICE FewCounts(const Args<Store>& args, u8* memory)
      : state_(reinterpret_cast<TeamState*>(memory)), table_(args.table, state_, memory + 16) {
    table_.open();
    if (lane_id() == 0) state_->num_ends = 0;
    sync_warp();
  }

  SUBISO_DEVICE u32 first() const { return 0; }
  SUBISO_DEVICE u32 add(u32 b, Part) const { return table_.add(b); }
  SUBISO_DEVICE u32 at(u32 b) const { return table_.at(b); }
  template <class F>
  SUBISO_DEVICE void each(u32, Part, F f) const {
    const u32 ends = state_->num_ends;
    for (u32 first = 0; first < ends; first += kWarp) {
      const u32 i = first + lane_id(), b = i < ends ? *table_.end(i) : 0;
      f(b, i < ends ? table_.at(b) : 0);
    }
  }
  SUBISO_DEVICE void clear(Part) const {
    const u32 ends = state_->num_ends;
    for (u32 i = lane_id(); i < ends; i += kWarp) table_.clear(i);
    sync_warp();
    if (lane_id() == 0) state_->num_ends = 0;
  }

 private:
  TeamState* const state_;
  const HashedCounts table_;
};

}  // namespace subiso::motif
