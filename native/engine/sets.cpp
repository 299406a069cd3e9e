#include "engine/sets.hpp"

#include <algorithm>

namespace subiso {
namespace {

bool has(const std::vector<int>& positions, int p) {
  return std::find(positions.begin(), positions.end(), p) != positions.end();
}

// The most operands that any of the program's expressions has.
std::size_t most_operands(const Program& program) {
  std::size_t most = 0;
  for (const SetNode& node : program.sets) most = std::max(most, node.expression.operands.size());
  for (const Leaf& leaf : program.leaves) {
    for (const TailSize& tail : leaf.sizes) most = std::max(most, tail.expression.operands.size());
    for (const Part& part : leaf.parts)
      for (const TailSize& tail : part.sizes) most = std::max(most, tail.expression.operands.size());
  }
  for (const CodegreeNode& node : program.codegrees) most = std::max(most, node.base.operands.size());
  return most;
}

}  // namespace

Sets::Sets(const Inputs& in)
    : in_(in),
      buffers_(in.program.sets.size()),
      spans_(in.program.sets.size()),
      tables_(in.program.codegrees.size()),
      lists_(most_operands(in.program) + 1) {}

Span Sets::trim(Span s, const std::vector<int>& lower, const std::vector<int>& upper) const {
  const std::uint32_t *first = s.begin(), *last = s.end();
  for (int p : lower) {
    if (first != last && *first <= match[p]) first = gallop(first, last, match[p] + 1);
  }
  for (int p : upper) {
    if (first != last && *(last - 1) >= match[p]) last = std::lower_bound(first, last, match[p]);
  }
  return {first, static_cast<std::size_t>(last - first)};
}

Span Sets::slice(const SetExpression& e) const {
  const Source& source = e.source;
  if (source.kind == Source::kEnds) {  // whoever reads them looks at the bounds
    const std::vector<std::uint32_t>& ends = tables_[static_cast<std::size_t>(source.table)].ends;
    return {ends.data(), ends.size()};
  }
  if (source.kind == Source::kEveryone) return trim({in_.everyone.data(), in_.everyone.size()}, e.lower, e.upper);
  if (source.kind == Source::kSet) return trim(spans_[static_cast<std::size_t>(source.set)], e.lower, e.upper);
  const std::uint32_t v = match[source.position];
  const Span list = has(e.lower, source.position) ? in_.store.neighbors_above(v, source.relation)
                                                  : in_.store.neighbors(v, source.relation);
  return trim(list, e.lower, e.upper);
}

Span Sets::list_of(const Operand& o, const std::vector<int>& lower) const {
  const std::uint32_t v = match[o.position];
  if (has(lower, o.position)) return in_.store.neighbors_above(v, o.relation);
  return trim(in_.store.neighbors(v, o.relation), lower, {});
}

std::size_t Sets::gather(const SetExpression& e) {
  std::size_t n = 0;
  lists_[n++] = slice(e);
  for (const Operand& o : e.operands)
    if (!o.negative) lists_[n++] = list_of(o, e.lower);
  Span* lists = lists_.data();
  if (n > 2) std::sort(lists, lists + n, [](Span a, Span b) { return a.size < b.size; });
  return n;
}

Span Sets::intersect_all(const Span* lists, std::size_t n, Scratch& target) {
  Span result = lists[0];
  for (std::size_t i = 1; i < n; ++i) {
    if (result.size == 0) return result;
    // Alternate so that the last result lands in target.
    std::uint32_t* out =
        ((n - 1 - i) % 2 == 0 ? target : spare_).room(std::min(result.size, lists[i].size) + kSlack);
    result = {out, in_.ops->intersect(result, lists[i], out)};
  }
  return result;
}

Span Sets::evaluate(const SetExpression& e, Scratch& target) {
  const std::size_t n = gather(e);
  Span result = intersect_all(lists_.data(), n, target);
  bool owned = n > 1;
  for (const Operand& o : e.operands) {
    if (!o.negative || result.size == 0) continue;
    std::uint32_t* out = owned ? const_cast<std::uint32_t*>(result.data) : target.room(result.size + kSlack);
    result = {out, in_.ops->subtract(result, list_of(o, e.lower), out)};
    owned = true;
  }
  if (e.filter != kNone && result.size != 0) {
    const std::uint64_t* bits = in_.filters[static_cast<std::size_t>(e.filter)];
    std::uint32_t* out = owned ? const_cast<std::uint32_t*>(result.data) : target.room(result.size);
    std::size_t kept = 0;
    for (std::uint32_t v : result) {
      out[kept] = v;
      kept += in_bitmap(bits, v);
    }
    result = {out, kept};
  }
  return result;
}

void Sets::compute(int set) {
  const auto i = static_cast<std::size_t>(set);
  spans_[i] = evaluate(in_.program.sets[i].expression, buffers_[i]);
}

void Sets::compute_codegrees(int table) {
  const CodegreeNode& node = in_.program.codegrees[static_cast<std::size_t>(table)];
  Codegrees& codegrees = tables_[static_cast<std::size_t>(table)];
  codegrees.count.resize(in_.store.num_vertices());
  for (std::uint32_t v : codegrees.ends) codegrees.count[v] = 0;
  codegrees.ends.clear();
  for (std::uint32_t u : evaluate(node.base, unnamed_))
    for (std::uint32_t v : trim(in_.store.neighbors(u, node.relation), node.lower, node.upper))
      if (codegrees.count[v]++ == 0) codegrees.ends.push_back(v);
}

std::size_t Sets::count(const SetExpression& e) {
  const bool plain = e.filter == kNone && std::none_of(e.operands.begin(), e.operands.end(),
                                                       [](const Operand& o) { return o.negative; });
  if (!plain) return evaluate(e, unnamed_).size;
  const std::size_t n = gather(e);
  if (n == 1) return lists_[0].size;
  const Span all_but_one = intersect_all(lists_.data(), n - 1, unnamed_);
  return all_but_one.size == 0 ? 0 : in_.ops->intersect_count(all_but_one, lists_[n - 1]);
}

bool Sets::contains(const SetExpression& e, std::uint32_t v) const {
  if (e.filter != kNone && !in_bitmap(in_.filters[static_cast<std::size_t>(e.filter)], v)) return false;
  for (int p : e.lower)
    if (v <= match[p]) return false;
  for (int p : e.upper)
    if (v >= match[p]) return false;
  for (const Operand& o : e.operands)
    if (in_.store.has_edge(match[o.position], v, o.relation) == o.negative) return false;
  if (e.source.kind == Source::kList) return in_.store.has_edge(match[e.source.position], v, e.source.relation);
  const Span s = spans_[static_cast<std::size_t>(e.source.set)];
  return std::binary_search(s.begin(), s.end(), v);
}

std::size_t Sets::without_matched(const TailSize& tail, std::size_t size) const {
  size -= tail.surely;
  for (int p : tail.distinct) {
    if (size == 0) break;
    size -= contains(tail.expression, match[p]);
  }
  return size;
}

}  // namespace subiso
