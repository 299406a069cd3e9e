// Search inside the neighbourhood of the first matched vertex, with adjacency as bit rows: an intersection is an AND,
// a size a popcount. For counting plans in which every vertex is a neighbour of the first (cliques, wheels, ...); plans
// that share their second level share the rows, and the levels that they have in common.
#pragma once
#include "engine/clique_search.hpp"
#include "engine/local_tally.hpp"
#include "engine/scheduler.hpp"
#include "engine/sets.hpp"

namespace subiso {

class LocalSearch {
 public:
  // For everything below `top`, the node of the second level. `sink`: where local counts go; null for plain counts.
  LocalSearch(const Inputs& in, Scheduler& scheduler, const Node& top, TallySink* sink = nullptr);

  // Sets up the neighbourhood of v, unless it is too large for bit rows (the caller then searches lists) or too small
  // to hold a match.
  enum Size { kTooSmall, kFits, kTooLarge };
  Size enter(std::uint32_t v);
  // Counts everything below the second vertex, which is v; adds to the sums, by leaf. `steps` goes down as it searches:
  // false when it fell below zero, or the run was stopped, before the end (the sums then hold a part).
  bool count_below(std::uint32_t v, std::int64_t& steps, std::vector<LeafSum>& sums);

  // Leaves the last neighbourhood; its local counts are then in the tally.
  void leave();

  static constexpr std::size_t kMostVertices = 8192;

 private:
  using Word = std::uint64_t;

  std::uint32_t local_index(std::uint32_t v) const {
    const std::size_t w = v >> 6;
    const Word below = member_bits_[w] & ((Word{1} << (v & 63)) - 1);
    return members_before_[w] + static_cast<std::uint32_t>(__builtin_popcountll(below));
  }
  Word* row(int relation, std::uint32_t local) {
    return rows_.data() + (static_cast<std::size_t>(relation) * size_ + local) * words_;
  }
  void build_rows();
  void build_row(int relation, std::uint32_t i, Span list, bool mirror);
  void build_filters();

  // What the levels and tails below the top read.
  void note(const SetExpression& e);
  Word* candidates_at(int depth) { return candidates_.data() + static_cast<std::size_t>(depth) * words_; }
  void compute_sets(const Level& level);
  bool descend(int node);  // false when interrupted
  void innermost(const Node& node);
  // The loop is over: have totals that it added to overflown?
  void check_ends(const Node& node);
  void add_linearly(const Node& node);
  // Adds what the tails of the leaves that end at the node come to, for the vertices matched by now.
  void add_tails(const Node& node);
  void share_tail(const Node& node);
  // The elements of a tail set without the matched vertices; how many.
  std::uint64_t select(std::size_t size, Word* bits);
  // result = the expression's elements as bits; false when certainly empty.
  void evaluate(const SetExpression& e, Word* result);
  void apply_bounds(const SetExpression& e, Word* result) const;
  std::uint64_t count(const TailSize& tail);
  const Word* source_bits(const SetExpression& e);

  bool interrupted() { return scheduler_.stopped() || --*steps_ < 0; }

  const Inputs& in_;
  const Program& program_;
  Scheduler& scheduler_;
  const Node& top_;
  const Local& local_;
  std::vector<bool> row_relations_;  // relations that are read at positions other than the first
  std::vector<bool> row_filters_;    // filters that are read
  std::size_t depths_ = 0;           // of the deepest leaf

  std::vector<std::uint32_t> members_;  // the neighbourhood, sorted
  std::vector<Word> member_bits_;       // over all vertices
  std::vector<std::uint32_t> members_before_;
  std::size_t size_ = 0;
  std::size_t words_ = 0;
  std::uint32_t first_split_ = 0;  // members up to the first vertex

  std::vector<Word> rows_;
  std::vector<Word> everyone_;
  std::vector<Word> filters_;
  std::vector<Word> sets_;
  std::vector<Word> candidates_;  // one bit set per depth
  std::vector<Word> scratch_;
  std::uint32_t index_[kMaxLevels] = {};
  std::vector<std::uint64_t> sizes_;
  std::vector<std::uint64_t> shared_sizes_;  // those of a node
  std::int64_t* steps_ = nullptr;
  LeafSum* sums_ = nullptr;
  std::unique_ptr<LocalTally> tally_;
  CliqueSearch cliques_;
  std::vector<Word> tail_bits_;  // the tail's sets, where local counts want their elements
};

}  // namespace subiso
