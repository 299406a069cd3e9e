#include "engine/program.hpp"

#include <algorithm>

#include "engine/code_reader.hpp"
#include "engine/trie.hpp"

namespace subiso {
namespace {

constexpr int kMostLeaves = 1 << 12;

class Reader : private CodeReader {
 public:
  Reader(const std::int64_t* code, std::size_t length, const ProgramLimits& limits)
      : CodeReader(code, length), limits_(limits) {}

  Program program() {
    const int num_sets = number(0, 1 << 16), num_tables = number(0, 1 << 16), num_leaves = number(1, kMostLeaves);
    p_.emit = number(0, 2) != 0;
    if (p_.emit && num_leaves > 1) fail("rows are for one plan");
    for (int i = 0; i < num_sets; ++i) {
      const int depth = number(0, kMaxLevels);
      p_.sets.push_back({depth, expression(depth + 1, i)});
      const Source::Kind kind = p_.sets.back().expression.source.kind;
      if (kind != Source::kList && kind != Source::kSet) fail("a set has a source");
    }
    for (int i = 0; i < num_tables; ++i) p_.codegrees.push_back(codegrees());
    for (int i = 0; i < num_leaves; ++i) p_.leaves.push_back(leaf());
    finish();
    p_.nodes = make_trie(p_.leaves);
    return std::move(p_);
  }

 private:
  // Sets and tables that a leaf, or one of its parts, computes: nothing else may be read.
  struct Known {
    std::vector<bool> sets, tables;
  };

  Leaf leaf() {
    Leaf l;
    const int num_levels = number(1, kMaxLevels + 1);
    l.local = local();
    if (l.local.wanted() && num_levels < 3) fail("a local search has three levels or more");
    for (int i = 0; i < num_levels; ++i) l.levels.push_back(level(i));
    Known known{std::vector<bool>(p_.sets.size()), std::vector<bool>(p_.codegrees.size())};
    read_sets(l, 0, known);
    for (int table : numbers(static_cast<int>(p_.codegrees.size()))) {
      const int depth = p_.codegrees[static_cast<std::size_t>(table)].depth;
      if (depth >= num_levels) fail("a table is computed after the last level");
      known.tables[static_cast<std::size_t>(table)] = true;
      l.levels[static_cast<std::size_t>(depth)].codegrees.push_back(table);
    }
    check_levels(l, 0, known);
    if (p_.emit) {
      for (int i = 0; i < num_levels; ++i) p_.column_of.push_back(number(0, num_levels));
    } else {
      tail(l, num_levels, known);
      for (int left = number(0, kMaxLevels); left > 0; --left) l.parts.push_back(part(num_levels, known));
    }
    if (l.local.wanted()) check_local(l);
    return l;
  }
  Local local() {
    Local l;
    l.relation = number(kNone, limits_.relations);
    l.above = number(0, 2) != 0;
    l.rows_above = number(0, 2) != 0;
    l.least = number(0, kMaxLevels + 1);
    l.cliques = number(0, 2) != 0;
    return l;
  }
  // The numbers of the sets that loops beginning at position `first` compute, each after those that it reads.
  void read_sets(Loops& loops, int first, Known& known) {
    for (int set : numbers(static_cast<int>(p_.sets.size()))) {
      const SetNode& node = p_.sets[static_cast<std::size_t>(set)];
      if (node.depth < first || node.depth >= first + static_cast<int>(loops.levels.size()))
        fail("a set is computed outside of the loops");
      check_known(node.expression, node.depth, known);
      known.sets[static_cast<std::size_t>(set)] = true;
      loops.levels[static_cast<std::size_t>(node.depth - first)].sets.push_back(set);
    }
  }
  // A set or table is read only once it is computed, which is when position `depth` is matched at the latest.
  void check_known(const SetExpression& e, int depth, const Known& known) const {
    const auto set = static_cast<std::size_t>(e.source.set), table = static_cast<std::size_t>(e.source.table);
    if (e.source.kind == Source::kSet && (!known.sets[set] || p_.sets[set].depth > depth))
      fail("a set is read before it is computed");
    if (e.source.kind == Source::kEnds && (!known.tables[table] || p_.codegrees[table].depth > depth))
      fail("a table is read before it is computed");
  }
  void check_levels(const Loops& loops, int first, const Known& known) const {
    for (std::size_t i = 0; i < loops.levels.size(); ++i)
      check_known(loops.levels[i].expression, first + static_cast<int>(i) - 1, known);
  }
  // Bit rows hold the neighbours of the first vertex and nothing else.
  void check_local(const Leaf& l) const {
    const bool tables = std::any_of(l.levels.begin(), l.levels.end(), [](const Level& v) { return !v.codegrees.empty(); });
    if (p_.emit || tables || !l.parts.empty()) fail("a local search only counts");
    const SetExpression& second = l.levels[1].expression;
    if (second.source.kind != Source::kList || second.source.position != 0 ||
        second.source.relation != l.local.relation)
      fail("a local search begins with a neighbour of the first vertex");
    if (l.local.above && std::find(second.lower.begin(), second.lower.end(), 0) == second.lower.end())
      fail("a local search above the first vertex begins above it");
    if (l.local.cliques && !searches_cliques(l)) fail("this is no search for cliques");
    for (const Level& level : l.levels)
      if (!level.edges.empty() || (&level > &l.levels[1] && !level.pairs.empty()))
        fail("a local search checks no columns and no edges");
  }
  bool searches_cliques(const Leaf& l) const {
    const auto reads = [&](int set) {
      const SetExpression& e = p_.sets[static_cast<std::size_t>(set)].expression;
      return e.operands.size() == 1 && e.operands[0].relation == l.local.relation;
    };
    const auto all_read = [&](const Level& level) { return std::all_of(level.sets.begin(), level.sets.end(), reads); };
    return l.local.above && l.sizes.size() == 1 && l.levels[1].expression.filter == kNone &&
           std::all_of(l.levels.begin(), l.levels.end(), all_read);
  }

  Source source(int positions, int sets) {
    Source s;
    s.kind = static_cast<Source::Kind>(number(0, 5));
    if (s.kind == Source::kList) {
      s.position = number(0, positions);
      s.relation = number(0, limits_.relations);
    } else if (s.kind == Source::kSet) {
      s.set = number(0, sets);
    } else if (s.kind == Source::kEnds) {
      s.table = number(0, static_cast<std::int64_t>(p_.codegrees.size()));
    }
    return s;
  }
  SetExpression expression(int positions, int sets) {
    SetExpression e;
    e.source = source(positions, sets);
    for (int left = number(0, 1 << 16); left > 0; --left) {
      const bool negative = number(0, 2) != 0;
      const int position = number(0, positions);
      e.operands.push_back({negative, position, number(0, limits_.relations)});
    }
    e.lower = numbers(positions);
    e.upper = numbers(positions);
    e.filter = number(kNone, limits_.filters);
    return e;
  }
  Level level(int index) {
    Level l;
    l.expression = expression(index, static_cast<int>(p_.sets.size()));
    if (!l.expression.operands.empty()) fail("a level has no operands of its own");
    if ((l.expression.source.kind == Source::kSeeds) != (index == 0)) fail("seeds belong to level 0");
    p_.reads_everyone |= l.expression.source.kind == Source::kEveryone;
    l.least = number(1, kMaxLevels + 1);
    l.distinct = numbers(index);
    for (int left = number(0, 1 << 16); left > 0; --left) {
      const int op = number(0, 6), mine = number(0, limits_.keys), position = number(0, index);
      l.pairs.push_back({static_cast<PairFilter::Op>(op), mine, position, number(0, limits_.keys)});
    }
    for (int left = number(0, 1 << 16); left > 0; --left) {
      const int from = number(0, index + 1), to = number(0, index + 1);
      l.edges.push_back({from, to, number(0, limits_.entities)});
    }
    return l;
  }
  CodegreeNode codegrees() {
    CodegreeNode node;
    node.depth = number(0, kMaxLevels);
    node.base = expression(node.depth + 1, 0);
    if (node.base.source.kind != Source::kList) fail("a table counts over a list");
    node.relation = number(0, limits_.relations);
    node.lower = numbers(node.depth + 1);
    node.upper = numbers(node.depth + 1);
    return node;
  }
  Part part(int first, Known known) {
    Part result;
    result.power = number(1, kMaxLevels);
    const int num_levels = number(1, kMaxLevels + 1 - first);
    for (int i = 0; i < num_levels; ++i) {
      result.levels.push_back(level(first + i));
      const Source::Kind kind = result.levels.back().expression.source.kind;
      if (kind == Source::kEnds || kind == Source::kEveryone) fail("a part has no loop over ends or everyone");
      if (!result.levels.back().edges.empty()) fail("a part checks no edges");
    }
    read_sets(result, first, known);
    check_levels(result, first, known);
    tail(result, first + num_levels, known);
    return result;
  }
  void tail(Loops& loops, int num_levels, const Known& known) {
    const int num_sizes = number(0, 1 << 16);
    for (int i = 0; i < num_sizes; ++i) {
      TailSize size;
      size.expression = expression(num_levels, static_cast<int>(p_.sets.size()));
      size.distinct = numbers(num_levels);
      size.surely = static_cast<std::uint64_t>(number(0, kMaxLevels));
      size.table = number(kNone, static_cast<std::int64_t>(p_.codegrees.size()));
      check_size(size, num_levels, known);
      loops.sizes.push_back(std::move(size));
    }
    for (int left = number(0, 1 << 20); left > 0; --left) {
      const std::int64_t coefficient = word();
      Term term{coefficient, numbers(num_sizes)};
      constexpr std::int64_t kSmall = std::int64_t{1} << 31;
      term.fits = term.factors.size() <= 2 && coefficient > -kSmall && coefficient < kSmall;
      loops.terms.push_back(std::move(term));
    }
  }
  // A table is looked up at a vertex that it counts for.
  void check_size(const TailSize& size, int num_levels, const Known& known) const {
    if (size.expression.source.kind == Source::kSeeds) fail("a tail set has a source");
    if (size.expression.source.kind == Source::kEnds || size.expression.source.kind == Source::kEveryone)
      fail("ends and everyone are for loops");
    check_known(size.expression, num_levels - 1, known);
    if (size.table == kNone) return;
    if (!known.tables[static_cast<std::size_t>(size.table)]) fail("a table is read before it is computed");
    if (size.expression.operands.size() != 1) fail("a codegree is looked up at one vertex");
    if (size.expression.operands[0].position <= p_.codegrees[static_cast<std::size_t>(size.table)].depth)
      fail("a codegree is looked up at a later vertex");
  }

  ProgramLimits limits_;
  Program p_;
};

}  // namespace

Program parse_program(const std::int64_t* code, std::size_t length, const ProgramLimits& limits) {
  return Reader(code, length, limits).program();
}

}  // namespace subiso
