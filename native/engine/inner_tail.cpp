#include "engine/inner_tail.hpp"

#include <algorithm>

namespace subiso {
namespace {

constexpr std::size_t kBitmapBase = 8;  // shorter bases are merged
constexpr std::size_t kBitmapLoop = 2;  // a bitmap pays from the second use

bool has(const std::vector<int>& positions, int p) {
  return std::find(positions.begin(), positions.end(), p) != positions.end();
}

}  // namespace

InnerTail::InnerTail(const Inputs& in, Sets& sets)
    : in_(in), sets_(sets), last_(static_cast<int>(in.program.levels.size()) - 1) {
  for (const TailSize& tail : in.program.sizes) parts_.push_back(classify(tail));
}

InnerTail::Part InnerTail::classify(const TailSize& tail) const {
  Part part;
  const SetExpression& e = tail.expression;
  const bool fixed_source = e.source.kind == Source::kSet
                                ? in_.program.sets[static_cast<std::size_t>(e.source.set)].depth < last_
                                : e.source.position < last_;
  if (!fixed_source || has(tail.distinct, last_)) return part;
  const auto reads_last = [&](const Operand& o) { return o.position == last_; };
  const bool bounded = has(e.lower, last_) || has(e.upper, last_);
  if (!bounded && std::none_of(e.operands.begin(), e.operands.end(), reads_last)) {
    part.kind = kFixed;
  } else if (e.operands.size() == 1 && reads_last(e.operands[0]) && !e.operands[0].negative && e.filter == kNone &&
             tail.distinct.empty()) {
    part.kind = kAgainstBase;
    part.relation = e.operands[0].relation;
    part.fixed = e;
    part.bounded_below = std::erase(part.fixed.lower, last_) != 0;
    part.bounded_above = std::erase(part.fixed.upper, last_) != 0;
  }
  return part;
}

bool InnerTail::begin(std::size_t length) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (part.kind == kFixed) {
      part.size = sets_.size_of(in_.program.sizes[i]);
      if (part.size == 0 && parts_.size() == 1) return false;
    } else if (part.kind == kAgainstBase) {
      part.base = sets_.slice(part.fixed);
      if (part.base.size == 0 && parts_.size() == 1) return false;
      part.in_bitmap = part.base.size >= kBitmapBase && length >= kBitmapLoop;
      if (!part.in_bitmap) continue;
      part.bits.resize((in_.store.num_vertices() + std::size_t{63}) / 64);
      for (std::uint32_t v : part.base) part.bits[v >> 6] |= std::uint64_t{1} << (v & 63);
    }
  }
  return true;
}

void InnerTail::evaluate(std::uint32_t v, std::uint64_t* sizes) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    switch (part.kind) {
      case kFixed: sizes[i] = part.size; break;
      case kAgainstBase: sizes[i] = against_base(part, v) - in_.program.sizes[i].surely; break;
      case kGeneral: sizes[i] = sets_.size_of(in_.program.sizes[i]); break;
    }
  }
}

std::uint64_t InnerTail::against_base(Part& part, std::uint32_t v) const {
  const CsrStore& store = in_.store;
  const Span list = part.bounded_below   ? store.neighbors_above(v, part.relation)
                    : part.bounded_above ? store.neighbors_below(v, part.relation)
                                         : store.neighbors(v, part.relation);
  if (part.base.size * kGallopRatio < list.size) return intersect_count_gallop(part.base, list);
  if (!part.in_bitmap) return in_.ops->intersect_count(part.base, list);
  // The base is within the other bounds, so the list need not be cut to them; it only saves looking.
  const Span near = sets_.trim(list, part.fixed.lower, part.fixed.upper);
  std::uint64_t found = 0;
  for (std::uint32_t u : near) found += in_bitmap(part.bits.data(), u);
  return found;
}

void InnerTail::end() {
  for (Part& part : parts_) {
    if (part.kind != kAgainstBase || !part.in_bitmap) continue;
    for (std::uint32_t v : part.base) part.bits[v >> 6] = 0;
    part.in_bitmap = false;
  }
}

}  // namespace subiso
