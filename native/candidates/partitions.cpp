#include "candidates/partitions.hpp"

namespace subiso {
namespace {

class Splitter {
 public:
  Splitter(const std::vector<std::uint64_t>& overlaps, std::size_t most)
      : overlaps_(overlaps), most_(most), block_of_(overlaps.size()) {}

  Partitions run() {
    split(0, 1);
    return std::move(found_);
  }

 private:
  struct Block {
    std::uint64_t members;
    std::int64_t size;
  };

  // Vertices before v have their blocks.
  void split(std::size_t v, std::int64_t coefficient) {
    if (v == overlaps_.size()) {
      found_.all = found_.block_of.size() < most_;
      if (!found_.all) return;
      found_.block_of.push_back(block_of_);
      found_.coefficients.push_back(coefficient);
      return;
    }
    const std::uint64_t own = std::uint64_t{1} << v;
    block_of_[v] = static_cast<int>(blocks_.size());
    blocks_.push_back({own, 1});
    split(v + 1, coefficient);
    blocks_.pop_back();
    for (std::size_t b = 0; b < blocks_.size() && found_.all; ++b) {
      if ((blocks_[b].members & ~overlaps_[v]) != 0) continue;
      block_of_[v] = static_cast<int>(b);
      const std::int64_t size = blocks_[b].size;
      blocks_[b] = {blocks_[b].members | own, size + 1};
      split(v + 1, -size * coefficient);
      blocks_[b] = {blocks_[b].members & ~own, size};
    }
  }

  const std::vector<std::uint64_t>& overlaps_;
  const std::size_t most_;
  std::vector<int> block_of_;
  std::vector<Block> blocks_;
  Partitions found_;
};

}  // namespace

Partitions partitions_of(const std::vector<std::uint64_t>& overlaps, std::size_t most) {
  return Splitter(overlaps, most).run();
}

}  // namespace subiso
