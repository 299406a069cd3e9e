// A plan as kernels read it: for every level, and every earlier position, the operations that a candidate must pass.
// The same Tables are either constexpr (FixedPlan: loops unroll, numbers fold) or in memory (TablePlan: one compiled
// kernel runs every plan). engine/cuda/lowering.py fills them from a Plan.
#pragma once
#include "warp.cuh"

namespace subiso {

inline constexpr int kMaxPositions = 32;
inline constexpr int kMaxSizes = 8;   // set sizes that a counting tail is made of
inline constexpr int kMaxSets = 24;   // sets that a search keeps beside its stack
inline constexpr int kMaxLevels = kMaxPositions + kMaxSizes + kMaxSets;
inline constexpr int kMaxOps = 2048;
inline constexpr int kMaxTerms = 32;
inline constexpr int kMaxFactors = 6;
inline constexpr int kMaxEdges = 64;  // pattern edges in edge-isomorphism
inline constexpr u32 kNoFilter = 255;

// One demand on a candidate x, given the vertex m at an earlier position.
struct Op {
  enum Kind : u8 {
    kEdge,      // x is in m's list of relation a
    kNoEdge,    // x is not in m's list of relation a
    kAbove,     // x > m
    kBelow,     // x < m
    kDistinct,  // x != m
    kCompare,   // key a of x  <comparison c>  key b of m
    kInSet,     // x is in set a, which was computed when m was matched
  };
  u8 kind, a, b, c;
};

struct LevelTable {
  u8 filter;    // bitmap that x must be in; kNoFilter = none
  u8 lowest;    // no position below this one has operations
  u8 measured;  // the number of candidates follows from one list's length and the distinct vertices in it
  u8 surely;    // of a size: so many matched vertices are known to be in the set and do not count
  u8 edges;     // edge-isomorphism: that many of Tables::edges lie within the positions up to this level
  u8 table;     // of a size: 1 + the position whose vertex it is looked up at in the seed's codegrees; 0 = computed
};

// coefficient * product of sizes
struct Term {
  i32 coefficient;
  u8 count;
  u8 factors[kMaxFactors];
};

// A pattern edge between two positions, and the relation of its data edges.
struct EdgeTable {
  u8 source, target, relation;
};

struct Tables {
  u8 num_levels;              // positions that are matched one by one
  u8 num_sizes;               // further levels, numbered after them, whose candidates are only counted
  u8 num_terms;               // 0: every match counts once
  u8 num_sets;                // further levels, numbered after the sizes, whose candidates are kept as sets
  u8 column[kMaxPositions];   // position -> column of a row that leaves
  u8 first_set[kMaxPositions + 1];  // sets of position p, computed once it is matched: from first_set[p] to [p + 1]
  LevelTable levels[kMaxLevels];
  u16 first[kMaxLevels][kMaxPositions + 1];  // operations of level l at position p: from first[l][p] to first[l][p + 1]
  Op ops[kMaxOps];
  Term terms[kMaxTerms];
  EdgeTable edges[kMaxEdges];
};

// A number known at compile time, where an int would do at run time.
template <int kValue>
struct Number {
  SUBISO_DEVICE constexpr operator int() const { return kValue; }
};

// Runs f(i) for i = from, from + 1, ... < to; stops when f says false.
template <class F>
SUBISO_DEVICE bool all_of(int from, int to, F f) {
  for (int i = from; i < to; ++i)
    if (!f(i)) return false;
  return true;
}
template <int kFrom, int kTo, class F>
SUBISO_DEVICE bool all_of(Number<kFrom>, Number<kTo>, F f) {
  if constexpr (kFrom < kTo) {
    if (!f(Number<kFrom>{})) return false;
    return all_of(Number<kFrom + 1>{}, Number<kTo>{}, f);
  }
  return true;
}

// Tables in memory.
struct TablePlan {
  const Tables* tables;

  SUBISO_DEVICE int zero() const { return 0; }
  SUBISO_DEVICE int num_levels() const { return tables->num_levels; }
  SUBISO_DEVICE int num_sizes() const { return tables->num_sizes; }
  SUBISO_DEVICE int num_terms() const { return tables->num_terms; }
  SUBISO_DEVICE int num_sets() const { return tables->num_sets; }
  SUBISO_DEVICE LevelTable level(int l) const { return tables->levels[l]; }
  SUBISO_DEVICE int first_op(int l) const { return tables->first[l][0]; }
  SUBISO_DEVICE Op op(int i) const { return tables->ops[i]; }
  SUBISO_DEVICE Term term(int i) const { return tables->terms[i]; }
  SUBISO_DEVICE int column(int p) const { return tables->column[p]; }
  SUBISO_DEVICE EdgeTable edge(int i) const { return tables->edges[i]; }

  // f(level), with a level that the loops below understand.
  template <class F>
  SUBISO_DEVICE auto at(int level, F f) const {
    return f(level);
  }
  // f(p, begin of ops, end of ops) for the positions from `from` down to the level's lowest, until f says false.
  template <class F>
  SUBISO_DEVICE bool walk(int level, int from, F f) const {
    const int lowest = tables->levels[level].lowest;
    for (int p = from; p >= lowest; --p)
      if (!f(p, int{tables->first[level][p]}, int{tables->first[level][p + 1]})) return false;
    return true;
  }
  template <class F>
  SUBISO_DEVICE void each_size(F f) const {
    for (int s = 0; s < tables->num_sizes; ++s) f(s, tables->num_levels + s);
  }
  // Does the level ask anything of the vertex at a position?
  SUBISO_DEVICE bool asks(int level, int position) const {
    return tables->first[level][position] != tables->first[level][position + 1];
  }
  SUBISO_DEVICE int sets_at(int position) const {
    return tables->first_set[position + 1] - tables->first_set[position];
  }
  // f(set, its level) for the sets of a position.
  template <class F>
  SUBISO_DEVICE void each_set(int position, F f) const {
    for (int s = tables->first_set[position]; s < tables->first_set[position + 1]; ++s)
      f(s, tables->num_levels + tables->num_sizes + s);
  }
};

// Tables known at compile time: `Source::tables` is static constexpr. kLevels may cut the plan short (initial pools).
template <class Source, int kLevels = Source::tables.num_levels>
struct FixedPlan {
  static constexpr bool kWhole = kLevels == Source::tables.num_levels;
  SUBISO_DEVICE constexpr Number<0> zero() const { return {}; }
  SUBISO_DEVICE constexpr Number<kLevels> num_levels() const { return {}; }
  SUBISO_DEVICE constexpr Number<kWhole ? Source::tables.num_sizes : 0> num_sizes() const { return {}; }
  SUBISO_DEVICE constexpr Number<kWhole ? Source::tables.num_terms : 0> num_terms() const { return {}; }

  SUBISO_DEVICE constexpr Number<Source::tables.num_sets> num_sets() const { return {}; }

  template <int kLevel>
  SUBISO_DEVICE constexpr LevelTable level(Number<kLevel>) const {
    constexpr LevelTable found = Source::tables.levels[kLevel];
    return found;
  }
  template <int kLevel>
  SUBISO_DEVICE constexpr Number<Source::tables.first[kLevel][0]> first_op(Number<kLevel>) const {
    return {};
  }
  template <int kOp>
  SUBISO_DEVICE constexpr Op op(Number<kOp>) const {
    constexpr Op found = Source::tables.ops[kOp];
    return found;
  }
  template <int kTerm>
  SUBISO_DEVICE constexpr Term term(Number<kTerm>) const {
    constexpr Term found = Source::tables.terms[kTerm];
    return found;
  }
  template <int kPosition>
  SUBISO_DEVICE constexpr int column(Number<kPosition>) const {
    constexpr int found = kWhole ? Source::tables.column[kPosition] : kPosition;
    return found;
  }
  template <int kEdge>
  SUBISO_DEVICE constexpr EdgeTable edge(Number<kEdge>) const {
    constexpr EdgeTable found = Source::tables.edges[kEdge];
    return found;
  }

  template <class F>
  SUBISO_DEVICE auto at(int level, F f) const {
    return pick<0>(level, f);
  }
  template <int kLevel, int kFrom, class F>
  SUBISO_DEVICE bool walk(Number<kLevel> level, Number<kFrom>, F f) const {
    if constexpr (kFrom >= Source::tables.levels[kLevel].lowest) {
      constexpr int begin = Source::tables.first[kLevel][kFrom], end = Source::tables.first[kLevel][kFrom + 1];
      if (!f(Number<kFrom>{}, Number<begin>{}, Number<end>{})) return false;
      if constexpr (kFrom > 0) return walk(level, Number<kFrom - 1>{}, f);
    }
    return true;
  }
  template <class F>
  SUBISO_DEVICE void each_size(F f) const {
    all_of(Number<0>{}, num_sizes(), [&](auto s) {
      f(s, Number<kLevels + decltype(s){}>{});
      return true;
    });
  }
  template <int kLevel, int kPosition>
  SUBISO_DEVICE constexpr bool asks(Number<kLevel>, Number<kPosition>) const {
    constexpr bool found = Source::tables.first[kLevel][kPosition] != Source::tables.first[kLevel][kPosition + 1];
    return found;
  }
  template <int kPosition>
  SUBISO_DEVICE constexpr int sets_at(Number<kPosition>) const {
    constexpr int found = Source::tables.first_set[kPosition + 1] - Source::tables.first_set[kPosition];
    return found;
  }
  template <int kPosition, class F>
  SUBISO_DEVICE void each_set(Number<kPosition>, F f) const {
    constexpr int kBegin = Source::tables.first_set[kPosition], kEnd = Source::tables.first_set[kPosition + 1];
    all_of(Number<kBegin>{}, Number<kEnd>{}, [&](auto s) {
      f(s, Number<Source::tables.num_levels + Source::tables.num_sizes + decltype(s){}>{});
      return true;
    });
  }

 private:
  template <int kLevel, class F>
  SUBISO_DEVICE auto pick(int level, F f) const {
    if constexpr (kLevel + 1 < kLevels) {
      if (level != kLevel) return pick<kLevel + 1>(level, f);
    }
    return f(Number<kLevel>{});
  }
};

// f(p) for p = from, from - 1, ..., 0.
template <class F>
SUBISO_DEVICE void descend(int from, F f) {
  for (int p = from; p >= 0; --p) f(p);
}
template <int kFrom, class F>
SUBISO_DEVICE void descend(Number<kFrom>, F f) {
  if constexpr (kFrom >= 0) {
    f(Number<kFrom>{});
    descend(Number<kFrom - 1>{}, f);
  }
}

// The number before: one less, at run time or at compile time.
SUBISO_DEVICE int before(int i) { return i - 1; }
template <int kValue>
SUBISO_DEVICE constexpr Number<kValue - 1> before(Number<kValue>) {
  return {};
}

}  // namespace subiso
