#include "engine/tail_sizes.hpp"

#include <algorithm>

namespace subiso {
namespace {

constexpr std::size_t kBitmapBase = 8;  // shorter bases are merged
constexpr std::size_t kBitmapLoop = 2;  // a bitmap pays from the second use
constexpr std::uint32_t kMostCounted = 4'000'000;  // vertices: codegrees take four bytes for each, in every thread
constexpr std::uint64_t kIncrement = 2;  // an increment costs about two look-ups in a bitmap

bool has(const std::vector<int>& positions, int p) {
  return std::find(positions.begin(), positions.end(), p) != positions.end();
}

}  // namespace

TailSizes::TailSizes(const Inputs& in, Sets& sets, const Level& level, const std::vector<TailSize>& sizes, int last)
    : in_(in), sets_(sets), level_(level), sizes_(sizes), last_(last) {
  for (const TailSize& tail : sizes) parts_.push_back(classify(tail));
}

TailSizes::Part TailSizes::classify(const TailSize& tail) const {
  Part part;
  const SetExpression& e = tail.expression;
  const bool fixed_source = e.source.kind == Source::kSet
                                ? in_.program.sets[static_cast<std::size_t>(e.source.set)].depth < last_
                                : e.source.position < last_;
  if (!fixed_source || has(tail.distinct, last_)) return part;
  if (tail.table != kNone && e.operands[0].position == last_) {
    part.kind = kLookUp;
    part.relation = e.operands[0].relation;
    part.fixed = e;
    return part;
  }
  const auto reads_last = [&](const Operand& o) { return o.position == last_; };
  const bool bounded = has(e.lower, last_) || has(e.upper, last_);
  if (!bounded && std::none_of(e.operands.begin(), e.operands.end(), reads_last)) {
    part.kind = kFixed;
  } else if (e.operands.size() == 1 && reads_last(e.operands[0]) && !e.operands[0].negative && e.filter == kNone) {
    part.kind = kAgainstBase;
    part.relation = e.operands[0].relation;
    part.fixed = e;
    part.bounded_below = std::erase(part.fixed.lower, last_) != 0;
    part.bounded_above = std::erase(part.fixed.upper, last_) != 0;
    part.countable = !bounded && in_.store.num_vertices() <= kMostCounted;
    part.depends = e.source.kind == Source::kSet ? in_.program.sets[static_cast<std::size_t>(e.source.set)].depth
                                                 : e.source.position;
    for (int p : part.fixed.lower) part.depends = std::max(part.depends, p);
    for (int p : part.fixed.upper) part.depends = std::max(part.depends, p);
  }
  return part;
}

void TailSizes::begin(std::size_t size, std::size_t length) {
  Part& part = parts_[size];
  if (part.users++ > 0) return;
  part.nothing = false;
  if (part.kind == kFixed) {
    part.size = sets_.size_of(sizes_[size]);
    part.nothing = part.size == 0;
  } else if (part.kind == kLookUp) {
    sort_distinct(part, sizes_[size]);
  } else if (part.kind == kAgainstBase) {
    sort_distinct(part, sizes_[size]);
    if (part.countable) {
      if (part.stamp != sets_.serial[part.depends]) renew(part);
      if (part.counted) return;
    }
    part.base = sets_.slice(part.fixed);
    part.nothing = part.base.size == 0;
    if (part.countable && part.eager && worth_counting(part)) return count_codegrees(part);
    part.in_bitmap = part.base.size >= kBitmapBase && length >= kBitmapLoop;
    if (!part.in_bitmap) return;
    part.bits.resize((in_.store.num_vertices() + std::size_t{63}) / 64);
    for (std::uint32_t v : part.base) part.bits[v >> 6] |= std::uint64_t{1} << (v & 63);
  }
}

void TailSizes::end(std::size_t size) {
  Part& part = parts_[size];
  if (--part.users > 0 || !part.in_bitmap) return;
  for (std::uint32_t v : part.base) part.bits[v >> 6] = 0;
  part.in_bitmap = false;
}

std::uint64_t TailSizes::evaluate(std::size_t size, std::uint32_t v) {
  Part& part = parts_[size];
  switch (part.kind) {
    case kFixed: return part.size;
    case kAgainstBase: return without_matched(part, v, against_base(part, v));
    case kLookUp: return without_matched(part, v, sets_.codegrees(sizes_[size].table)[v]);
    case kGeneral: break;
  }
  return sets_.size_of(sizes_[size]);
}

// Of the matched vertices that may be elements, most are known to be or not to be before the loop begins.
void TailSizes::sort_distinct(Part& part, const TailSize& tail) {
  part.less = tail.surely;
  part.maybe.clear();
  if (tail.distinct.empty()) return;
  SetExpression rest = tail.expression;
  rest.operands.clear();  // the only operand is the innermost vertex
  std::erase(rest.lower, last_);
  std::erase(rest.upper, last_);
  const Source& loop = level_.expression.source;
  for (int p : tail.distinct) {
    if (!sets_.contains(rest, sets_.match[p])) continue;
    const bool joined = loop.kind == Source::kList && loop.position == p &&
                        loop.relation == in_.reverse[static_cast<std::size_t>(part.relation)];
    if (joined && !part.bounded_below && !part.bounded_above)
      ++part.less;
    else
      part.maybe.push_back(p);
  }
}

std::uint64_t TailSizes::without_matched(const Part& part, std::uint32_t v, std::uint64_t size) const {
  size -= part.less;
  for (int p : part.maybe) {
    const std::uint32_t u = sets_.match[p];
    if ((part.bounded_below && u <= v) || (part.bounded_above && u >= v)) continue;
    size -= in_.store.has_edge(v, u, part.relation);
  }
  return size;
}

void TailSizes::renew(Part& part) {
  for (std::uint32_t v : part.touched) part.codegree[v] = 0;
  part.touched.clear();
  constexpr std::uint64_t kSaved = 8;  // elements that a look-up saves, at least
  part.eager = part.counted && part.looked_up * kSaved >= part.price;
  part.counted = false;
  part.looked_up = 0;
  part.stamp = sets_.serial[part.depends];
  part.spent = part.price = 0;
}

// The neighbours of a member that the innermost loop can reach, as far as is known where the fixed part is.
Span TailSizes::counted_list(const Part& part, std::uint32_t member) const {
  const SetExpression& loop = level_.expression;
  Span list = in_.store.neighbors(member, in_.reverse[static_cast<std::size_t>(part.relation)]);
  const auto cut = [&](int p, bool above) {
    if (p > part.depends) return;
    list = above ? sets_.trim(list, {p}, {}) : sets_.trim(list, {}, {p});
  };
  for (int p : loop.lower) cut(p, true);
  for (int p : loop.upper) cut(p, false);
  return list;
}

bool TailSizes::worth_counting(Part& part) const {
  if (!part.eager && part.spent < part.base.size * 8) return false;  // not even the price is worth asking for
  if (part.price == 0)
    for (std::uint32_t u : part.base)
      part.price += kIncrement * in_.store.neighbors(u, in_.reverse[static_cast<std::size_t>(part.relation)]).size;
  return part.eager || part.spent >= part.price;
}

void TailSizes::count_codegrees(Part& part) const {
  part.codegree.resize(in_.store.num_vertices());
  for (std::uint32_t u : part.base)
    for (std::uint32_t v : counted_list(part, u))
      if (part.codegree[v]++ == 0) part.touched.push_back(v);
  part.counted = true;
}

std::uint64_t TailSizes::against_base(Part& part, std::uint32_t v) {
  if (part.counted) {
    ++part.looked_up;
    return part.codegree[v];
  }
  if (part.countable && worth_counting(part)) {
    count_codegrees(part);
    return part.codegree[v];
  }
  const CsrStore& store = in_.store;
  const Span list = part.bounded_below   ? store.neighbors_above(v, part.relation)
                    : part.bounded_above ? store.neighbors_below(v, part.relation)
                                         : store.neighbors(v, part.relation);
  part.spent += std::min(list.size, part.base.size * kGallopRatio) + 8;
  if (part.base.size * kGallopRatio < list.size) return intersect_count_gallop(part.base, list);
  if (!part.in_bitmap) return in_.ops->intersect_count(part.base, list);
  // The base is within the other bounds, so the list need not be cut to them; it only saves looking.
  const Span near = sets_.trim(list, part.fixed.lower, part.fixed.upper);
  std::uint64_t found = 0;
  for (std::uint32_t u : near) found += in_bitmap(part.bits.data(), u);
  return found;
}

PowerSums TailSizes::sum_over(std::size_t size, Span vertices, std::size_t degree) {
  Part& part = parts_[size];
  part.looked_up += vertices.size;
  const std::uint32_t* counts = this->counts(size);
  PowerSums powers;
  if (degree <= 1) {
    std::uint64_t sum = 0;
    for (std::uint32_t v : vertices) sum += counts[v];
    powers.sum[0] = static_cast<Count>(vertices.size);
    powers.sum[1] = static_cast<Count>(sum) - static_cast<Count>(part.less) * static_cast<Count>(vertices.size);
  } else if (degree == 2) {
    for (std::uint32_t v : vertices) powers.add<false>(counts[v] - part.less);
  } else {
    for (std::uint32_t v : vertices) powers.add<true>(counts[v] - part.less);
  }
  for (int p : level_.distinct) {
    const std::uint32_t u = sets_.match[p];
    if (!std::binary_search(vertices.begin(), vertices.end(), u)) continue;
    PowerSums own;
    own.add<true>(counts[u] - part.less);
    powers.subtract(own);
  }
  return powers;
}

}  // namespace subiso
