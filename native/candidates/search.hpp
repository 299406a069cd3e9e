// Counts or lists embeddings by backtracking on a candidate graph. Failing sets skip siblings that must fail for the same
// reason; points stand for as many data vertices as they weigh; vertices at the end that are not joined are counted, not
// matched, unless they are to be listed.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "candidates/graph.hpp"
#include "candidates/order.hpp"

namespace subiso {

struct SearchOptions {
  bool injective = true;
  bool failing_sets = true;
  // Candidates looked at, or as much work. A search that is far from getting by with them ends early, unless it has found
  // nothing yet: failing sets may leave out most of it.
  std::uint64_t max_steps = UINT64_MAX;
  // Matches to list, after which the search ends; 0: they are counted. Every point must stand for one vertex then.
  std::size_t max_rows = 0;
  // Pairs of query vertices, the first of which has the lower vertex in every listed row.
  std::vector<std::pair<int, int>> restrictions = {};
  const Stop* stop = nullptr;
};

struct SearchResult {
  Count total = 0;
  std::uint64_t steps = 0;
  bool complete = true;  // false: too few steps, stopped, overflown, or enough rows; the total says nothing
  std::vector<std::uint32_t> rows;  // of data vertices, by query vertex
  bool overflow = false;
};

class CandidateSearch {
 public:
  // `forbidden`: pairs of query vertices that must not be joined by a relation of the store; with any, every point must
  // stand for one vertex.
  CandidateSearch(const CandidateGraph& graph, const CsrStore& store, const std::vector<QueryLink>& forbidden,
                  const SearchOptions& options);

  SearchResult run();

 private:
  using VertexSet = std::uint64_t;  // of query vertices

  // What a level knows before anything is matched.
  struct Level {
    int vertex;
    VertexSet ancestors;  // the vertex, and those that its candidates depend on
    std::vector<const CandidateLists*> lists;  // from earlier vertices ...
    std::vector<int> owners;                   // ... which these are
    std::vector<QueryLink> forbidden;          // from earlier vertices to this one
  };

  // Both return true when a match was found; otherwise `failing_` has the vertices that the failure depends on.
  bool visit(std::size_t depth, Count times);
  bool count_rest(Count times);
  bool list_row();

  // One more; false when there are none left, or too few to get anywhere, which `complete` then says.
  bool step();
  // Whether somebody wants the search to end, or the total has overflown; looks now and then.
  bool stopped();
  // The part of the search that is done, were all candidates of a level as much work.
  double done() const;
  bool allowed(const Level& level, std::uint32_t v);
  Span candidates(std::size_t depth);
  // Query vertices that are matched to a point, with their ancestors.
  VertexSet users(std::uint32_t point) const;
  std::uint32_t left(std::uint32_t point) const { return graph_.weight[point] - (options_.injective ? used_[point] : 0); }

  // The ways to choose a point from each set of a group, all different.
  Count choices(const std::vector<std::size_t>& group, std::size_t first);
  Count sum_left(std::size_t depth);
  Count shared_left(std::size_t one, std::size_t other);
  std::uint32_t point_at(std::size_t depth, std::size_t i) const {
    const std::size_t u = static_cast<std::size_t>(levels_[depth].vertex);
    return graph_.points[u][spans_[depth].data[i]];
  }
  void add(Count value, Count times);

  const CandidateGraph& graph_;
  const CsrStore& store_;
  const SearchOptions options_;
  const SetOps& ops_;
  std::vector<Level> levels_;
  std::size_t matched_;  // levels before the counted ones
  std::vector<std::vector<std::size_t>> groups_;  // counted levels by what may coincide
  std::vector<std::vector<std::uint32_t>> buffers_, spare_;
  std::vector<Span> spans_;
  std::vector<double> begun_, out_of_;  // of a level's candidates
  std::vector<std::uint32_t> everything_;
  std::vector<std::uint32_t> number_;  // query vertex -> number of its candidate
  std::vector<std::uint32_t> point_;   // query vertex -> point
  std::vector<std::size_t> depth_of_;
  std::vector<std::uint32_t> used_;
  std::size_t depth_ = 0;  // levels that are matched now
  std::uint64_t limit_;    // of steps, until it is looked how far the search is ...
  std::uint64_t poll_ = 0;  // ... and whether it is to stop
  VertexSet failing_ = 0;
  SearchResult result_;
};

}  // namespace subiso
