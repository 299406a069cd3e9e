// Local counts of a search on bit rows: summed in small arrays by the neighbourhood's own numbers, which stay in the
// cache, and added to the tally when the neighbourhood is left.
#pragma once
#include "engine/tally.hpp"

namespace subiso {

class LocalTally {
 public:
  LocalTally(const Inputs& in, TallySink& sink);

  // Edges are counted in a matrix over the neighbourhood, so it must not be too large.
  bool fits(std::size_t size) const { return !has_edges_ || size <= kMostWithEdges; }

  void enter(std::uint32_t first, Span members);
  // The vertex at `level` (two or more) had `part` matches below it. `index`: local numbers by position.
  void subtree(int level, const std::uint32_t* index, std::uint64_t part);
  // The tail's sets as bits, one after the other, `words` each.
  void share(const std::uint64_t* bits, std::size_t words, const std::uint32_t* index, const std::uint64_t* sizes);
  bool scatters() const { return !program_.tail.empty(); }

  // For a search by pivoting (clique_search.hpp): all vertices of a clique count in one column, all edges in another.
  // What the first two vertices, and the edge between them, get is the worker's business.
  using Members = std::vector<std::uint32_t>;
  // The last of the held members had `part` cliques below it.
  void held(const Members& held, std::uint64_t part);
  // Each pivot is in `one` cliques more, each two of them are in `two`.
  void pivots(const Members& held, const Members& pivots, std::uint64_t one, std::uint64_t two);
  // A member that stands beside all held ones and pivots is in `part` cliques more, in one of them with each pivot.
  void candidate(const Members& held, const Members& pivots, std::uint32_t member, std::uint64_t part);
  // Two members are together in one clique more.
  void pair(std::uint32_t a, std::uint32_t b);
  bool counts_edges() const { return has_edges_; }

  // Adds everything to the tally.
  void flush();

 private:
  static constexpr std::size_t kMostWithEdges = 1024;

  // The sum of the edge from position `from` to member j.
  std::uint64_t& edge(int column, int from, const std::uint32_t* index, std::size_t j) {
    const auto c = static_cast<std::size_t>(column);
    return from == 0 ? by_member_[c * members_.size() + j]
                     : matrices_[c][std::size_t{index[from]} * members_.size() + j];
  }
  // The sums of a member itself, or of the edge to it from the first vertex.
  void add_member(std::uint32_t member, std::uint64_t part) {
    for (std::size_t c = 0; c < program_.columns.size(); ++c) by_member_[c * members_.size() + member] += part;
  }
  void add_pair(std::uint32_t a, std::uint32_t b, std::uint64_t part) {
    for (std::size_t c = 0; c < program_.columns.size(); ++c)
      if (program_.columns[c] != kNone) matrices_[c][std::size_t{a} * members_.size() + b] += part;
  }
  void flush_matrix(std::size_t column);

  const Inputs& in_;
  const TallyProgram& program_;
  TallySink& sink_;
  bool has_edges_ = false;
  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint64_t> by_member_;               // columns of vertices, and of edges from the first vertex
  std::vector<std::vector<std::uint64_t>> matrices_;  // columns of edges between members
};

}  // namespace subiso
