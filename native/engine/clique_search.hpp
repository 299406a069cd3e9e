// Counts cliques in a neighbourhood without listing them, by pivoting. A node of the search has held vertices, which are in
// all cliques below it, and pivots, which may be in them or not: at a leaf every choice among the pivots is a clique, so
// a binomial coefficient counts them all. A pivot is joined to most candidates; only those that it is not joined to
// must be tried, each held in turn.
#pragma once
#include "engine/local_tally.hpp"
#include "engine/scheduler.hpp"

namespace subiso {

class CliqueSearch {
 public:
  using Word = std::uint64_t;
  // The neighbourhood's adjacency as bit rows, both directions.
  struct Rows {
    const Word* bits;
    std::size_t size;
    std::size_t words;
    const Word* of(std::size_t i) const { return bits + i * words; }
  };

  // `tally`: gets local counts; may be null.
  CliqueSearch(Scheduler& scheduler, LocalTally* tally) : scheduler_(scheduler), tally_(tally) {}

  // Sums the cliques of `size` vertices that hold the neighbourhood's own vertex, member `second` and members above it.
  // False when it was stopped, or out of steps, before the end.
  bool count(const Rows& rows, std::uint32_t second, int size, std::int64_t& steps, LeafSum& sum);

 private:
  bool search(std::size_t depth);
  // The candidate that is joined to most others; counts the ends of the edges between candidates.
  std::uint32_t choose_pivot(const Word* candidates, std::size_t& ends) const;
  void leaf();
  void count_pairs(const Word* candidates, std::size_t number);
  void tally_pairs(const Word* candidates);
  void add(Count part);
  // Ways to choose r of n; kOverflow when it is beyond 127 bits.
  Count choose(std::size_t n, std::size_t r);
  Word* candidates_at(std::size_t depth) { return stack_.data() + depth * rows_.words; }

  static constexpr Count kOverflow = -1;

  Scheduler& scheduler_;
  LocalTally* const tally_;
  Rows rows_{};
  std::size_t wanted_ = 0;  // vertices of a clique, without the neighbourhood's own
  std::vector<Word> stack_;
  std::vector<std::uint32_t> held_, pivots_;
  std::vector<std::vector<Count>> binomials_;
  std::int64_t* steps_ = nullptr;
  LeafSum* sum_ = nullptr;
};

}  // namespace subiso
