#include "engine/program.hpp"

#include <algorithm>

#include "engine/code_reader.hpp"

namespace subiso {
namespace {

class Reader : private CodeReader {
 public:
  Reader(const std::int64_t* code, std::size_t length, const ProgramLimits& limits)
      : CodeReader(code, length), limits_(limits) {}

  Program program() {
    Program p;
    const int num_levels = number(1, kMaxLevels + 1);
    const int num_sets = number(0, 1 << 16);
    p.local_relation = number(kNone, limits_.relations);
    p.local_above = number(0, 2) != 0;
    p.local_rows_above = number(0, 2) != 0;
    p.local_least = number(0, kMaxLevels + 1);
    p.local_cliques = number(0, 2) != 0;
    if (p.local_relation != kNone && num_levels < 3) fail("a local search has three levels or more");
    p.emit = number(0, 2) != 0;
    num_codegrees_ = number(0, kMaxLevels);
    for (int i = 0; i < num_levels; ++i) p.levels.push_back(level(i, num_sets));
    for (int i = 0; i < num_sets; ++i) {
      const int depth = number(0, num_levels);
      p.sets.push_back({depth, expression(depth + 1, i)});
      p.levels[static_cast<std::size_t>(depth)].sets.push_back(i);
    }
    for (int i = 0; i < num_codegrees_; ++i) p.codegrees.push_back(codegrees(p, i));
    if (p.emit) {
      for (int i = 0; i < num_levels; ++i) p.column_of.push_back(number(0, num_levels));
    } else {
      tail(p, num_levels, num_sets);
      for (int left = number(0, kMaxLevels); left > 0; --left) p.parts.push_back(part(p, num_levels));
    }
    finish();
    check_sets(p);
    check_codegrees(p);
    if (p.local_relation != kNone) check_local(p);
    return p;
  }

 private:
  // A set is read only once it is computed.
  static void check_sets(const Program& p) {
    const auto known_at = [&](const SetExpression& e, int depth) {
      return e.source.kind != Source::kSet || p.sets[static_cast<std::size_t>(e.source.set)].depth <= depth;
    };
    for (std::size_t i = 0; i < p.levels.size(); ++i)
      if (!known_at(p.levels[i].expression, static_cast<int>(i) - 1)) fail("a level reads a set that comes later");
    for (const Part& part : p.parts)
      for (std::size_t i = 0; i < part.levels.size(); ++i)
        if (!known_at(part.levels[i].expression, static_cast<int>(p.levels.size() + i) - 1))
          fail("a level reads a set that comes later");
    for (const SetNode& node : p.sets) {
      const Source::Kind kind = node.expression.source.kind;
      if (kind != Source::kList && kind != Source::kSet) fail("a set has a source");
      if (!known_at(node.expression, node.depth)) fail("a set reads one that comes later");
    }
  }
  // A table is read only once it is computed, and at a vertex that it counts for.
  static void check_codegrees(const Program& p) {
    for (std::size_t i = 0; i < p.levels.size(); ++i) {
      const Source& source = p.levels[i].expression.source;
      if (source.kind == Source::kEnds && p.codegrees[static_cast<std::size_t>(source.table)].depth >= static_cast<int>(i))
        fail("a level reads a table that comes later");
    }
    const auto check_sizes = [&](const Loops& loops) {
      for (const TailSize& size : loops.sizes) {
        if (size.expression.source.kind == Source::kEnds) fail("ends are for loops");
        if (size.table == kNone) continue;
        if (size.expression.operands.size() != 1) fail("a codegree is looked up at one vertex");
        if (size.expression.operands[0].position <= p.codegrees[static_cast<std::size_t>(size.table)].depth)
          fail("a codegree is looked up at a later vertex");
      }
    };
    check_sizes(p);
    for (const Part& part : p.parts) check_sizes(part);
  }
  // Bit rows hold the neighbours of the first vertex and nothing else.
  static void check_local(const Program& p) {
    if (p.emit || !p.codegrees.empty() || !p.parts.empty()) fail("a local search only counts");
    const SetExpression& second = p.levels[1].expression;
    if (second.source.kind != Source::kList || second.source.position != 0 ||
        second.source.relation != p.local_relation)
      fail("a local search begins with a neighbour of the first vertex");
    if (p.local_above && std::find(second.lower.begin(), second.lower.end(), 0) == second.lower.end())
      fail("a local search above the first vertex begins above it");
    const auto reads = [&](const SetNode& node) {
      return node.expression.operands.size() == 1 && node.expression.operands[0].relation == p.local_relation;
    };
    if (p.local_cliques && (!p.local_above || p.sizes.size() != 1 || p.levels[1].expression.filter != kNone ||
                            !std::all_of(p.sets.begin(), p.sets.end(), reads)))
      fail("this is no search for cliques");
    for (const Level& level : p.levels)
      if (!level.edges.empty() || (&level > &p.levels[1] && !level.pairs.empty()))
        fail("a local search checks no columns and no edges");
  }

  Source source(int positions, int sets) {
    Source s;
    s.kind = static_cast<Source::Kind>(number(0, 4));
    if (s.kind == Source::kList) {
      s.position = number(0, positions);
      s.relation = number(0, limits_.relations);
    } else if (s.kind == Source::kSet) {
      s.set = number(0, sets);
    } else if (s.kind == Source::kEnds) {
      s.table = number(0, num_codegrees_);
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
  Level level(int index, int num_sets) {
    Level l;
    l.expression = expression(index, num_sets);
    if (!l.expression.operands.empty()) fail("a level has no operands of its own");
    if ((l.expression.source.kind == Source::kSeeds) != (index == 0)) fail("seeds belong to level 0");
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
  CodegreeNode codegrees(Program& p, int index) {
    CodegreeNode node;
    node.depth = number(0, static_cast<std::int64_t>(p.levels.size()));
    node.base = expression(node.depth + 1, 0);
    if (node.base.source.kind != Source::kList) fail("a table counts over a list");
    node.relation = number(0, limits_.relations);
    node.lower = numbers(node.depth + 1);
    node.upper = numbers(node.depth + 1);
    p.levels[static_cast<std::size_t>(node.depth)].codegrees.push_back(index);
    return node;
  }
  Part part(Program& p, int first) {
    Part result;
    result.power = number(1, kMaxLevels);
    const int num_levels = number(1, kMaxLevels + 1 - first);
    const int before = static_cast<int>(p.sets.size()), num_sets = before + number(0, 1 << 16);
    for (int i = 0; i < num_levels; ++i) {
      result.levels.push_back(level(first + i, num_sets));
      if (result.levels.back().expression.source.kind == Source::kEnds) fail("a part has no loop over ends");
      if (!result.levels.back().edges.empty()) fail("a part checks no edges");
    }
    for (int i = before; i < num_sets; ++i) {
      const int depth = number(first, first + num_levels);
      p.sets.push_back({depth, expression(depth + 1, i)});
      result.levels[static_cast<std::size_t>(depth - first)].sets.push_back(i);
    }
    tail(result, first + num_levels, num_sets);
    return result;
  }
  void tail(Loops& p, int num_levels, int num_sets) {
    const int num_sizes = number(0, 1 << 16);
    for (int i = 0; i < num_sizes; ++i) {
      TailSize size;
      size.expression = expression(num_levels, num_sets);
      if (size.expression.source.kind == Source::kSeeds) fail("a tail set has a source");
      size.distinct = numbers(num_levels);
      size.surely = static_cast<std::uint64_t>(number(0, kMaxLevels));
      size.table = number(kNone, num_codegrees_);
      p.sizes.push_back(std::move(size));
    }
    for (int left = number(0, 1 << 20); left > 0; --left) {
      const std::int64_t coefficient = word();
      Term term{coefficient, numbers(num_sizes)};
      constexpr std::int64_t kSmall = std::int64_t{1} << 31;
      term.fits = term.factors.size() <= 2 && coefficient > -kSmall && coefficient < kSmall;
      p.terms.push_back(std::move(term));
    }
  }

  ProgramLimits limits_;
  int num_codegrees_ = 0;
};

}  // namespace

Program parse_program(const std::int64_t* code, std::size_t length, const ProgramLimits& limits) {
  return Reader(code, length, limits).program();
}

}  // namespace subiso
