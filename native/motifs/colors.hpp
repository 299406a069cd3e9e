// Colours of vertices: how many neighbours of each colour a vertex has, and small histograms of colours.
#pragma once
#include <span>
#include <vector>

#include "motifs/graph.hpp"

namespace subiso::motifs {

struct ColorCount {
  u32 color;
  u32 count;
};

// Counts colours; `take` lists those that occurred and clears.
class Histogram {
 public:
  explicit Histogram(u32 colors) : counts_(colors, 0) {}
  void add(u32 color) {
    if (counts_[color]++ == 0) seen_.push_back(color);
  }
  const std::vector<ColorCount>& take() {
    found_.clear();
    for (const u32 color : seen_) {
      found_.push_back({color, counts_[color]});
      counts_[color] = 0;
    }
    seen_.clear();
    return found_;
  }

 private:
  std::vector<u32> counts_, seen_;
  std::vector<ColorCount> found_;
};

// The histogram of every vertex's neighbours.
class NeighborColors {
 public:
  NeighborColors(const SimpleGraph& graph, const u32* color, u32 colors) : starts_(1, 0) {
    Histogram histogram(colors);
    for (u32 v = 0; v < graph.num_vertices(); ++v) {
      for (const u32 w : graph.neighbors(v)) histogram.add(color[w]);
      for (const ColorCount& c : histogram.take()) counts_.push_back(c);
      starts_.push_back(counts_.size());
    }
  }
  std::span<const ColorCount> of(u32 v) const { return {counts_.data() + starts_[v], starts_[v + 1] - starts_[v]}; }

 private:
  std::vector<std::size_t> starts_;
  std::vector<ColorCount> counts_;
};

}  // namespace subiso::motifs
