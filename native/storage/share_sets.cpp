#include "storage/share_sets.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace subiso {
namespace {

class Chainer {
 public:
  explicit Chainer(const ShareSets& sets)
      : sets_(sets), placed_(sets.size, false), members_(sets.num_partitions) {
    // Similar sets are neighbours in lexicographic order, so pieces of it are good windows.
    std::vector<std::uint32_t> sorted(sets.size);
    std::iota(sorted.begin(), sorted.end(), 0u);
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::lexicographical_compare(begin(a), end(a), begin(b), end(b));
    });
    left_.assign(sets.num_partitions, 0);
    for (std::uint32_t s : sorted)
      for (const std::uint32_t* p = begin(s); p != end(s); ++p) {
        members_[*p].push_back(s);
        left_[*p] += sets.weights[s];
      }
  }

  std::vector<std::uint32_t> order(std::uint32_t window) {
    using Entry = std::pair<std::int64_t, std::uint32_t>;  // vertices left, ~partition: the first of equals
    std::priority_queue<Entry> largest;
    for (std::uint32_t p = 0; p < sets_.num_partitions; ++p) largest.push({left_[p], ~p});
    while (!largest.empty()) {
      const auto [known, name] = largest.top();
      largest.pop();
      const std::uint32_t partition = ~name;
      if (known != left_[partition]) {
        largest.push({left_[partition], name});  // some have found a place since
        continue;
      }
      if (known > 0) place(partition, window);
    }
    for (std::uint32_t s = 0; s < sets_.size; ++s)
      if (!placed_[s]) order_.push_back(s);  // in no partition
    return std::move(order_);
  }

 private:
  const std::uint32_t* begin(std::uint32_t s) const { return sets_.items + sets_.offsets[s]; }
  const std::uint32_t* end(std::uint32_t s) const { return sets_.items + sets_.offsets[s + 1]; }
  std::int64_t size(std::uint32_t s) const { return sets_.offsets[s + 1] - sets_.offsets[s]; }

  void place(std::uint32_t partition, std::uint32_t window) {
    std::vector<std::uint32_t> open;
    for (std::uint32_t s : members_[partition])
      if (!placed_[s]) open.push_back(s);
    for (std::size_t from = 0; from < open.size(); from += window)
      chain({open.begin() + from, open.begin() + std::min<std::size_t>(open.size(), from + window)});
  }

  // Places all of `open`, each next to the one before it that it is most like.
  void chain(std::vector<std::uint32_t> open) {
    std::vector<std::uint8_t> marked(sets_.num_partitions, 0);
    std::uint32_t last = order_.empty() ? open.front() : order_.back();
    bool any = !order_.empty();
    while (!open.empty()) {
      if (any)
        for (const std::uint32_t* p = begin(last); p != end(last); ++p) marked[*p] = 1;
      std::size_t best = 0;
      Rank best_rank{-1, 0, 0};
      for (std::size_t i = 0; i < open.size(); ++i) {
        const Rank rank = any ? likeness(marked, last, open[i]) : Rank{size(open[i]), 0, sets_.weights[open[i]]};
        if (best_rank < rank) best_rank = rank, best = i;
      }
      if (any)
        for (const std::uint32_t* p = begin(last); p != end(last); ++p) marked[*p] = 0;
      last = open[best];
      any = true;
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(best));
      take(last);
    }
  }

  struct Rank {
    std::int64_t common, alike, weight;
    bool operator<(const Rank& other) const {
      if (common != other.common) return common < other.common;
      return alike != other.alike ? alike < other.alike : weight < other.weight;
    }
  };
  Rank likeness(const std::vector<std::uint8_t>& marked, std::uint32_t last, std::uint32_t s) const {
    std::int64_t common = 0;
    for (const std::uint32_t* p = begin(s); p != end(s); ++p) common += marked[*p];
    return {common, 2 * common - size(last) - size(s), sets_.weights[s]};
  }

  void take(std::uint32_t s) {
    placed_[s] = true;
    order_.push_back(s);
    for (const std::uint32_t* p = begin(s); p != end(s); ++p) left_[*p] -= sets_.weights[s];
  }

  const ShareSets& sets_;
  std::vector<bool> placed_;
  std::vector<std::vector<std::uint32_t>> members_;  // partition -> its sets
  std::vector<std::int64_t> left_;                   // partition -> vertices without a place
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::vector<std::uint32_t> share_order(const ShareSets& sets, std::uint32_t window) {
  return Chainer(sets).order(std::max(window, 1u));
}

}  // namespace subiso
