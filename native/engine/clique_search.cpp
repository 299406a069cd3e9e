#include "engine/clique_search.hpp"

#include <algorithm>

#include "engine/bits.hpp"
#include "engine/terms.hpp"

namespace subiso {

bool CliqueSearch::count(const Rows& rows, std::uint32_t second, int size, std::int64_t& steps, LeafSum& sum) {
  rows_ = rows;
  wanted_ = static_cast<std::size_t>(size) - 1;
  steps_ = &steps;
  sum_ = &sum;
  stack_.resize((rows.size + 2) * rows.words);  // a search is never deeper than there are members
  held_.assign(1, second);
  pivots_.clear();
  Word* first = candidates_at(0);
  std::copy_n(rows.of(second), rows.words, first);
  std::fill_n(first, second >> 6, Word{0});  // those above `second` only
  first[second >> 6] &= ~((Word{2} << (second & 63)) - 1);
  return search(0);
}

bool CliqueSearch::search(std::size_t depth) {
  if (scheduler_.stopped() || --*steps_ < 0) return false;
  const Word* candidates = candidates_at(depth);
  const std::size_t words = rows_.words, number = size_of_bits(candidates, words);
  if (held_.size() + pivots_.size() + number < wanted_) return true;
  if (number == 0 || held_.size() == wanted_) {
    leaf();
    return true;
  }
  if (wanted_ == held_.size() + 2) {
    count_pairs(candidates, number);
    return true;
  }
  std::size_t ends = 0;
  const std::uint32_t pivot = choose_pivot(candidates, ends);
  if (ends == number * (number - 1)) {  // all are joined: each may be chosen or not
    const std::size_t before = pivots_.size();
    each_bit(candidates, words, [&](std::uint32_t v) { pivots_.push_back(v); });
    leaf();
    pivots_.resize(before);
    return true;
  }
  Word* below = candidates_at(depth + 1);
  const auto descend = [&](std::uint32_t v, std::vector<std::uint32_t>& kind) {
    const Word* row = rows_.of(v);
    for (std::size_t w = 0; w < words; ++w) below[w] = candidates_at(depth)[w] & row[w];
    kind.push_back(v);
    const Count before = sum_->total;
    const bool all = search(depth + 1);
    if (tally_ != nullptr && &kind == &held_)
      tally_->held(held_, static_cast<std::uint64_t>(added_since(before, sum_->total)));
    kind.pop_back();
    candidates_at(depth)[v >> 6] &= ~(Word{1} << (v & 63));
    return all;
  };
  if (!descend(pivot, pivots_)) return false;
  const Word* row = rows_.of(pivot);
  for (std::size_t w = 0; w < words; ++w)
    for (Word left = candidates_at(depth)[w] & ~row[w]; left != 0; left &= left - 1)
      if (!descend(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left))), held_))
        return false;
  return true;
}

std::uint32_t CliqueSearch::choose_pivot(const Word* candidates, std::size_t& ends) const {
  std::uint32_t best = 0;
  std::size_t most = 0;
  bool found = false;
  each_bit(candidates, rows_.words, [&](std::uint32_t v) {
    const std::size_t neighbors = size_of_common_bits(candidates, rows_.of(v), rows_.words);
    ends += neighbors;
    if (!found || neighbors > most) {
      best = v;
      most = neighbors;
      found = true;
    }
  });
  return best;
}

void CliqueSearch::add(Count part) {
  sum_->overflow |= part == kOverflow;
  add_to(part, sum_->total, sum_->overflow);
  scheduler_.check(*sum_);
}

void CliqueSearch::leaf() {
  const std::size_t free = wanted_ - held_.size(), number = pivots_.size();
  const Count part = choose(number, free);
  add(part);
  if (tally_ == nullptr || part == 0) return;
  // A pivot is in those cliques that choose it, two pivots together in those that choose both.
  const Count one = free >= 1 ? choose(number - 1, free - 1) : 0;
  const Count two = free >= 2 ? choose(number - 2, free - 2) : 0;
  tally_->pivots(held_, pivots_, static_cast<std::uint64_t>(one), static_cast<std::uint64_t>(two));
}

// Two more are wanted: two pivots, a pivot and a candidate, or two candidates that are joined.
void CliqueSearch::count_pairs(const Word* candidates, std::size_t number) {
  std::size_t ends = 0;
  each_bit(candidates, rows_.words, [&](std::uint32_t v) {
    const std::size_t joined = size_of_common_bits(candidates, rows_.of(v), rows_.words);
    ends += joined;
    if (tally_ != nullptr) tally_->candidate(held_, pivots_, v, pivots_.size() + joined);
  });
  add(choose(pivots_.size(), 2) + static_cast<Count>(pivots_.size() * number + ends / 2));
  if (tally_ == nullptr) return;
  tally_->pivots(held_, pivots_, pivots_.size() - 1 + number, 1);
  if (tally_->counts_edges()) tally_pairs(candidates);
}

// The edges between candidates: each is in one clique.
void CliqueSearch::tally_pairs(const Word* candidates) {
  for (std::size_t v = 0; v < rows_.size; ++v) {
    if (!(candidates[v >> 6] >> (v & 63) & 1)) continue;
    const Word* row = rows_.of(v);
    for (std::size_t w = 0; w <= v >> 6; ++w) {
      Word below = candidates[w] & row[w];
      if (w == v >> 6) below &= (Word{1} << (v & 63)) - 1;
      for (; below != 0; below &= below - 1)
        tally_->pair(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(below))),
                     static_cast<std::uint32_t>(v));
    }
  }
}

Count CliqueSearch::choose(std::size_t n, std::size_t r) {
  while (binomials_.size() <= n) {
    std::vector<Count> row(wanted_ + 1, 0);
    row[0] = 1;
    for (std::size_t i = 1; i <= wanted_ && !binomials_.empty(); ++i) {
      const Count a = binomials_.back()[i - 1], b = binomials_.back()[i];
      if (a == kOverflow || b == kOverflow || __builtin_add_overflow(a, b, &row[i])) row[i] = kOverflow;
    }
    binomials_.push_back(std::move(row));
  }
  return binomials_[n][r];
}

}  // namespace subiso
