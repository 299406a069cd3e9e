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
