// The graph among the neighbours of one vertex, as lists and, where they are long enough, as bit rows.
#pragma once
#include <bit>
#include <span>
#include <vector>

#include "motifs/basis.hpp"

namespace subiso::motifs {

// Members are the neighbours that share a triangle with the centre, numbered from 0 by rank. The rest have no edge here.
class Neighborhood {
 public:
  Neighborhood(const SimpleGraph& graph, const EdgeTriangles& triangles)
      : graph_(graph), triangles_(triangles), place_(graph.num_vertices(), 0) {}

  // Calls edge(i, j) for every edge between members i and j.
  template <class Edge>
  void enter(u32 center, const Edge& edge);
  void leave();

  std::size_t size() const { return members_.size(); }
  std::size_t words() const { return words_; }
  u32 degree(std::size_t i) const { return static_cast<u32>(starts_[i + 1] - starts_[i]); }
  u32 member(std::size_t i) const { return members_[i]; }
  // The members joined to member i, in no order.
  std::span<const u32> list(std::size_t i) const { return {lists_.data() + starts_[i], degree(i)}; }
  // From 1; 0 for those that are no members.
  u32 place(u32 v) const { return place_[v]; }

  // How many of the members in `set`, a bitmap, are joined to member i.
  u64 joined(std::size_t i, const u64* set) const {
    u64 count = 0;
    if (rows_at_[i] != kNone) {
      const u64* row = bits_.data() + rows_at_[i];
      for (std::size_t w = 0; w < words_; ++w) count += static_cast<u64>(std::popcount(row[w] & set[w]));
    } else {
      for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) count += set[lists_[k] / 64] >> lists_[k] % 64 & 1;
    }
    return count;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void make_rows() {
    bits_.clear();
    rows_at_.assign(members_.size(), kNone);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (degree(i) < words_) continue;  // the list is shorter than the row
      rows_at_[i] = bits_.size();
      bits_.resize(bits_.size() + words_, 0);
      for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k)
        bits_[rows_at_[i] + lists_[k] / 64] |= u64{1} << lists_[k] % 64;
    }
  }

  const SimpleGraph& graph_;
  const EdgeTriangles& triangles_;
  std::vector<u32> place_, members_, lists_;
  std::vector<std::size_t> starts_, filled_, rows_at_;
  std::vector<u64> bits_;
  std::size_t words_ = 0;
};

template <class Edge>
void Neighborhood::enter(u32 center, const Edge& edge) {
  members_.clear();
  starts_.assign(1, 0);
  for (std::size_t e = graph_.begin(center); e < graph_.end(center); ++e) {
    if (triangles_[e] == 0) continue;
    members_.push_back(graph_.neighbor(e));
    place_[graph_.neighbor(e)] = static_cast<u32>(members_.size());
    starts_.push_back(starts_.back() + triangles_[e]);
  }
  words_ = (members_.size() + 63) / 64;
  lists_.resize(starts_.back());
  filled_.assign(starts_.begin(), starts_.end());
  for (u32 i = 0; i < members_.size(); ++i) {
    const u32 b = members_[i];
    for (std::size_t e = graph_.middle(b); e < graph_.end(b); ++e) {
      const u32 place = place_[graph_.neighbor(e)];
      if (place == 0) continue;
      lists_[filled_[i]++] = place - 1;
      lists_[filled_[place - 1]++] = i;
      edge(std::size_t{i}, std::size_t{place} - 1);
    }
  }
  make_rows();
}

inline void Neighborhood::leave() {
  for (const u32 v : members_) place_[v] = 0;
}

}  // namespace subiso::motifs
