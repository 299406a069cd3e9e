// A twig as native code sees it: a root and leaves that stand in some of its neighbour lists, each with its candidates,
// and what two of these vertices ask of each other. Slots number them: 0 is the root.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/accept.hpp"
#include "storage/csr_store.hpp"

namespace subiso::twigs {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// What the vertex x at slot `later` is asked, given m at slot `earlier`.
struct PairTest {
  enum Kind { kAbsent, kAbove, kBelow, kDistinct, kCompare, kNumKinds };
  Kind kind;
  int later, earlier;
  int relation;        // kAbsent: x is not in m's list of it
  PairFilter compare;  // kCompare: a key of x with one of m
};

struct Twig {
  CsrStore store;
  std::vector<u64*> bits;                // candidates per slot
  std::vector<std::vector<int>> leaves;  // the relations whose lists of the root hold the leaf of slot 1 + i
  std::vector<PairTest> tests;
  std::vector<const std::int64_t*> keys;

  std::size_t words() const { return (store.num_vertices() + std::size_t{63}) / 64; }

  bool passes(const PairTest& t, u32 x, u32 m) const {
    switch (t.kind) {
      case PairTest::kAbsent: return !store.has_edge(m, x, t.relation);
      case PairTest::kAbove: return x > m;
      case PairTest::kBelow: return x < m;
      case PairTest::kDistinct: return x != m;
      default: return compares(t.compare, key(t.compare.left, x), key(t.compare.right, m));
    }
  }

  // f(x) for the candidates of a leaf beside a root, before any test.
  template <class F>
  void each_candidate(std::size_t leaf, u32 root, const F& f) const {
    const std::vector<int>& relations = leaves[leaf];
    const u64* candidates = bits[leaf + 1];
    for (const u32 x : store.neighbors(root, relations[0])) {
      if (!in_bitmap(candidates, x)) continue;
      bool everywhere = true;
      for (std::size_t r = 1; r < relations.size() && everywhere; ++r) everywhere = store.has_edge(root, x, relations[r]);
      if (everywhere) f(x);
    }
  }

 private:
  std::int64_t key(int number, u32 v) const { return keys[static_cast<std::size_t>(number)][v]; }
};

}  // namespace subiso::twigs
