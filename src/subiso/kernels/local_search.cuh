// The search inside one neighbourhood: sets are bits, an intersection is AND, a size a popcount. A plan that is compiled
// in becomes nested loops over registers; one that is read from tables walks an explicit stack.
#pragma once
#include "bits.cuh"
#include "local_plan.cuh"

namespace subiso {

// A neighbourhood: row i of matrix m holds the members that member i is joined to; filters stand behind the matrices.
struct Hood {
  const u32* rows;
  u32 size;    // members
  u32 stride;  // words from a row to the next
  u32 split;   // members below the seed
  u32 first;   // members before this one have no rows
  SUBISO_DEVICE u32 num_rows() const { return size - first; }
  SUBISO_DEVICE const u32* row(u32 matrix, u32 i) const {
    return rows + (u64{matrix} * num_rows() + (i - first)) * stride;
  }
  SUBISO_DEVICE const u32* filter(u32 matrices, u32 f) const {
    return rows + (u64{matrices} * num_rows() + f) * stride;
  }
};

inline constexpr u32 kLookEvery = 32;  // times that a search could look for a stop until it does

// What a lane has counted.
struct Sums {
  i64 linear = 0;
  Wide total = 0;
  SUBISO_DEVICE Wide all() const { return total + static_cast<Wide>(linear); }
};

// kNarrow: a tail's polynomial fits into 64 bits.
template <class Plan, class Shape, bool kNarrow>
class LocalSearch {
 public:
  using Set = typename Shape::Set;
  SUBISO_DEVICE LocalSearch(Plan plan, Shape shape, const Hood& hood, const u32* stop, Sums& sums)
      : plan_(plan), shape_(shape), hood_(hood), stop_(stop), sums_(sums) {}

  // Matches the second vertex with member b. False when it may not stand there.
  SUBISO_DEVICE bool begin(u32 b) {
    compute_sets(before(before(plan_.second())));
    const Set allowed = candidates(before(plan_.second()));
    if (!(shape_.word_of(allowed, b / 32) >> (b % 32) & 1)) return false;
    index_[1] = b;
    compute_sets(before(plan_.second()));
    return true;
  }
  SUBISO_DEVICE Set thirds() { return candidates(plan_.second()); }
  // Counts below the second vertex and the third, member c. Lane shape. False when stopped.
  SUBISO_DEVICE bool count_below(u32 c) { return visit(plan_.second(), c, true); }
  // With the third vertex at member c: the fourth ones. Plans of four levels and more.
  SUBISO_DEVICE Set fourths(u32 c) {
    index_[plan_.second()] = c;
    compute_sets(plan_.second());
    return candidates(after(plan_.second()));
  }
  SUBISO_DEVICE bool count_below_fourth(u32 d) { return visit(after(plan_.second()), d, true); }
  // Counts below the second vertex and those third ones that are in `some`. False when stopped.
  SUBISO_DEVICE bool count_all(Set some) { return loop(plan_.second(), some); }

  SUBISO_DEVICE static u32 size(const Set& set) {
    u32 found = 0;
    SUBISO_UNROLL
    for (u32 k = 0; k < Shape::kSlots; ++k) found += popcount(set.word[k]);
    return found;
  }

 private:
  SUBISO_DEVICE int last() const { return plan_.num_levels() - 1; }
  // Now and then only: everybody looks at the same word.
  SUBISO_DEVICE bool stopped() { return ++looks_ % kLookEvery == 0 && shape_.any(load_fresh(stop_) != 0); }

  // ---- sets --------------------------------------------------------------------------------------------------------
  template <class Level>
  SUBISO_DEVICE Set candidates(Level level) {
    return plan_.level_ops(level, [&](auto begin, auto end) { return evaluate(begin, end); });
  }
  template <class Level>
  SUBISO_DEVICE void compute_sets(Level level) {
    plan_.each_set(level, [&](auto s) {
      sets_[s] = plan_.set_ops(s, [&](auto begin, auto end) { return evaluate(begin, end); });
    });
  }
  template <class Begin, class End>
  SUBISO_DEVICE Set evaluate(Begin begin, End end) {
    Set set;
    plan_.each_op(begin, end, [&](auto i) { apply(plan_.op(i), i == begin, set); });
    return set;
  }
  template <class F>
  SUBISO_DEVICE void keep(bool first, Set& set, F bits) {
    SUBISO_UNROLL
    for (u32 k = 0; k < Shape::kSlots; ++k) set.word[k] = first ? bits(k) : set.word[k] & bits(k);
  }
  SUBISO_DEVICE void keep_set(bool first, Set& set, const Set& other, u32 flip = 0) {
    keep(first, set, [&](u32 k) { return other.word[k] ^ flip; });
  }
  SUBISO_DEVICE void apply(BitOp op, bool first, Set& set) {
    switch (op.kind) {
      case BitOp::kAll:
        return keep(first, set, [&](u32 k) { return bits_below(hood_.size, shape_.number(k)); });
      case BitOp::kSet: return keep_set(first, set, sets_[op.a]);
      case BitOp::kRow: return keep_set(first, set, shape_.load(hood_.row(op.b, index_[op.a])));
      case BitOp::kNotRow: return keep_set(first, set, shape_.load(hood_.row(op.b, index_[op.a])), kFull);
      case BitOp::kAbove: {
        const u32 from = op.a == 0 ? hood_.split : index_[op.a] + 1;
        return keep(first, set, [&](u32 k) { return bits_from(from, shape_.number(k)); });
      }
      case BitOp::kBelow: {
        const u32 to = op.a == 0 ? hood_.split : index_[op.a];
        return keep(first, set, [&](u32 k) { return bits_below(to, shape_.number(k)); });
      }
      case BitOp::kFilter:
        return keep_set(first, set, shape_.load(hood_.filter(plan_.hood().num_matrices, op.a)));
      default: {
        const u32 at = index_[op.a];
        return keep(first, set, [&](u32 k) { return shape_.number(k) == at / 32 ? ~(1u << at % 32) : kFull; });
      }
    }
  }

  // ---- loops -------------------------------------------------------------------------------------------------------
  // The vertex at `level` is member i: everything below it. False when stopped.
  template <class Level>
  SUBISO_DEVICE bool visit(Level level, u32 i, bool present) {
    index_[level] = i;
    compute_sets(level);
    if (level == last()) {
      tail(present);
      return true;
    }
    if (level == last() - Shape::kLookAbove && stopped()) return false;
    return descend(after(level));
  }

  template <int kLevel>
  SUBISO_DEVICE bool descend(Number<kLevel> level) {
    if constexpr (kLevel < Plan::kLevels) return loop(level, candidates(level));
    return true;
  }
  template <int kLevel>
  SUBISO_DEVICE bool loop(Number<kLevel> level, const Set& left) {
    u32 w = 0, bits = shape_.word_of(left, 0);
    while (true) {
      while (bits == 0) {
        if (++w >= shape_.num_words()) return true;
        bits = shape_.word_of(left, w);
      }
      if constexpr (kLevel == Plan::kLevels - 1) {
        bits = finish(level, w, bits);
      } else {
        const u32 i = w * 32 + lowest_bit(bits);
        bits &= bits - 1;
        if (!visit(level, i, true)) return false;
      }
    }
  }

  // The same for tables: never deeper than one call.
  SUBISO_DEVICE bool descend(int level) { return loop(level, candidates(level)); }
  SUBISO_DEVICE bool loop(int from, const Set& start) {
    int level = from;
    cursors_[level] = {start, 0, shape_.word_of(start, 0)};
    while (level >= from) {
      Cursor& at = cursors_[level];
      if (at.bits == 0) {
        if (++at.w >= shape_.num_words())
          --level;
        else
          at.bits = shape_.word_of(at.left, at.w);
      } else if (level == last()) {
        at.bits = finish(level, at.w, at.bits);
      } else {
        index_[level] = at.w * 32 + lowest_bit(at.bits);
        at.bits &= at.bits - 1;
        compute_sets(level);
        if (level == last() - Shape::kLookAbove && stopped()) return false;
        const Set next = candidates(++level);
        cursors_[level] = {next, 0, shape_.word_of(next, 0)};
      }
    }
    return true;
  }

  // Of the innermost loop: the next bits of a word, one per group of lanes. What is left of the word.
  template <class Level>
  SUBISO_DEVICE u32 finish(Level level, u32 w, u32 bits) {
    const u32 turns = shape_.turns();
    u32 mine = bits;
    for (u32 t = 0; t < turns; ++t) {
      if (t < shape_.turn()) mine &= mine - 1;
      bits &= bits - 1;
    }
    index_[level] = mine == 0 ? hood_.first : w * 32 + lowest_bit(mine);
    compute_sets(level);
    tail(mine != 0);
    return bits;
  }

  // ---- counting ----------------------------------------------------------------------------------------------------
  SUBISO_DEVICE void tail(bool present) {
    u32 sizes[Plan::kSizes];
    plan_.each_size([&](auto s) {
      const Set set = plan_.size_ops(s, [&](auto begin, auto end) { return evaluate(begin, end); });
      const u32 known = static_cast<u32>(plan_.surely(s));
      sizes[s] = plan_.linear() ? size(set) - (shape_.leads() ? known : 0) : shape_.sum(size(set)) - known;
    });
    if (plan_.linear()) {
      if (present) sums_.linear += static_cast<i32>(sizes[0]);
    } else if (present && shape_.leads()) {
      using Value = typename Choose<kNarrow>::Type;
      Value sum = 0;
      plan_.each_term([&](const Term& term) {
        Value product = term.coefficient;
        for (int f = 0; f < term.count; ++f) product *= sizes[term.factors[f]];
        sum += product;
      });
      sums_.total += sum;
    }
  }
  template <bool, class = void>
  struct Choose {
    using Type = Wide;
  };
  template <class Any>
  struct Choose<true, Any> {
    using Type = i64;
  };

  struct Cursor {
    Set left;
    u32 w, bits;
  };
  const Plan plan_;
  const Shape shape_;
  const Hood hood_;
  const u32* const stop_;
  Sums& sums_;
  Set sets_[Plan::kSets];
  u32 index_[Plan::kLevels];
  u32 looks_ = 0;
  Cursor cursors_[Plan::kLevels];  // of tables only: unused otherwise, and then no memory
};

}  // namespace subiso
