#include "engine/local.hpp"

#include <algorithm>

#include "engine/bits.hpp"
#include "engine/terms.hpp"

namespace subiso {
namespace {

constexpr std::uint64_t kOnes = ~std::uint64_t{0};

}  // namespace

LocalSearch::LocalSearch(const Inputs& in, Scheduler& scheduler, const Node& top, TallySink* sink)
    : in_(in),
      program_(in.program),
      scheduler_(scheduler),
      top_(top),
      local_(top.local),
      row_filters_(in.filters.size()),
      tally_(sink == nullptr ? nullptr : std::make_unique<LocalTally>(in, *sink)),
      cliques_(scheduler, tally_.get()) {
  for (int number : top.leaves) {
    const Leaf& leaf = program_.leaves[static_cast<std::size_t>(number)];
    for (const Level& level : leaf.levels) {
      note(level.expression);
      for (int set : level.sets) note(program_.sets[static_cast<std::size_t>(set)].expression);
    }
    for (const TailSize& tail : leaf.sizes) note(tail.expression);
    depths_ = std::max(depths_, leaf.levels.size());
    sizes_.resize(std::max(sizes_.size(), leaf.sizes.size()));
  }
}

void LocalSearch::note(const SetExpression& e) {
  const auto want = [this](int position, int relation) {
    if (position == 0) return;
    if (row_relations_.size() <= static_cast<std::size_t>(relation))
      row_relations_.resize(static_cast<std::size_t>(relation) + 1);
    row_relations_[static_cast<std::size_t>(relation)] = true;
  };
  if (e.source.kind == Source::kList) want(e.source.position, e.source.relation);
  for (const Operand& o : e.operands) want(o.position, o.relation);
  if (e.filter != kNone) row_filters_[static_cast<std::size_t>(e.filter)] = true;
}

void LocalSearch::leave() {
  if (tally_) tally_->flush();
  for (std::uint32_t v : members_) member_bits_[v >> 6] = 0;
  members_.clear();
}

LocalSearch::Size LocalSearch::enter(std::uint32_t v) {
  const int relation = local_.relation;
  const Span list = local_.above ? in_.store.neighbors_above(v, relation) : in_.store.neighbors(v, relation);
  if (list.size < static_cast<std::size_t>(local_.least)) return kTooSmall;
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
  candidates_.resize(depths_ * words_);
  scratch_.resize(words_);
  build_rows();
  build_filters();
  if (!local_.cliques) compute_sets(program_.nodes[0].level);
  return kFits;
}

void LocalSearch::build_rows() {
  rows_.assign(row_relations_.size() * size_ * words_, 0);
  for (std::size_t r = 0; r < row_relations_.size(); ++r) {
    if (!row_relations_[r]) continue;
    const int relation = static_cast<int>(r);
    // Where edges have no direction, the lists above hold them all: those of hubs need not be read whole.
    const bool mirror = (!local_.rows_above || local_.cliques) && in_.reverse[r] == relation;
    const bool above = local_.rows_above || mirror;
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
    for (std::size_t i = 0; row_filters_[f] && i < size_; ++i)
      filters_[f * words_ + (i >> 6)] |= Word{in_bitmap(in_.filters[f], members_[i])} << (i & 63);
}

void LocalSearch::apply_bounds(const SetExpression& e, Word* result) const {
  for (int p : e.lower) {
    if (p == 0 && local_.above) continue;  // all members are above it
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

void LocalSearch::compute_sets(const Level& level) {
  for (int set : level.sets)
    evaluate(program_.sets[static_cast<std::size_t>(set)].expression,
             sets_.data() + static_cast<std::size_t>(set) * words_);
}

bool LocalSearch::count_below(std::uint32_t v, std::int64_t& steps, std::vector<LeafSum>& sums) {
  steps_ = &steps;
  sums_ = sums.data();
  index_[1] = local_index(v);
  if (local_.cliques) {
    const auto leaf = static_cast<std::size_t>(top_.leaves[0]);
    const int size = static_cast<int>(program_.leaves[leaf].levels.size()) + 1;  // the last vertex is the tail's
    return cliques_.count({row(local_.relation, 0), size_, words_}, index_[1], size, steps, sums[leaf]);
  }
  compute_sets(top_.level);
  for (int child : top_.children)
    if (!descend(child)) return false;
  return true;
}

bool LocalSearch::descend(int number) {
  const Node& node = program_.nodes[static_cast<std::size_t>(number)];
  const int depth = node.depth;
  Word* bits = candidates_at(depth);
  evaluate(node.level.expression, bits);
  for (int p : node.level.distinct)
    if (p != 0) bits[index_[p] >> 6] &= ~(Word{1} << (index_[p] & 63));
  if (node.level.least > 1 && size_of_bits(bits, words_) < static_cast<std::size_t>(node.level.least)) return true;
  if (node.children.empty()) {
    innermost(node);
    check_ends(node);
    return true;
  }
  for (std::size_t w = 0; w < words_; ++w)
    for (Word left = bits[w]; left != 0; left &= left - 1) {
      index_[depth] = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
      if (interrupted()) return false;
      compute_sets(node.level);
      add_tails(node);
      const Count before = sums_[0].total;
      for (int child : node.children)
        if (!descend(child)) return false;
      if (tally_) tally_->subtree(depth, index_, static_cast<std::uint64_t>(added_since(before, sums_[0].total)));
    }
  check_ends(node);
  return true;
}

void LocalSearch::check_ends(const Node& node) {
  for (int leaf : node.ends) scheduler_.check(sums_[leaf]);
}

void LocalSearch::innermost(const Node& node) {
  if (tally_) return share_tail(node);
  if (node.ends.size() == 1 && is_linear(program_.leaves[static_cast<std::size_t>(node.ends[0])]))
    return add_linearly(node);
  const Word* bits = candidates_at(node.depth);
  for (std::size_t w = 0; w < words_; ++w)
    for (Word left = bits[w]; left != 0; left &= left - 1) {
      index_[node.depth] = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
      compute_sets(node.level);
      add_tails(node);
    }
}

void LocalSearch::add_linearly(const Node& node) {
  const auto number = static_cast<std::size_t>(node.ends[0]);
  const Leaf& leaf = program_.leaves[number];
  const Word* bits = candidates_at(node.depth);
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < words_; ++w)
    for (Word left = bits[w]; left != 0; left &= left - 1) {
      index_[node.depth] = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
      compute_sets(node.level);
      sum += count(leaf.sizes[0]);
    }
  add_linear(leaf, sum, sums_[number].total, sums_[number].overflow);
}

void LocalSearch::add_tails(const Node& node) {
  shared_sizes_.resize(node.sizes.size());
  for (std::size_t i = 0; i < node.sizes.size(); ++i) shared_sizes_[i] = count(node.sizes[i]);
  for (int number : node.ends) {
    const Leaf& leaf = program_.leaves[static_cast<std::size_t>(number)];
    LeafSum& sum = sums_[number];
    for (std::size_t i = 0; i < leaf.size_at.size(); ++i)
      sizes_[i] = shared_sizes_[static_cast<std::size_t>(leaf.size_at[i])];
    add_terms(leaf, sizes_.data(), sum.total, sum.overflow);
  }
}

// The innermost loop with local counts: also gives the elements of the tail's sets their shares.
void LocalSearch::share_tail(const Node& node) {
  const Leaf& leaf = program_.only();
  const Word* bits = candidates_at(node.depth);
  tail_bits_.resize(sizes_.size() * words_);
  for (std::size_t w = 0; w < words_; ++w)
    for (Word left = bits[w]; left != 0; left &= left - 1) {
      index_[node.depth] = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
      compute_sets(node.level);
      for (std::size_t i = 0; i < sizes_.size(); ++i)
        sizes_[i] = tally_->scatters() ? select(i, tail_bits_.data() + i * words_) : count(leaf.sizes[i]);
      const Count before = sums_[0].total;
      add_terms(leaf, sizes_.data(), sums_[0].total, sums_[0].overflow);
      tally_->subtree(node.depth, index_, static_cast<std::uint64_t>(added_since(before, sums_[0].total)));
      if (tally_->scatters()) tally_->share(tail_bits_.data(), words_, index_, sizes_.data());
    }
}

std::uint64_t LocalSearch::select(std::size_t size, Word* bits) {
  const TailSize& tail = program_.only().sizes[size];
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
      e.upper.empty() && (e.lower.empty() || (local_.rows_above && e.lower.size() == 1 && one_row &&
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
