// Triangles or 4-cliques inside one set of vertices, by one warp on symmetric bit rows. In a dense set they are not visited:
// they are what is left of all triples when those with an absent edge are taken away, and absent edges are few. Of three
// vertices that are neither all joined nor all apart, two see one of the others and not the other one, hence
//   triangles = all triples - 1/2 sum over v of joined(v) * apart(v) - triples that are all apart.
// The same inside the neighbours above c, summed over c, gives 4-cliques. Everything is counted twice, because of the half.
#pragma once
#include "bits.cuh"

namespace subiso {

// Of vertices 0 to `size` the row r holds those that r is joined to; rows are kWords words long. kFour: 4-cliques.
template <u32 kWords, bool kFour>
class SetCount {
 public:
  using Shape = LaneShape<kWords>;
  using Set = typename Shape::Set;
  // `begins` has room for `size` numbers. `dense`: absent edges are looked for, not present ones.
  SUBISO_DEVICE SetCount(const u32* rows, u32 size, u32* begins, bool dense)
      : rows_(rows), size_(size), begins_(begins), flip_(dense ? kFull : 0) {}

  // Twice the number, over all lanes.
  SUBISO_DEVICE i64 twice(const Set& set) const {
    const u32 lowest = lowest_word(set), pairs = list_pairs(set, lowest);
    i64 found = 0;
    for (u32 first = 0; first < pairs; first += kWarp) {
      if (first + lane_id() < pairs) found += below_pair(set, lowest, first + lane_id());
      sync_warp();
    }
    if (flip_ == 0) return 2 * found;
    if constexpr (kFour)
      return mixed_fours<0>(set) - 2 * found;
    else
      return mixed_triangles(set) - 2 * found;
  }

 private:
  SUBISO_DEVICE Set row(u32 v) const { return shape_.load(rows_ + u64{v} * kWords); }
  SUBISO_DEVICE static u32 size_of(const Set& set) {
    u32 found = 0;
    SUBISO_UNROLL
    for (u32 k = 0; k < kWords; ++k) found += popcount(set.word[k]);
    return found;
  }
  SUBISO_DEVICE bool holds(const Set& set, u32 v) const { return v < size_ && (shape_.word_of(set, v / 32) >> v % 32 & 1); }
  // The first number of the first word that is not empty.
  SUBISO_DEVICE static u32 lowest_word(const Set& set) {
    u32 found = 0;
    SUBISO_UNROLL
    for (u32 k = kWords; k-- > 0;) found = set.word[k] != 0 ? k * 32 : found;
    return found;
  }
  // Twice the triples among n.
  SUBISO_DEVICE static i64 twice_triples(u32 n) { return n < 3 ? 0 : n * (n - 1) * (n - 2) / 3; }

  // ---- all triples but those that are mixed ------------------------------------------------------------------------
  SUBISO_DEVICE i64 mixed_triangles(const Set& set) const {
    const u32 all = size_of(set);
    i64 found = lane_id() == 0 ? twice_triples(all) : 0;
    for (u32 v = lane_id(); v < size_; v += kWarp) {
      if (!holds(set, v)) continue;
      const u32 joined = size_of(both(row(v), set));
      found -= joined * (all - 1 - joined);
    }
    return found;
  }

  // Of those c that stand in word kFrom and later: among the neighbours above c. Earlier words play no part.
  template <u32 kFrom>
  SUBISO_DEVICE i64 mixed_fours(const Set& set) const {
    if constexpr (kFrom == kWords) {
      return 0;
    } else {
      if (kFrom * 32 >= size_) return 0;
      u32 all = 0;
      if (set.word[kFrom] >> lane_id() & 1) {
        const Set its = both(row(kFrom * 32 + lane_id()), set);
        all = popcount(its.word[kFrom] & ~1u << lane_id());
        SUBISO_UNROLL
        for (u32 k = kFrom + 1; k < kWords; ++k) all += popcount(its.word[k]);
      }
      i64 found = twice_triples(all);
      if (set.word[kFrom] != 0)
        for (u32 base = kFrom * 32; base < size_; base += kWarp) found -= mixed_with<kFrom>(set, base + lane_id(), all);
      return found + mixed_fours<kFrom + 1>(set);
    }
  }
  // With v in the middle, for every c of a word. `all`: how many this lane's c has above it.
  template <u32 kFrom>
  SUBISO_DEVICE u32 mixed_with(const Set& set, u32 v, u32 all) const {
    const bool there = holds(set, v);
    const Set its = both(row(there ? v : 0), set);
    u32 found = 0;
    for (u32 left = set.word[kFrom]; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left), above_c = shuffle(all, c);
      const Set other = row(kFrom * 32 + c);
      u32 joined = popcount(other.word[kFrom] & its.word[kFrom] & ~1u << c);
      SUBISO_UNROLL
      for (u32 k = kFrom + 1; k < kWords; ++k) joined += popcount(other.word[k] & its.word[k]);
      const bool adjacent = there && v > kFrom * 32 + c && (its.word[kFrom] >> c & 1);
      found += adjacent ? joined * (above_c - 1 - joined) : 0;
    }
    return found;
  }

  // ---- triples that are all joined, or all apart -------------------------------------------------------------------
  SUBISO_DEVICE static Set both(Set a, const Set& b) {
    SUBISO_UNROLL
    for (u32 k = 0; k < kWords; ++k) a.word[k] &= b.word[k];
    return a;
  }
  // Vertices of `some` above v that are joined to v, or apart from it, as `its` row says.
  SUBISO_DEVICE Set marked(const Set& its, const Set& some, u32 v) const {
    Set found;
    SUBISO_UNROLL
    for (u32 k = 0; k < kWords; ++k) found.word[k] = (its.word[k] ^ flip_) & some.word[k] & bits_from(v + 1, k);
    return found;
  }
  SUBISO_DEVICE static Set below(Set set, u32 v) {
    SUBISO_UNROLL
    for (u32 k = 0; k < kWords; ++k) set.word[k] &= bits_below(v, k);
    return set;
  }
  // begins_[v], from v = `lowest` on: marked pairs whose lower end is before v. The number of all. Pairs that nothing
  // comes from are left out.
  SUBISO_DEVICE u32 list_pairs(const Set& set, u32 lowest) const {
    u32 before = 0;
    for (u32 base = lowest; base < size_; base += kWarp) {
      const u32 v = base + lane_id();
      u32 mine = 0;
      if (holds(set, v)) {
        const Set its = row(v);
        mine = kFour && size_of(below(both(its, set), v)) == 0 ? 0 : size_of(marked(its, set, v));
      }
      const u32 end = before + scan_add(mine);
      if (v < size_) begins_[v] = end - mine;
      before = shuffle(end, kWarp - 1);
    }
    sync_warp();
    return before;
  }
  // With a pair as the two lower ones: the third ones; for kFour, of every third one, the vertices below that are joined
  // to all three.
  SUBISO_DEVICE u32 below_pair(const Set& set, u32 lowest, u32 pair) const {
    const u32 v = lowest + last_begin(begins_ + lowest, size_ - lowest, pair);
    const Set first = row(v), seconds = marked(first, set, v);
    const u32 w = shape_.select(seconds, pair - begins_[v]);
    const Set second = row(w);
    const Set thirds = marked(second, seconds, w);
    const u32 size = size_of(thirds);
    if constexpr (!kFour) return size;
    const Set fourths = below(both(both(first, second), set), v);
    const u32 others = size_of(fourths);
    const bool fewer = others < size;
    return edges_between(choose(fewer, fourths, thirds), fewer ? others : size, choose(fewer, thirds, fourths));
  }
  SUBISO_DEVICE static Set choose(bool first, Set a, const Set& b) {
    SUBISO_UNROLL
    for (u32 k = 0; k < kWords; ++k) a.word[k] = first ? a.word[k] : b.word[k];
    return a;
  }
  // From the `size` vertices of one set, of which each costs a row, to those of another.
  SUBISO_DEVICE u32 edges_between(const Set& some, u32 size, const Set& others) const {
    u32 words = 0;
    SUBISO_UNROLL
    for (u32 k = 0; k < kWords; ++k) words |= some.word[k] != 0 ? 1u << k : 0;
    u32 found = 0, at = 0, bits = 0;
    for (u32 left = size; left != 0; --left) {
      if (bits == 0) {
        at = lowest_bit(words);
        words &= words - 1;
        bits = shape_.word_of(some, at);
      }
      found += size_of(both(row(at * 32 + lowest_bit(bits)), others));
      bits &= bits - 1;
    }
    return found;
  }

  const Shape shape_{};
  const u32* const rows_;
  const u32 size_;
  u32* const begins_;
  const u32 flip_;
};

}  // namespace subiso
