#include "engine/local_tally.hpp"

#include <algorithm>

namespace subiso {

LocalTally::LocalTally(const Inputs& in, TallySink& sink)
    : in_(in), program_(in.tally), sink_(sink), matrices_(in.tally.columns.size()) {
  has_edges_ = std::any_of(program_.columns.begin(), program_.columns.end(), [](int r) { return r != kNone; });
}

void LocalTally::enter(std::uint32_t first, Span members) {
  first_ = first;
  members_.assign(members.begin(), members.end());
  by_member_.assign(program_.columns.size() * members_.size(), 0);
  for (std::size_t c = 0; c < matrices_.size(); ++c)
    if (program_.columns[c] != kNone) matrices_[c].assign(members_.size() * members_.size(), 0);
}

void LocalTally::subtree(int level, const std::uint32_t* index, std::uint64_t part) {
  if (part == 0) return;
  const auto l = static_cast<std::size_t>(level);
  const VertexShare& own = program_.vertices[l];
  if (own.column != kNone)
    by_member_[static_cast<std::size_t>(own.column) * members_.size() + index[level]] +=
        part * static_cast<std::uint64_t>(own.times);
  for (const EdgeShare& e : program_.edges[l])
    edge(e.column, e.earlier, index, index[level]) += part * static_cast<std::uint64_t>(e.times);
}

void LocalTally::share(const std::uint64_t* bits, std::size_t words, const std::uint32_t* index,
                       const std::uint64_t* sizes) {
  for (const TailShare& share : program_.tail) {
    const auto weight = static_cast<std::uint64_t>(weight_of(share.terms, sizes));
    if (weight == 0) continue;
    const std::uint64_t* set = bits + static_cast<std::size_t>(share.size) * words;
    std::uint64_t* sums = share.from == kNone ? &by_member_[static_cast<std::size_t>(share.column) * members_.size()]
                                              : &edge(share.column, share.from, index, 0);
    for (std::size_t w = 0; w < words; ++w)
      for (std::uint64_t left = set[w]; left != 0; left &= left - 1)
        sums[w * 64 + static_cast<std::size_t>(__builtin_ctzll(left))] += weight;
  }
}

void LocalTally::held(const Members& held, std::uint64_t part) {
  if (part == 0) return;
  add_member(held.back(), part);
  if (has_edges_)
    for (std::size_t i = 0; i + 1 < held.size(); ++i) add_pair(held[i], held.back(), part);
}

void LocalTally::pivots(const Members& held, const Members& pivots, std::uint64_t one, std::uint64_t two) {
  for (std::uint32_t v : pivots) add_member(v, one);
  if (!has_edges_) return;
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    for (std::uint32_t u : held) add_pair(u, pivots[i], one);
    for (std::size_t j = 0; j < i; ++j) add_pair(pivots[j], pivots[i], two);
  }
}

void LocalTally::candidate(const Members& held, const Members& pivots, std::uint32_t member, std::uint64_t part) {
  add_member(member, part);
  if (!has_edges_) return;
  for (std::uint32_t u : held) add_pair(u, member, part);
  for (std::uint32_t u : pivots) add_pair(u, member, 1);
}

void LocalTally::pair(std::uint32_t a, std::uint32_t b) { add_pair(a, b, 1); }

void LocalTally::flush() {
  for (std::size_t c = 0; c < program_.columns.size(); ++c) {
    const int relation = program_.columns[c];
    const std::uint64_t* sums = by_member_.data() + c * members_.size();
    const Span list = relation == kNone ? Span{} : in_.store.neighbors(first_, relation);
    const std::uint32_t* p = list.begin();
    for (std::size_t j = 0; j < members_.size(); ++j) {
      if (sums[j] == 0) continue;
      if (relation != kNone) p = gallop(p, list.end(), members_[j]);
      sink_.add(static_cast<int>(c), relation == kNone ? members_[j] : in_.store.entry_number(p, relation),
                static_cast<Weight>(static_cast<Count>(static_cast<std::int64_t>(sums[j]))));
    }
    if (relation != kNone) flush_matrix(c);
  }
  members_.clear();
  by_member_.clear();
}

void LocalTally::flush_matrix(std::size_t column) {
  const int relation = program_.columns[column];
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Span list = in_.store.neighbors(members_[i], relation);
    const std::uint32_t* p = list.begin();
    const std::uint64_t* sums = matrices_[column].data() + i * members_.size();
    for (std::size_t j = 0; j < members_.size(); ++j) {
      if (sums[j] == 0) continue;
      p = gallop(p, list.end(), members_[j]);
      sink_.add(static_cast<int>(column), in_.store.entry_number(p, relation),
                static_cast<Weight>(static_cast<Count>(static_cast<std::int64_t>(sums[j]))));
    }
  }
}

}  // namespace subiso
