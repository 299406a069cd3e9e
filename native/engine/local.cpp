#include "engine/local.hpp"

#include <algorithm>

#include "engine/bits.hpp"
#include "engine/terms.hpp"

namespace subiso {
namespace {

constexpr std::uint64_t kOnes = ~std::uint64_t{0};

}  // namespace

LocalSearch::LocalSearch(const Inputs& in, const Scheduler& scheduler, TallySink* sink)
    : in_(in),
      program_(in.program),
      scheduler_(scheduler),
      sizes_(in.program.sizes.size()),
      tally_(sink == nullptr ? nullptr : std::make_unique<LocalTally>(in, *sink)),
      cliques_(scheduler, tally_.get()) {
  const auto note = [this](const SetExpression& e) {
    const auto want = [this](int position, int relation) {
      if (position == 0) return;
      if (row_relations_.size() <= static_cast<std::size_t>(relation))
        row_relations_.resize(static_cast<std::size_t>(relation) + 1);
      row_relations_[static_cast<std::size_t>(relation)] = true;
    };
    if (e.source.kind == Source::kList) want(e.source.position, e.source.relation);
    for (const Operand& o : e.operands) want(o.position, o.relation);
  };
  for (const SetNode& node : program_.sets) note(node.expression);
  for (const TailSize& tail : program_.sizes) note(tail.expression);
  for (const Level& level : program_.levels) note(level.expression);
}

void LocalSearch::leave() {
  if (tally_) tally_->flush();
  for (std::uint32_t v : members_) member_bits_[v >> 6] = 0;
  members_.clear();
}

LocalSearch::Size LocalSearch::enter(std::uint32_t v) {
  const int relation = program_.local_relation;
  const Span list = program_.local_above ? in_.store.neighbors_above(v, relation) : in_.store.neighbors(v, relation);
  if (list.size < static_cast<std::size_t>(program_.local_least)) return kTooSmall;
  if (list.size > kMostVertices || (tally_ && !tally_->fits(list.size))) return kTooLarge;
  leave();
  member_bits_.resize((in_.store.num_vertices() + std::size_t{63}) / 64);
  members_before_.resize(member_bits_.size());
  members_.assign(list.begin(), list.end());
  if (tally_) tally_->enter(v, list);
  size_ = list.size;
  words_ = (size_ + 63) / 64;
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t w = members_[i] >> 6;
    if (member_bits_[w] == 0) members_before_[w] = static_cast<std::uint32_t>(i);
    member_bits_[w] |= Word{1} << (members_[i] & 63);
  }
  first_split_ = static_cast<std::uint32_t>(std::upper_bound(list.begin(), list.end(), v) - list.begin());
  everyone_.assign(words_, kOnes);
  if (size_ % 64) everyone_.back() = (Word{1} << (size_ % 64)) - 1;
  sets_.resize(program_.sets.size() * words_);
  candidates_.resize(program_.levels.size() * words_);
  scratch_.resize(words_);
  build_rows();
  build_filters();
  if (!program_.local_cliques) compute_sets(0);
  return kFits;
}

void LocalSearch::build_rows() {
  rows_.assign(row_relations_.size() * size_ * words_, 0);
  for (std::size_t r = 0; r < row_relations_.size(); ++r) {
    if (!row_relations_[r]) continue;
    const int relation = static_cast<int>(r);
    // Where edges have no direction, the lists above hold them all: those of hubs need not be read whole.
    const bool mirror = (!program_.local_rows_above || program_.local_cliques) && in_.reverse[r] == relation;
    const bool above = program_.local_rows_above || mirror;
    for (std::uint32_t i = 0; i < size_; ++i) {
      build_row(relation, i, above ? in_.store.neighbors_above(members_[i], relation)
                                   : in_.store.neighbors(members_[i], relation), mirror);
    }
  }
}

// The members in the list of member i, as bits; with `mirror` also i in their rows.
void LocalSearch::build_row(int relation, std::uint32_t i, Span list, bool mirror) {
  Word* bits = row(relation, i);
  const auto set = [&](std::size_t j) {
    bits[j >> 6] |= Word{1} << (j & 63);
    if (mirror) row(relation, static_cast<std::uint32_t>(j))[i >> 6] |= Word{1} << (i & 63);
  };
  if (size_ * kGallopRatio < list.size) {
    const std::uint32_t* p = list.begin();
    for (std::size_t j = 0; j < size_; ++j) {
      p = gallop(p, list.end(), members_[j]);
      if (p == list.end()) break;
      if (*p == members_[j]) set(j);
    }
    return;
  }
  for (std::uint32_t x : list)
    if (in_bitmap(member_bits_.data(), x)) set(local_index(x));
}

void LocalSearch::build_filters() {
  filters_.assign(in_.filters.size() * words_, 0);
  for (std::size_t f = 0; f < in_.filters.size(); ++f)
    for (std::size_t i = 0; i < size_; ++i)
      filters_[f * words_ + (i >> 6)] |= Word{in_bitmap(in_.filters[f], members_[i])} << (i & 63);
}

void LocalSearch::apply_bounds(const SetExpression& e, Word* result) const {
  for (int p : e.lower) {
    if (p == 0 && program_.local_above) continue;  // all members are above it
    const std::uint32_t from = p == 0 ? first_split_ : index_[p] + 1;
    const std::size_t whole = std::min<std::size_t>(from >> 6, words_);
    std::fill_n(result, whole, Word{0});
    if (whole < words_) result[whole] &= kOnes << (from & 63);
  }
  for (int p : e.upper) {
    const std::uint32_t to = p == 0 ? first_split_ : index_[p];
    const std::size_t whole = to >> 6;
    if (whole < words_) result[whole] &= (Word{1} << (to & 63)) - 1;
    for (std::size_t w = whole + 1; w < words_; ++w) result[w] = 0;
  }
}

const std::uint64_t* LocalSearch::source_bits(const SetExpression& e) {
  if (e.source.kind == Source::kSet) return sets_.data() + static_cast<std::size_t>(e.source.set) * words_;
  if (e.source.position == 0) return everyone_.data();
  return row(e.source.relation, index_[e.source.position]);
}

void LocalSearch::evaluate(const SetExpression& e, Word* result) {
  std::copy_n(source_bits(e), words_, result);
  for (const Operand& o : e.operands) {
    if (o.position == 0) continue;  // everyone is a neighbour of the first vertex
    const Word* bits = row(o.relation, index_[o.position]);
    if (o.negative)
      for (std::size_t w = 0; w < words_; ++w) result[w] &= ~bits[w];
    else
      for (std::size_t w = 0; w < words_; ++w) result[w] &= bits[w];
  }
  apply_bounds(e, result);
  if (e.filter != kNone) {
    const Word* bits = filters_.data() + static_cast<std::size_t>(e.filter) * words_;
    for (std::size_t w = 0; w < words_; ++w) result[w] &= bits[w];
  }
}

void LocalSearch::compute_sets(int level) {
  for (int set : program_.levels[static_cast<std::size_t>(level)].sets)
    evaluate(program_.sets[static_cast<std::size_t>(set)].expression,
             sets_.data() + static_cast<std::size_t>(set) * words_);
}

bool LocalSearch::count_below(std::uint32_t v, std::int64_t& steps, Count& total, bool& overflow) {
  steps_ = &steps;
  total_ = &total;
  overflow_ = &overflow;
  index_[1] = local_index(v);
  if (program_.local_cliques) {
    const int size = static_cast<int>(program_.levels.size()) + 1;  // the last vertex is the tail's
    return cliques_.count({row(program_.local_relation, 0), size_, words_}, index_[1], size, steps, total, overflow);
  }
  compute_sets(1);
  return descend(2);
}

bool LocalSearch::descend(int level) {
  const Level& l = program_.levels[static_cast<std::size_t>(level)];
  Word* bits = candidates_.data() + static_cast<std::size_t>(level) * words_;
  evaluate(l.expression, bits);
  for (int p : l.distinct)
    if (p != 0) bits[index_[p] >> 6] &= ~(Word{1} << (index_[p] & 63));
  if (level + 1 == static_cast<int>(program_.levels.size())) {
    innermost(level);
    return true;
  }
  for (std::size_t w = 0; w < words_; ++w)
    for (Word left = bits[w]; left != 0; left &= left - 1) {
      index_[level] = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
      if (interrupted()) return false;
      compute_sets(level);
      const Count before = *total_;
      if (!descend(level + 1)) return false;
      if (tally_) tally_->subtree(level, index_, static_cast<std::uint64_t>(added_since(before, *total_)));
    }
  return true;
}

void LocalSearch::innermost(int level) {
  if (tally_) return share_tail(level);
  const Word* bits = candidates_.data() + static_cast<std::size_t>(level) * words_;
  const bool linear = is_linear(program_);
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < words_; ++w)
    for (Word left = bits[w]; left != 0; left &= left - 1) {
      index_[level] = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
      compute_sets(level);
      for (std::size_t i = 0; i < sizes_.size(); ++i) sizes_[i] = count(program_.sizes[i]);
      if (linear)
        sum += sizes_[0];
      else
        add_terms(program_, sizes_.data(), *total_, *overflow_);
    }
  if (linear) add_linear(program_, sum, *total_, *overflow_);
}

// The innermost loop with local counts: also gives the elements of the tail's sets their shares.
void LocalSearch::share_tail(int level) {
  const Word* bits = candidates_.data() + static_cast<std::size_t>(level) * words_;
  tail_bits_.resize(sizes_.size() * words_);
  for (std::size_t w = 0; w < words_; ++w)
    for (Word left = bits[w]; left != 0; left &= left - 1) {
      index_[level] = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
      compute_sets(level);
      for (std::size_t i = 0; i < sizes_.size(); ++i)
        sizes_[i] = tally_->scatters() ? select(i, tail_bits_.data() + i * words_) : count(program_.sizes[i]);
      const Count before = *total_;
      add_terms(program_, sizes_.data(), *total_, *overflow_);
      tally_->subtree(level, index_, static_cast<std::uint64_t>(added_since(before, *total_)));
      if (tally_->scatters()) tally_->share(tail_bits_.data(), words_, index_, sizes_.data());
    }
}

std::uint64_t LocalSearch::select(std::size_t size, Word* bits) {
  const TailSize& tail = program_.sizes[size];
  evaluate(tail.expression, bits);
  const auto remove = [&](int p) {
    if (p != 0) bits[index_[p] >> 6] &= ~(Word{1} << (index_[p] & 63));
  };
  std::for_each(tail.distinct.begin(), tail.distinct.end(), remove);
  std::for_each(in_.tally.sure[size].begin(), in_.tally.sure[size].end(), remove);
  return size_of_bits(bits, words_);
}

std::uint64_t LocalSearch::count(const TailSize& tail) {
  const SetExpression& e = tail.expression;
  const bool one_row = e.operands.size() == 1 && !e.operands[0].negative && e.operands[0].position != 0;
  const bool bounded_by_row =
      e.upper.empty() && (e.lower.empty() || (program_.local_rows_above && e.lower.size() == 1 && one_row &&
                                              e.lower[0] == e.operands[0].position));
  if (one_row && bounded_by_row && e.filter == kNone && tail.distinct.empty() && tail.surely == 0) {
    const Word* a = source_bits(e);
    const Word* b = row(e.operands[0].relation, index_[e.operands[0].position]);
    return size_of_common_bits(a, b, words_);
  }
  evaluate(e, scratch_.data());
  std::uint64_t found = size_of_bits(scratch_.data(), words_);
  // The first vertex is known to be in none of these sets, so every sure one is a member.
  found -= tail.surely;
  for (int p : tail.distinct)
    if (p != 0) found -= scratch_[index_[p] >> 6] >> (index_[p] & 63) & 1;
  return found;
}

}  // namespace subiso
