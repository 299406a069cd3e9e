// A plan inside the seed's neighbourhood as kernels read it: sets are chains of AND over bit rows. As in plan.cuh the
// same tables are either constexpr (LocalFixed) or in memory (LocalTable); engine/cuda/local_tables.py fills them.
#pragma once
#include "plan.cuh"

namespace subiso {

inline constexpr int kMaxBitOps = 1024;
inline constexpr int kMaxBitSets = 64;
inline constexpr int kMaxMatrices = 4;  // relations whose edges inside the neighbourhood are asked for

// One step of a set's computation. The first one gives the start, the others take bits out.
struct BitOp {
  enum Kind : u8 {
    kAll,      // the whole neighbourhood
    kSet,      // set number a
    kRow,      // the row of position a in matrix b
    kNotRow,   // its complement
    kAbove,    // ids above that of position a; of position 0: those that come after the seed
    kBelow,
    kFilter,   // members that pass filter a
    kWithout,  // all but position a
  };
  u8 kind, a, b;
};

// How the neighbourhood and its rows are made.
struct HoodTable {
  u8 relation;    // members are the seed's neighbours in it
  u8 above;       // only those above the seed
  u8 rows_above;  // a row holds only the members above its own
  u8 rows_after;  // only members after the seed have rows: no other vertex's row is asked for
  u8 num_matrices;
  u8 num_filters;
  u8 relations[kMaxMatrices];
  u8 mirrored[kMaxMatrices];  // the relation reads the same from both ends: half of the lists tell the whole matrix
};

struct LocalTables {
  u8 num_levels;  // positions that are matched one by one, the seed's included: at least three
  u8 num_sizes;
  u8 num_terms;
  u8 linear;      // the tail is one size: sum it, the host multiplies
  HoodTable hood;
  u8 surely[kMaxSizes];
  u8 first_set[kMaxPositions + 1];       // sets known once position p is matched: first_set[p] to first_set[p + 1]
  u16 set_ops[kMaxBitSets + 1];          // operations of set s: set_ops[s] to set_ops[s + 1]; and so on
  u16 level_ops[kMaxPositions + 1];
  u16 size_ops[kMaxSizes + 1];
  BitOp ops[kMaxBitOps];
  Term terms[kMaxTerms];
};

// Tables in memory.
struct LocalTable {
  static constexpr int kSets = kMaxBitSets;
  static constexpr int kLevels = kMaxPositions;
  static constexpr int kSizes = kMaxSizes;
  const LocalTables* tables;

  SUBISO_DEVICE int second() const { return 2; }
  SUBISO_DEVICE int num_levels() const { return tables->num_levels; }
  SUBISO_DEVICE bool linear() const { return tables->linear != 0; }
  SUBISO_DEVICE HoodTable hood() const { return tables->hood; }
  SUBISO_DEVICE BitOp op(int i) const { return tables->ops[i]; }
  SUBISO_DEVICE int surely(int s) const { return tables->surely[s]; }
  template <class F>
  SUBISO_DEVICE auto level_ops(int l, F f) const {
    return f(int{tables->level_ops[l]}, int{tables->level_ops[l + 1]});
  }
  template <class F>
  SUBISO_DEVICE auto set_ops(int s, F f) const {
    return f(int{tables->set_ops[s]}, int{tables->set_ops[s + 1]});
  }
  template <class F>
  SUBISO_DEVICE auto size_ops(int s, F f) const {
    return f(int{tables->size_ops[s]}, int{tables->size_ops[s + 1]});
  }
  template <class F>
  SUBISO_DEVICE static void each_op(int begin, int end, F f) {
    SUBISO_ROLLED
    for (int i = begin; i < end; ++i) f(i);
  }
  template <class F>
  SUBISO_DEVICE void each_set(int level, F f) const {
    SUBISO_ROLLED
    for (int s = tables->first_set[level]; s < tables->first_set[level + 1]; ++s) f(s);
  }
  template <class F>
  SUBISO_DEVICE void each_size(F f) const {
    SUBISO_ROLLED
    for (int s = 0; s < tables->num_sizes; ++s) f(s);
  }
  template <class F>
  SUBISO_DEVICE void each_term(F f) const {
    SUBISO_ROLLED
    for (int i = 0; i < tables->num_terms; ++i) f(tables->terms[i]);
  }
};

// Tables known at compile time: `Source::tables` is static constexpr.
template <class Source>
struct LocalFixed {
  static constexpr int kLevels = Source::tables.num_levels;
  static constexpr int kNumSets = Source::tables.first_set[kLevels];
  static constexpr int kSets = kNumSets > 0 ? kNumSets : 1;
  static constexpr int kSizes = Source::tables.num_sizes > 0 ? Source::tables.num_sizes : 1;

  SUBISO_DEVICE constexpr Number<2> second() const { return {}; }
  SUBISO_DEVICE constexpr Number<kLevels> num_levels() const { return {}; }
  SUBISO_DEVICE constexpr bool linear() const { return kLinear; }
  SUBISO_DEVICE constexpr HoodTable hood() const {
    constexpr HoodTable found = Source::tables.hood;
    return found;
  }
  template <int kOp>
  SUBISO_DEVICE constexpr BitOp op(Number<kOp>) const {
    constexpr BitOp found = Source::tables.ops[kOp];
    return found;
  }
  template <int kSize>
  SUBISO_DEVICE constexpr int surely(Number<kSize>) const {
    constexpr int found = Source::tables.surely[kSize];
    return found;
  }
  template <int kLevel, class F>
  SUBISO_DEVICE auto level_ops(Number<kLevel>, F f) const {
    return f(Number<Source::tables.level_ops[kLevel]>{}, Number<Source::tables.level_ops[kLevel + 1]>{});
  }
  template <int kSet, class F>
  SUBISO_DEVICE auto set_ops(Number<kSet>, F f) const {
    return f(Number<Source::tables.set_ops[kSet]>{}, Number<Source::tables.set_ops[kSet + 1]>{});
  }
  template <int kSize, class F>
  SUBISO_DEVICE auto size_ops(Number<kSize>, F f) const {
    return f(Number<Source::tables.size_ops[kSize]>{}, Number<Source::tables.size_ops[kSize + 1]>{});
  }
  template <class From, class To, class F>
  SUBISO_DEVICE static void each_op(From from, To to, F f) {
    all_of(from, to, [&](auto i) {
      f(i);
      return true;
    });
  }
  template <int kLevel, class F>
  SUBISO_DEVICE void each_set(Number<kLevel>, F f) const {
    each_op(Number<Source::tables.first_set[kLevel]>{}, Number<Source::tables.first_set[kLevel + 1]>{}, f);
  }
  template <class F>
  SUBISO_DEVICE void each_size(F f) const {
    each_op(Number<0>{}, Number<Source::tables.num_sizes>{}, f);
  }
  template <class F>
  SUBISO_DEVICE void each_term(F f) const {
    each_op(Number<0>{}, Number<Source::tables.num_terms>{}, [&](auto i) {
      constexpr Term found = Source::tables.terms[int{i}];
      f(found);
    });
  }

 private:
  static constexpr bool kLinear = Source::tables.linear != 0;
};

// The number after: one more, at run time or at compile time.
SUBISO_DEVICE int after(int i) { return i + 1; }
template <int kValue>
SUBISO_DEVICE constexpr Number<kValue + 1> after(Number<kValue>) {
  return {};
}

}  // namespace subiso
