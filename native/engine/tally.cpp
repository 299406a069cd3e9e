#include "engine/tally.hpp"

#include <algorithm>

namespace subiso {
namespace {

bool only(const std::vector<int>& positions, int p) { return positions.size() == 1 && positions[0] == p; }

// The expression is one vertex's list, or the part of it above or below that vertex.
bool is_list(const SetExpression& e) {
  if (e.source.kind != Source::kList || !e.operands.empty()) return false;
  const int p = e.source.position;
  return (e.lower.empty() && e.upper.empty()) || (only(e.lower, p) && e.upper.empty()) ||
         (only(e.upper, p) && e.lower.empty());
}

bool depends_on(const Program& program, const SetExpression& e, int position) {
  const auto is = [&](int p) { return p == position; };
  if (e.source.kind == Source::kSet ? program.sets[static_cast<std::size_t>(e.source.set)].depth == position
                                    : is(e.source.position))
    return true;
  return std::any_of(e.lower.begin(), e.lower.end(), is) || std::any_of(e.upper.begin(), e.upper.end(), is) ||
         std::any_of(e.operands.begin(), e.operands.end(), [&](const Operand& o) { return is(o.position); });
}

const SetExpression& expression_of(const Inputs& in, const TailShare& share) {
  return in.program.only().sizes[static_cast<std::size_t>(share.size)].expression;
}

}  // namespace

std::vector<DeferredList> deferred_lists(const Inputs& in) {
  std::vector<DeferredList> lists;
  if (in.program.only().local.wanted()) return lists;  // too large neighbourhoods only: not worth the arrays
  for (const TailShare& share : in.tally.tail) {
    const SetExpression& e = expression_of(in, share);
    if (!is_list(e)) continue;
    const auto part = !e.lower.empty()   ? DeferredList::kAbove
                      : !e.upper.empty() ? DeferredList::kBelow
                                         : DeferredList::kAll;
    lists.push_back({part, e.source.relation, e.filter, share.column, share.from != kNone});
  }
  return lists;
}

Tally::Tally(const Inputs& in, Sets& sets, const TallyStore& store, int worker)
    : in_(in),
      program_(in.tally),
      sets_(sets),
      last_(static_cast<int>(in.program.only().levels.size()) - 1),
      sink_(store.sink(worker)),
      parts_(in.program.only().sizes.size()) {
  std::size_t deferred = 0;
  for (const TailShare& share : program_.tail) {
    Part& part = parts_[static_cast<std::size_t>(share.size)];
    const SetExpression& e = expression_of(in, share);
    const bool defer = !store.deferred().empty() && is_list(e);
    part.kind = defer                               ? kDeferred
                : !depends_on(in.program, e, last_) ? kFixed
                : make_marked(part, e)              ? kMarked
                                                    : kGeneral;
    part.shares.push_back({&share, defer ? store.deferred_column(deferred++) : kNone, 0});
    if (part.kind != kMarked) continue;
    if (share.from == last_ && share.relation == e.operands[0].relation)
      part.shares.back().place = Share::kInList;
    else if (e.source.kind == Source::kList && share.from == e.source.position && share.relation == e.source.relation)
      part.shares.back().place = Share::kInBase;
  }
  for (const auto& edges : program_.edges) cursors_.emplace_back(edges.size());
}

std::size_t Tally::find(Cursor& cursor, const EdgeShare& edge, std::uint32_t v) const {
  const std::uint64_t serial = sets_.serial[edge.earlier];
  if (cursor.serial != serial || cursor.at == cursor.end || *cursor.at > v) {
    const Span list = in_.store.neighbors(sets_.match[edge.earlier], edge.relation);
    cursor = {serial, list.begin(), list.end()};
  }
  cursor.at = gallop(cursor.at, cursor.end, v);
  return in_.store.entry_number(cursor.at, edge.relation);
}

void Tally::subtree(int level, Count part) {
  if (part == 0) return;
  const auto l = static_cast<std::size_t>(level);
  const VertexShare& own = program_.vertices[l];
  const auto weight = static_cast<Weight>(part);
  if (own.column != kNone) sink_.add(own.column, sets_.match[level], weight * static_cast<Weight>(own.times));
  for (std::size_t i = 0; i < program_.edges[l].size(); ++i) {
    const EdgeShare& edge = program_.edges[l][i];
    sink_.add(edge.column, find(cursors_[l][i], edge, sets_.match[level]), weight * static_cast<Weight>(edge.times));
  }
}

// A set that the innermost loop does not change, intersected with the list of that loop's vertex.
bool Tally::make_marked(Part& part, const SetExpression& e) const {
  part.fixed = e;
  part.fixed.operands.clear();
  std::erase(part.fixed.lower, last_);
  std::erase(part.fixed.upper, last_);
  return e.operands.size() == 1 && !e.operands[0].negative && e.operands[0].position == last_ && e.filter == kNone &&
         !depends_on(in_.program, part.fixed, last_);
}

void Tally::begin() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (part.kind == kFixed) part.elements = sets_.elements(in_.program.only().sizes[i].expression, part.room);
    if (part.kind == kMarked) part.marked.mark(sets_.slice(part.fixed), in_.store.num_vertices());
  }
}

void Tally::evaluate_marked(Part& part, const SetExpression& e) {
  part.list = sets_.trim(sets_.list_of(e.operands[0], e.lower), e.lower, e.upper);
  const std::size_t found = part.marked.intersect(part.list);
  part.elements = {part.marked.elements(), found};
}

// The matched vertices among a set's elements: they cannot be chosen again, so they get no share.
void Tally::note_matched(std::size_t size) {
  const TailSize& tail = in_.program.only().sizes[size];
  std::vector<std::uint32_t>& matched = parts_[size].matched;
  matched.clear();
  for (int p : program_.sure[size]) matched.push_back(sets_.match[p]);
  for (int p : tail.distinct)
    if (sets_.contains(tail.expression, sets_.match[p])) matched.push_back(sets_.match[p]);
}

void Tally::evaluate(std::uint64_t* sizes) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const TailSize& tail = in_.program.only().sizes[i];
    if (part.kind == kSizeOnly) {
      sizes[i] = sets_.size_of(tail);
      continue;
    }
    note_matched(i);
    if (part.kind == kMarked) evaluate_marked(part, tail.expression);
    if (part.kind == kGeneral) part.elements = sets_.elements(tail.expression, part.room);
    const std::size_t all = part.kind == kDeferred ? sets_.count(tail.expression) : part.elements.size;
    sizes[i] = all - part.matched.size();
  }
}

void Tally::share(const std::uint64_t* sizes) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    for (Share& share : part.shares) {
      const Weight weight = weight_of(share.what->terms, sizes);
      if (weight == 0 || sizes[i] == 0) continue;
      for (std::uint32_t v : part.matched) add_one(*share.what, v, -weight);
      if (part.kind == kDeferred) {
        const int position = in_.program.only().sizes[i].expression.source.position;
        sink_.add(share.deferred, sets_.match[position], weight);
      } else if (part.kind == kFixed) {
        share.pending += weight;
      } else if (part.kind == kMarked && share.place != Share::kSearch) {
        scatter_marked(part, share, weight);
      } else {
        scatter(*share.what, part.elements, weight);
      }
    }
  }
}

// To edges whose entries are known from the intersection.
void Tally::scatter_marked(const Part& part, const Share& share, Weight weight) {
  const bool in_base = share.place == Share::kInBase;
  const Span list = in_base ? part.marked.base() : part.list;
  const std::uint32_t* places = in_base ? part.marked.in_base() : part.marked.in_list();
  const std::size_t first = in_.store.entry_number(list.begin(), share.what->relation);
  for (std::size_t i = 0; i < part.elements.size; ++i) sink_.add(share.what->column, first + places[i], weight);
}

void Tally::end() {
  for (Part& part : parts_) {
    if (part.kind == kMarked) part.marked.clear();
    if (part.kind != kFixed) continue;
    for (Share& share : part.shares) {
      if (share.pending != 0) scatter(*share.what, part.elements, share.pending);
      share.pending = 0;
    }
  }
}

void Tally::scatter(const TailShare& share, Span elements, Weight weight) {
  if (share.from == kNone) {
    for (std::uint32_t v : elements) sink_.add(share.column, v, weight);
    return;
  }
  const Span list = in_.store.neighbors(sets_.match[share.from], share.relation);
  const std::uint32_t* p = list.begin();
  for (std::uint32_t v : elements) {
    p = gallop(p, list.end(), v);
    sink_.add(share.column, in_.store.entry_number(p, share.relation), weight);
  }
}

void Tally::add_one(const TailShare& share, std::uint32_t element, Weight weight) {
  scatter(share, {&element, 1}, weight);
}

}  // namespace subiso
