// Four-cycles inside large neighbourhoods, each at the pair of opposite corners that has its highest one, a: a team takes the
// other, c, and counts the paths c - b - a with b and c below a, by a; every path makes a cycle with each one before it.
// Counters stand in shared memory, for all members or for a window of them.
#pragma once
#include "hoods.cuh"

namespace subiso::hoods {

// Counters of the ends of wedges. Where none can pass 16 bits, the second half of them stands in the upper halves of words:
// ends that follow each other, as they do in dense parts, never meet in a word.
template <class Item>
class Ends {
 public:
  static constexpr bool kHalves = sizeof(Item) == 2;
  SUBISO_DEVICE static constexpr u32 words(u32 window) { return kHalves ? (window + 1) / 2 : window; }
  SUBISO_DEVICE static constexpr u32 bytes(u32 window) { return 16 + (4 * words(window) + 15) / 16 * 16; }
  SUBISO_DEVICE Ends(u8* memory, u32 window) : counters_(reinterpret_cast<u32*>(memory)), words_(words(window)) {}

  // The count before.
  SUBISO_DEVICE u32 add(u32 end) const {
    if (!kHalves) return atomic_add(counters_ + end, 1u);
    const bool high = end >= words_;
    const u32 before = atomic_add(counters_ + (high ? end - words_ : end), high ? 1u << 16 : 1u);
    return high ? before >> 16 : before & 0xffff;
  }
  // Those from `from` on, by one of `width` lanes.
  SUBISO_DEVICE void clear(u32 from, u32 to, u32 self, u32 width) const {
    const u32 first = !kHalves ? from : from < words_ ? 0 : from - words_;
    for (u32 i = first + self; i < least(to, words_); i += width) counters_[i] = 0;
  }

 private:
  u32* const counters_;
  const u32 words_;
};

// Deals the elements of the lanes' lists to all lanes, long ones one by one, short ones together.
template <class Item, class F>
SUBISO_DEVICE void each_item(const Item* data, u32 size, F f) {
  constexpr u32 kAhead = 4;  // elements that a lane reads before it looks at the first
  const u32 lane = lane_id();
  for (u32 open = ballot(size >= kWarp); open != 0; open &= open - 1) {
    const u32 owner = lowest_bit(open), all = shuffle(size, owner);
    const Item* its = shuffle(data, owner);
    u32 at = lane;
    for (; at + (kAhead - 1) * kWarp < all; at += kAhead * kWarp) {
      Item some[kAhead];
      SUBISO_UNROLL
      for (u32 k = 0; k < kAhead; ++k) some[k] = load_constant(its + at + k * kWarp);
      SUBISO_UNROLL
      for (u32 k = 0; k < kAhead; ++k) f(some[k]);
    }
    for (; at < all; at += kWarp) f(load_constant(its + at));
  }
  const u32 mine = size >= kWarp ? 0 : size;
  const u32 end = scan_add(mine), total = shuffle(end, kWarp - 1);
  for (u32 base = 0; base < total; base += kWarp) {
    u32 owner = 0;  // the number of lists that end at or before this lane's element
    SUBISO_UNROLL
    for (u32 half = kWarp / 2; half != 0; half /= 2)
      if (shuffle(end, owner + half - 1) <= base + lane) owner += half;
    const u32 begin = shuffle(end - mine, owner);
    const Item* its = shuffle(data, owner);
    if (base + lane < total) f(load_constant(its + (base + lane - begin)));
  }
}

// ---- where wedges come from ------------------------------------------------------------------------------------------
// A corner c of a hub's neighbourhood, and the places of the ends that are asked for: from `from`, which is above c, to `to`.
struct Corner {
  Hub hub;
  u32 place, from, to;
};

template <class Item>
struct Slice {
  const Item* data;
  u32 size;
};

// The lists of hoods_build.cuh.
template <class ItemType, class Store>
class Written {
 public:
  using Item = ItemType;
  SUBISO_DEVICE Written(const Args<Store>& args, const Corner& corner)
      : items_(static_cast<const Item*>(args.lists) + corner.hub.first_item),
        members_(args.members + corner.hub.first_member),
        first_(load_constant(&members_[corner.place].begin)),
        corner_(corner) {}

  // The neighbours of c, and the ends that the one of that number leads to.
  SUBISO_DEVICE u32 size() const { return load_constant(&members_[corner_.place + 1].begin) - first_; }
  SUBISO_DEVICE Slice<Item> ends(u32 number) const {
    const u32 b = load_constant(items_ + first_ + number);
    const Item* list = items_ + load_constant(&members_[b].begin);
    u32 up = load_constant(&members_[b].up);
    if (corner_.to < corner_.hub.size) up = count_below(list, up, corner_.to);
    const u32 skipped = corner_.from <= b + 1 ? 0 : count_below(list, up, corner_.from);
    return {list + skipped, up - skipped};
  }
  SUBISO_DEVICE u32 place(Item end) const { return end; }

 private:
  const Item* items_;
  const Member* members_;
  const u32 first_;
  const Corner& corner_;
};

// The graph's own lists, where those of the hub have no room: every vertex is looked up in the hub's list.
template <class Store>
class Unwritten {
 public:
  using Item = u32;
  SUBISO_DEVICE Unwritten(const Args<Store>& args, const Corner& corner)
      : store_(args.store),
        around_(store_.neighbors(corner.hub.vertex, 0)),
        near_(store_.neighbors(load_constant(around_.data + corner.place), 0)),
        corner_(corner) {}

  SUBISO_DEVICE u32 size() const { return near_.size; }
  SUBISO_DEVICE Slice<Item> ends(u32 number) const {
    const u32 b = load_constant(near_.data + number);
    if (!contains(around_, b)) return {nullptr, 0};
    List list = store_.neighbors_above(b, 0);
    if (corner_.to < around_.size) list.size = count_below(list, load_constant(around_.data + corner_.to));
    const u32 skipped = count_below(list, load_constant(around_.data + corner_.from));
    return {list.data + skipped, list.size - skipped};
  }
  // corner.to: none.
  SUBISO_DEVICE u32 place(u32 end) const {
    const u32 found = corner_.from + count_below({around_.data + corner_.from, corner_.to - corner_.from}, end);
    return found < corner_.to && load_constant(around_.data + found) == end ? found : corner_.to;
  }

 private:
  const Store& store_;
  const List around_, near_;
  const Corner& corner_;
};

// ---- counting --------------------------------------------------------------------------------------------------------
template <bool kBlock, class Source, class Store>
class Wedges {
 public:
  using Team = Crew<kBlock>;
  using Counters = Ends<typename Source::Item>;
  SUBISO_DEVICE explicit Wedges(const Args<Store>& args)
      : args_(args), memory_(Team::memory(Counters::bytes(args.window))), counters_(memory_ + 16, args.window) {}

  SUBISO_DEVICE void run() {
    clear(0, args_.window);
    for (u64 first = next(); first < args_.num_items; first = next()) {
      const u64 end = least(first + args_.chunk, args_.num_items);
      u32 number = hub_of<&Hub::first_task>(args_, first);
      for (u64 task = first; task < end; ++task) {
        while (load_constant(&args_.hubs[number + 1].first_task) <= task) ++number;
        search(args_.hubs[number], static_cast<u32>(task - load_constant(&args_.hubs[number].first_task)));
      }
    }
    add_up(args_.control, 2 * total_);  // as hoods_rows.cuh, which finds every cycle twice
  }

 private:
  SUBISO_DEVICE u64 next() { return take<kBlock>(args_, reinterpret_cast<u64*>(memory_), args_.chunk); }

  // Tasks of a hub: all windows of its first member, then those of the second.
  SUBISO_DEVICE void search(const Hub& hub, u32 task) {
    const u32 windows = (hub.size + args_.window - 1) / args_.window, c = task / windows;
    const u32 base = (task - c * windows) * args_.window;
    const Corner corner{hub, c, greatest(c + 1, base), least(base + args_.window, hub.size)};
    if (corner.from >= corner.to) return;
    const Source source(args_, corner);
    const u32 size = source.size();
    if (size < 2) return;
    u64 cycles = 0;
    for (u32 first = 0; first < size; first += Team::width()) {
      const u32 number = first + lane_id() * Team::warps() + Team::warp();
      Slice<typename Source::Item> ends{nullptr, 0};
      if (number < size) ends = source.ends(number);
      each_item(ends.data, ends.size, [&](typename Source::Item end) {
        const u32 place = source.place(end);
        if (place < corner.to) cycles += counters_.add(place - base);
      });
    }
    total_ += cycles;
    Team::sync();
    clear(corner.from - base, corner.to - base);
  }

  SUBISO_DEVICE void clear(u32 from, u32 to) {
    counters_.clear(from, to, Team::self(), Team::width());
    Team::sync();
  }

  const Args<Store>& args_;
  u8* const memory_;
  const Counters counters_;
  Wide total_ = 0;
};

template <bool kBlock, class Item, class Store>
SUBISO_DEVICE void wedges(const Args<Store>& args) {
  Wedges<kBlock, Written<Item, Store>, Store>(args).run();
}

template <class Store>
SUBISO_DEVICE void unwritten(const Args<Store>& args) {
  Wedges<true, Unwritten<Store>, Store>(args).run();
}

}  // namespace subiso::hoods
