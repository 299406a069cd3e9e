#include "candidates/order.hpp"

#include <algorithm>
#include <tuple>

namespace subiso {
namespace {

class Orderer {
 public:
  explicit Orderer(const CandidateGraph& graph)
      : graph_(graph),
        n_(graph.points.size()),
        near_(n_, std::vector<double>(n_, -1.0)),
        degree_(n_, 0),
        expected_(n_, -1.0),
        placed_(n_, false) {
    for (const CandidateLink& link : graph.links) {
      const auto a = static_cast<std::size_t>(link.a), b = static_cast<std::size_t>(link.b);
      const auto pairs = static_cast<double>(link.ahead.neighbors.size());
      degree_[a] += near_[a][b] < 0;
      degree_[b] += near_[a][b] < 0;
      note(near_[a][b], pairs / size(a));
      note(near_[b][a], pairs / size(b));
    }
  }

  std::vector<int> run() {
    std::vector<int> order;
    while (order.size() < n_) {
      std::size_t best = n_;
      for (std::size_t v = 0; v < n_; ++v)
        if (!placed_[v] && (best == n_ || rank(v) < rank(best))) best = v;
      placed_[best] = true;
      order.push_back(static_cast<int>(best));
      for (std::size_t v = 0; v < n_; ++v) {
        if (near_[best][v] < 0 || placed_[v]) continue;
        const double chance = std::min(1.0, near_[best][v] / size(v));
        expected_[v] = expected_[v] < 0 ? near_[best][v] : expected_[v] * chance;
      }
    }
    return order;
  }

  bool joined(int a, int b) const { return near_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] >= 0; }

 private:
  static void note(double& fan, double value) { fan = fan < 0 ? value : std::min(fan, value); }
  double size(std::size_t v) const { return static_cast<double>(std::max<std::size_t>(graph_.points[v].size(), 1)); }

  // Joined to what is placed; no leaf; few candidates.
  std::tuple<bool, bool, double> rank(std::size_t v) const {
    const bool reached = expected_[v] >= 0;
    return {!reached, degree_[v] < 2, reached ? expected_[v] : size(v) / std::max(degree_[v], 1)};
  }

  const CandidateGraph& graph_;
  std::size_t n_;
  std::vector<std::vector<double>> near_;  // mean number of candidates of the second next to one of the first; -1: none
  std::vector<int> degree_;
  std::vector<double> expected_;
  std::vector<bool> placed_;
};

bool overlap(const std::vector<std::uint32_t>& x, const std::vector<std::uint32_t>& y) {
  for (auto a = x.begin(), b = y.begin(); a != x.end() && b != y.end();) {
    if (*a == *b) return true;
    *a < *b ? ++a : ++b;
  }
  return false;
}

std::vector<std::vector<int>> groups_of(const CandidateGraph& graph, std::vector<int> left, bool injective) {
  std::vector<std::vector<int>> groups;
  while (!left.empty()) {
    std::vector<int> group{left.back()};
    left.pop_back();
    for (std::size_t i = 0; i < group.size() && injective; ++i)
      std::erase_if(left, [&](int v) {
        const bool meets = overlap(graph.points[static_cast<std::size_t>(group[i])], graph.points[static_cast<std::size_t>(v)]);
        if (meets) group.push_back(v);
        return meets;
      });
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

SearchOrder search_order(const CandidateGraph& graph, bool injective, bool counting) {
  Orderer orderer(graph);
  SearchOrder order{orderer.run(), graph.points.size(), {}};
  const auto apart = [&](int v) {
    return std::none_of(order.vertices.begin() + static_cast<std::ptrdiff_t>(order.matched), order.vertices.end(),
                        [&](int u) { return orderer.joined(u, v); });
  };
  while (counting && order.matched > 1 && apart(order.vertices[order.matched - 1])) --order.matched;
  order.groups = groups_of(graph, {order.vertices.begin() + static_cast<std::ptrdiff_t>(order.matched), order.vertices.end()},
                           injective);
  return order;
}

}  // namespace subiso
