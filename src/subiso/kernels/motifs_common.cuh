// Pass: all pairs x < y with at least two common neighbours, seen from x, the end of lower degree. A table has their numbers;
// bitmaps over the neighbours of x say, for every such y, which of them are common, and for every neighbour, which others
// it is joined to. So a common neighbour h is joined to l others of them, l = popcount(row of h & set of y): that is what
// wheels, near-cliques and, where x and y are joined themselves, four-cliques are made of.
#pragma once
#include "local_build.cuh"
#include "motifs.cuh"

namespace subiso::motif {

// The table of a team, and what it shares beside it. A warp's table is in shared memory, a block's in device memory.
template <bool kBlock>
struct TableOf {
  using Type = DenseCounts;
  SUBISO_DEVICE static constexpr u32 bytes(u32) { return 32; }
  SUBISO_DEVICE static Type make(const CodegreeArgs& args, TeamState* state, u8*) { return Type(args, state); }
};
template <>
struct TableOf<false> {
  using Type = HashedCounts;
  SUBISO_DEVICE static constexpr u32 bytes(u32 slots) { return 32 + (HashedCounts::bytes(slots) + 15) / 16 * 16; }
  SUBISO_DEVICE static Type make(const CodegreeArgs& args, TeamState* state, u8* memory) { return Type(args, state, memory); }
};

// Words of shared memory behind a warp's table: pairs, their common neighbours as numbers and as sets, rows of 32 neighbours.
SUBISO_DEVICE constexpr u32 common_words(u32 slots) { return 3 * (slots / 4) + kWarp; }

template <bool kBlock, class Store>
class Common {
 public:
  using Team = Crew<kBlock>;
  using Table = typename TableOf<kBlock>::Type;
  SUBISO_DEVICE explicit Common(const Args<Store>& args)
      : args_(args),
        lists_(args.store.relations.at(0)),
        memory_(Team::memory(bytes(args.table.slots))),
        state_(reinterpret_cast<TeamState*>(memory_ + 16)),
        table_(TableOf<kBlock>::make(args.table, state_, memory_ + 32)) {
    const u64 number = Team::number();
    u32* behind = reinterpret_cast<u32*>(memory_ + TableOf<kBlock>::bytes(args.table.slots));
    pairs_ = kBlock ? args.pairs + number * args.pair_words : behind;
    numbers_ = kBlock ? args.numbers + number * args.pair_words : pairs_ + args.table.slots / 4;
    sets_ = kBlock ? args.sets + number * args.set_words : numbers_ + args.table.slots / 4;
    rows_ = kBlock ? args.rows + number * args.row_words : sets_ + args.table.slots / 4;
  }

  SUBISO_DEVICE void run() {
    table_.open();
    if (Team::self() == 0) state_->num_ends = state_->next_row = 0;
    Team::sync();
    each_seed<kBlock>(args_, reinterpret_cast<u64*>(memory_), [&](u32 x) { search(x); });
    add_up<8>(args_.board,
              {{kSquareDegrees, kCommon3, kWheels, kSpokes, kCliqueEdges, kCliqueDegrees, kCliqueBooks, kCliquePairs},
               {squares_, common3_, wheels_, spokes_, edges_, degrees_, books_, clique_pairs_}});
  }

 private:
  static constexpr u32 kFirstPlace = 2;  // in the table: less is a count of vertices that are no pair

  SUBISO_DEVICE static u32 bytes(u32 slots) {
    return TableOf<kBlock>::bytes(slots) + (kBlock ? 0 : 4 * common_words(slots));
  }
  // The common neighbours of two vertices: as bits, their number less two; the degrees' sum; are the two joined?
  struct Pair {
    const u32* set;
    u32 others, degrees, joined;
  };
  // Bitmaps and pairs: a block's stand in device memory.
  SUBISO_DEVICE static u32 read(const u32* at) { return kBlock ? load_far(at) : *at; }
  SUBISO_DEVICE u32 degree(u32 v) const { return args_.store.neighbors(v, 0).size; }

  SUBISO_DEVICE void search(u32 x) {
    around_ = args_.store.neighbors(x, 0);
    words_ = (around_.size + 31) / 32;
    with_rows_ = !kBlock || u64{around_.size} * words_ <= args_.row_words;
    count_wedges(args_.store, args_.table, table_, x, Team::warp(), Team::warps());
    Team::sync();
    const u32 ends = state_->num_ends;
    for (u32 i = Team::self(); i < ends; i += Team::width()) number_pair(load_own(table_.end(i)));
    Team::sync();
    const u32 pairs = state_->next_row;
    if (pairs != 0) fill(x, pairs);
    for (u32 first = Team::warp() * kWarp; first < pairs; first += Team::warps() * kWarp) from_pairs(first, pairs);
    Team::sync();
    for (u32 i = Team::self(); i < ends; i += Team::width()) table_.clear(i);
    if (Team::self() == 0) state_->num_ends = state_->next_row = 0;
    Team::sync();
  }

  // ---- bitmaps -----------------------------------------------------------------------------------------------------
  // From now on the table says where a pair stands instead of how much it has in common.
  SUBISO_DEVICE void number_pair(u32 y) {
    const u64 c = table_.at(y);
    if (c < 2) return;
    const u32 place = atomic_add(&state_->next_row, 1u);
    pairs_[place] = y;
    numbers_[place] = static_cast<u32>(c);
    table_.set(y, place + kFirstPlace);
    squares_ += static_cast<Wide>(c * (c - 1)) * (u64{around_.size} + degree(y) - 4);
    common3_ += static_cast<Wide>(c * (c - 1)) * (c - 2);
  }

  SUBISO_DEVICE void fill(u32 x, u32 pairs) {
    const u64 set_words = u64{pairs} * words_, row_words = with_rows_ ? u64{around_.size} * words_ : 0;
    for (u64 i = Team::self(); i < set_words; i += Team::width()) sets_[i] = 0;
    for (u64 i = Team::self(); i < row_words; i += Team::width()) rows_[i] = 0;
    Team::sync();
    for (u32 first = Team::warp() * kWarp; first < around_.size; first += Team::warps() * kWarp) {
      if (with_rows_) build_rows(args_.store, 0, false, true, {around_.data, around_.size}, rows_, words_, 0, first);
      fill_sets(x, first);
    }
    Team::sync();
  }

  // Notes 32 neighbours of x in the sets of those y that they lead to. Without a triangle at x they are joined to none.
  SUBISO_DEVICE void fill_sets(u32 x, u32 first) {
    const u32 i = first + lane_id();
    List list{nullptr, 0};
    if (i < around_.size && load_constant(args_.triangles + static_cast<u64>(around_.data - lists_.neighbors) + i) != 0)
      list = bounded(args_.store, load_constant(around_.data + i), 0, Bound::kAbove, x);
    const auto fetch = [&](u32 owner) { return shuffle(list.data, owner); };
    deal_lists(list.size, fetch, [&](const u32* data, u32 owner, u32 at, bool present) {
      if (!present) return false;
      const u32 y = load_constant(data + at);
      const u32 place = table_.at(y);
      if (place >= kFirstPlace) set_bit(sets_, place - kFirstPlace, words_, first + owner);
      return false;
    });
  }

  // ---- pairs -------------------------------------------------------------------------------------------------------
  // 32 pairs; their common neighbours are dealt to the lanes.
  SUBISO_DEVICE void from_pairs(u32 first, u32 pairs) {
    const u32* set = sets_ + u64{first + lane_id()} * words_;
    u32 members = 0, c = 0, joined = 0, degrees = 0;
    if (first + lane_id() < pairs) {
      for (u32 w = 0; w < words_; ++w) members += popcount(read(set + w));
      if (members < 2) members = 0;
      if (members != 0) {
        const u32 y = read(pairs_ + first + lane_id());
        c = read(numbers_ + first + lane_id());
        degrees = around_.size + degree(y);
        joined = contains(around_, y);
      }
    }
    const auto fetch = [&](u32 owner) -> Pair {
      return {shuffle(set, owner), shuffle(c, owner) - 2, shuffle(degrees, owner), shuffle(joined, owner)};
    };
    deal_lists(members, fetch, [&](const Pair& pair, u32, u32 at, bool present) {
      if (present) add_common(joined_to(select(pair.set, at), pair.set), pair);
      return false;
    });
  }

  // l neighbours of a common one are common too.
  SUBISO_DEVICE void add_common(u64 l, const Pair& pair) {
    if (l == 0) return;
    wheels_ += l * (l - 1);
    spokes_ += pair.others * l;
    if (pair.joined == 0) return;
    edges_ += l;
    degrees_ += (pair.degrees - 6) * l;
    books_ += pair.others * l;
    clique_pairs_ += l * (l - 1);
  }

  // The member of a set that has `rank` members below it.
  SUBISO_DEVICE u32 select(const u32* set, u32 rank) const {
    u32 w = 0, word = read(set);
    for (u32 here = popcount(word); rank >= here; here = popcount(word)) {
      rank -= here;
      word = read(set + ++w);
    }
    return w * 32 + select_bit(word, rank);
  }

  // How many members of a set are joined to neighbour h.
  SUBISO_DEVICE u32 joined_to(u32 h, const u32* set) const {
    u32 found = 0;
    if (with_rows_) {
      const u32* row = rows_ + u64{h} * words_;
      for (u32 w = 0; w < words_; ++w) found += popcount(read(row + w) & read(set + w));
      return found;
    }
    const List list = args_.store.neighbors(load_constant(around_.data + h), 0);
    for (u32 w = 0; w < words_; ++w)
      for (u32 left = read(set + w); left != 0; left &= left - 1)
        found += contains(list, load_constant(around_.data + w * 32 + lowest_bit(left)));
    return found;
  }

  const Args<Store>& args_;
  const Csr<typename Store::Offset> lists_;
  u8* const memory_;
  TeamState* const state_;
  const Table table_;
  u32 *pairs_, *numbers_, *sets_, *rows_;
  List around_;
  u32 words_ = 0;
  bool with_rows_ = true;
  Wide squares_ = 0, common3_ = 0, wheels_ = 0, spokes_ = 0, edges_ = 0, degrees_ = 0, books_ = 0, clique_pairs_ = 0;
};

template <bool kBlock, class Store>
SUBISO_DEVICE void common(const Args<Store>& args) {
  Common<kBlock, Store>(args).run();
}

}  // namespace subiso::motif
