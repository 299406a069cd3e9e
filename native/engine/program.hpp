// Plans as the native engine runs them: levels (loops), sets computed between them, and a tail. Several plans that
// begin with the same loops are one program, a trie of levels. Python lowers plans to a flat list of integers
// (engine/lower.py); parse_program reads and checks it.
#pragma once
#include <cstdint>
#include <vector>

namespace subiso {

inline constexpr int kMaxLevels = 64;
inline constexpr int kNone = -1;

// Where a level or a set takes its elements from.
struct Source {
  enum Kind { kSeeds = 0, kList = 1, kSet = 2, kEnds = 3, kEveryone = 4 } kind = kSeeds;
  int position = kNone;  // kList: whose neighbours
  int relation = kNone;  // kList: which neighbours
  int set = kNone;       // kSet
  int table = kNone;     // kEnds: the vertices with a count in this codegree table, in no order
  bool operator==(const Source&) const = default;
};

struct Operand {
  bool negative;
  int position;
  int relation;
  bool operator==(const Operand&) const = default;
};

// source, intersected with (or without) the operands' lists, within bounds, passing a filter.
struct SetExpression {
  Source source;
  std::vector<Operand> operands;
  std::vector<int> lower;  // elements are > match[p] for these positions p
  std::vector<int> upper;  // elements are < match[p]
  int filter = kNone;      // bitmap that elements must be in
  bool operator==(const SetExpression&) const = default;
};

// Computed as soon as position `depth` is matched.
struct SetNode {
  int depth;
  SetExpression expression;
};

// Computed as soon as position `depth` is matched: for every vertex within the bounds, how many elements of the base have
// it in their list.
struct CodegreeNode {
  int depth;
  SetExpression base;
  int relation;
  std::vector<int> lower;
  std::vector<int> upper;
};

// The number of elements that differ from match[p] for p in `distinct`, less `surely` matched vertices that are known
// to be elements.
struct TailSize {
  SetExpression expression;
  std::vector<int> distinct;
  std::uint64_t surely = 0;
  int table = kNone;  // the codegree table that has the expression's size, at the vertex of its only operand
  bool operator==(const TailSize&) const = default;
};

// compare(key[left][x], key[right][match[position]]): a pair filter on vertex columns.
struct PairFilter {
  enum Op { kLess = 0, kLessEqual, kGreater, kGreaterEqual, kEqual, kNotEqual } op;
  int left;
  int position;
  int right;
  bool operator==(const PairFilter&) const = default;
};

// A pattern edge between two positions, in edge-isomorphism mode (entities: index of the relation with edge ids).
struct EdgeCheck {
  int source;
  int target;
  int entities;
  bool operator==(const EdgeCheck&) const = default;
};

struct Level {
  SetExpression expression;  // without operands
  int least = 1;             // with fewer elements than that there is no match below
  std::vector<int> distinct;
  std::vector<PairFilter> pairs;
  std::vector<EdgeCheck> edges;  // pattern edges that this level completes
  std::vector<int> sets;         // sets to compute when this level's position is matched
  std::vector<int> codegrees;    // and tables
  // The same vertices for the same earlier ones, whatever is computed for them, and however many are needed.
  bool same_loop(const Level& other) const {
    return expression == other.expression && distinct == other.distinct && pairs == other.pairs && edges == other.edges;
  }
  // The elements of ends are in no order, so bounds are looked at one by one.
  bool checks_bounds() const {
    return expression.source.kind == Source::kEnds && !(expression.lower.empty() && expression.upper.empty());
  }
  bool plain() const {
    return expression.filter == kNone && distinct.empty() && pairs.empty() && !checks_bounds();
  }
};

// One monomial of the tail's polynomial: coefficient * product of sizes.
struct Term {
  std::int64_t coefficient;
  std::vector<int> factors;
  bool fits = false;  // the product cannot leave 128 bits (sizes have 32): no need to check, which costs a call
};

// Loops, and a polynomial in sizes that is summed over all of them.
struct Loops {
  std::vector<Level> levels;
  std::vector<TailSize> sizes;
  std::vector<Term> terms;
};

// Loops inside the program's own, whose positions they follow: summed for every match of these, and multiplied with the
// program's polynomial `power` times.
struct Part : Loops {
  int power = 1;
};

// Every vertex is a neighbour of the first in one relation: search its neighbourhood as bit rows.
struct Local {
  int relation = kNone;  // kNone: do not
  bool above = false;    // all come after it, so that only neighbours above it matter
  bool rows_above = false;  // every row is read only above its own vertex
  int least = 0;            // fewer neighbours cannot hold a match
  bool cliques = false;     // the pattern is a clique without conditions: search by pivoting

  bool wanted() const { return relation != kNone; }
};

// One plan: its own loops from the first level on, and what it sums at their end. Its levels know the sets and tables
// that it needs.
struct Leaf : Loops {
  std::vector<Part> parts;
  Local local;
  std::vector<int> size_at;  // of each of its sizes, the place among those of the node where it ends
};

// A loop of the trie. All leaves below it share it.
struct Node {
  int depth = 0;
  int parent = kNone;
  Level level;                // with the sets and tables of all leaves below
  std::vector<int> children;
  std::vector<int> ends;      // the leaves whose last level this is
  std::vector<int> leaves;    // all leaves below, those too
  std::vector<TailSize> sizes;  // of the leaves that end here; equal ones are one
  Local local;                // at depth 1: everything below is searched on bit rows
};

struct Program {
  std::vector<SetNode> sets;  // the parts' too
  std::vector<CodegreeNode> codegrees;
  std::vector<Leaf> leaves;
  std::vector<Node> nodes;     // the root first; with one leaf, node i is its level i
  bool emit = false;           // one leaf: every way through its loops is a row
  std::vector<int> column_of;  // emit: position -> column of the row
  bool reads_everyone = false;  // some level does

  // The only leaf, for what works on one plan.
  const Leaf& only() const { return leaves.front(); }
};

// Counts of things outside the program that it refers to by index.
struct ProgramLimits {
  int relations;
  int filters;
  int keys;
  int entities;
};

// Throws std::invalid_argument when the code is malformed or refers to what is not there.
Program parse_program(const std::int64_t* code, std::size_t length, const ProgramLimits& limits);

}  // namespace subiso
