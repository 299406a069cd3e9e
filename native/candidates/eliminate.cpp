#include "candidates/eliminate.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <new>

#include "candidates/join.hpp"
#include "graph/parallel.hpp"

namespace subiso {
namespace {

constexpr double kGone = std::numeric_limits<double>::infinity();  // the price of what is eliminated, or too wide

class Eliminator {
 public:
  Eliminator(const CandidateGraph& graph, const std::vector<int>& block_of, const Limits& limits)
      : graph_(graph), block_of_(block_of), limits_(limits) {
    const int blocks = 1 + *std::max_element(block_of.begin(), block_of.end());
    variables_ = blocks;
    make_domains();
    for (const CandidateLink& link : graph.links) add_link(link);
  }

  Times run() {
    std::vector<int> changed(static_cast<std::size_t>(variables_));
    for (int v = 0; v < variables_; ++v) changed[static_cast<std::size_t>(v)] = v;
    price_.assign(static_cast<std::size_t>(variables_), 0);
    for (int left = variables_; left > 0; --left) {
      for (int v : changed) price_[static_cast<std::size_t>(v)] = cost(v);
      const int v = cheapest();
      remove(v);
      price_[static_cast<std::size_t>(v)] = kGone;
      changed = scope_;
    }
    return product_;
  }

  std::uint64_t steps() const { return steps_; }

 private:
  // The points that all members of a block may fall on, and what each weighs.
  void make_domains() {
    domain_.resize(static_cast<std::size_t>(variables_));
    weight_.resize(static_cast<std::size_t>(variables_));
    std::vector<bool> begun(static_cast<std::size_t>(variables_), false);
    for (std::size_t u = 0; u < block_of_.size(); ++u) {
      auto& domain = domain_[static_cast<std::size_t>(block_of_[u])];
      if (!begun[static_cast<std::size_t>(block_of_[u])]) {
        domain = graph_.points[u];
        begun[static_cast<std::size_t>(block_of_[u])] = true;
        continue;
      }
      std::vector<std::uint32_t> both;
      std::set_intersection(domain.begin(), domain.end(), graph_.points[u].begin(), graph_.points[u].end(),
                            std::back_inserter(both));
      domain = std::move(both);
    }
    for (std::size_t b = 0; b < domain_.size(); ++b) {
      sizes_.push_back(static_cast<std::uint32_t>(domain_[b].size()));
      for (std::uint32_t point : domain_[b]) weight_[b].push_back(graph_.weight[point]);
    }
  }

  // Number of query vertex u's candidate -> its number in the block's domain, or none.
  std::vector<std::uint32_t> places(int u) const {
    const auto& points = graph_.points[static_cast<std::size_t>(u)];
    const auto& domain = domain_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(u)])];
    std::vector<std::uint32_t> result(points.size(), UINT32_MAX);
    std::size_t j = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      while (j < domain.size() && domain[j] < points[i]) ++j;
      if (j < domain.size() && domain[j] == points[i]) result[i] = static_cast<std::uint32_t>(j);
    }
    return result;
  }

  void add_link(const CandidateLink& link) {
    const int x = block_of_[static_cast<std::size_t>(link.a)], y = block_of_[static_cast<std::size_t>(link.b)];
    const std::vector<std::uint32_t> at_a = places(link.a), at_b = places(link.b);
    if (x == y) return add_loop(link, x, at_a, at_b);
    Factor factor{{x, y}, {}, {}};
    for (std::uint32_t i = 0; i < at_a.size(); ++i) {
      if (at_a[i] == UINT32_MAX) continue;
      for (std::uint32_t j : link.ahead[i]) {
        if (at_b[j] == UINT32_MAX) continue;
        factor.rows.push_back(at_a[i]);
        factor.rows.push_back(at_b[j]);
      }
    }
    factors_.push_back(std::move(factor));
  }

  // Both ends fall on the same vertex, which then has to be its own neighbour.
  void add_loop(const CandidateLink& link, int x, const std::vector<std::uint32_t>& at_a,
                const std::vector<std::uint32_t>& at_b) {
    auto& weight = weight_[static_cast<std::size_t>(x)];
    std::vector<bool> looped(weight.size(), false);
    for (std::uint32_t i = 0; i < at_a.size(); ++i)
      for (std::uint32_t j : link.ahead[i])
        if (at_a[i] != UINT32_MAX && at_a[i] == at_b[j]) looped[at_a[i]] = true;
    for (std::size_t i = 0; i < weight.size(); ++i)
      if (!looped[i]) weight[i] = 0;
  }

  // The variables that a variable's factors speak of, apart from itself.
  std::vector<int> scope(int v) const {
    std::vector<int> found;
    for (const Factor& f : factors_)
      if (f.column(v) >= 0)
        for (int u : f.variables)
          if (u != v && std::find(found.begin(), found.end(), u) == found.end()) found.push_back(u);
    return found;
  }

  // Rows looked at when a variable is eliminated now: for each of its values the product of its factors' rows.
  double cost(int v) const {
    if (!Join::fits(scope(v), sizes_)) return kGone;
    std::vector<double> product(domain_[static_cast<std::size_t>(v)].size(), 1.0), rows(product.size());
    for (const Factor& f : factors_) {
      const int column = f.column(v);
      if (column < 0) continue;
      std::fill(rows.begin(), rows.end(), 0.0);
      for (std::size_t i = 0; i < f.num_rows(); ++i) ++rows[f.row(i)[column]];
      for (std::size_t x = 0; x < product.size(); ++x) product[x] *= rows[x];
    }
    double sum = 0;
    for (double p : product) sum += p;
    return sum;
  }

  int cheapest() const {
    const auto best = std::min_element(price_.begin(), price_.end());
    if (*best == kGone) throw Failure{Elimination::kTooWide};
    if (static_cast<double>(steps_) + *best > static_cast<double>(limits_.rows)) throw Failure{Elimination::kTooMuch};
    return static_cast<int>(best - price_.begin());
  }

  void remove(int v) {
    scope_ = scope(v);
    std::vector<Factor> own, checked, others;
    for (Factor& f : factors_) {
      const bool inside = std::all_of(f.variables.begin(), f.variables.end(), [&](int u) {
        return std::find(scope_.begin(), scope_.end(), u) != scope_.end();
      });
      (f.column(v) >= 0 ? own : inside ? checked : others).push_back(std::move(f));
    }
    factors_ = std::move(others);
    Join join(v, scope_, sizes_, own, checked, {limits_.rows - std::min(limits_.rows, steps_), limits_.stop});
    join.run(weight_[static_cast<std::size_t>(v)]);
    steps_ += join.steps();
    keep(join);
  }

  // What was found becomes a factor, a weight, or part of the result.
  void keep(const Join& join) {
    if (scope_.empty()) {
      product_ = multiplied(product_, join.total());
    } else if (scope_.size() == 1) {
      auto& weight = weight_[static_cast<std::size_t>(scope_[0])];
      for (std::size_t x = 0; x < weight.size(); ++x) weight[x] = multiplied(weight[x], join.single()[x]);
    } else {
      factors_.push_back(join.factor());
    }
  }

  const CandidateGraph& graph_;
  const std::vector<int>& block_of_;
  const Limits limits_;
  int variables_ = 0;
  std::vector<std::vector<std::uint32_t>> domain_;  // variable -> points, by value
  std::vector<std::uint32_t> sizes_;                // variable -> how many values
  std::vector<std::vector<Times>> weight_;          // variable -> by value: how often it counts
  std::vector<Factor> factors_;
  std::vector<double> price_;  // variable -> rows looked at when it is eliminated now
  Times product_ = 1;
  std::uint64_t steps_ = 0;
  std::vector<int> scope_;  // of the variable that was eliminated last
};

}  // namespace

Eliminated eliminate(const CandidateGraph& graph, const std::vector<int>& block_of, const Limits& limits) {
  Eliminated result;
  try {
    Eliminator eliminator(graph, block_of, limits);
    const Times total = eliminator.run();
    result.steps = eliminator.steps();
    if (total >> 127) throw Failure{Elimination::kOverflow};
    result.total = static_cast<Count>(total);
  } catch (const Failure& failure) {
    result.status = failure.status;
  } catch (const std::bad_alloc&) {
    result.status = Elimination::kTooMuch;
  }
  return result;
}

Eliminated eliminate_all(const CandidateGraph& graph, const std::vector<std::vector<int>>& partitions,
                         const std::vector<std::int64_t>& coefficients, const Limits& limits, unsigned threads) {
  Eliminated sum;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  run_threads(std::max(1u, std::min(threads, static_cast<unsigned>(partitions.size()))), [&](unsigned) {
    for (std::size_t i; (i = next.fetch_add(1)) < partitions.size();) {
      std::uint64_t left = 0;
      {
        std::lock_guard lock(mutex);
        if (sum.status != Elimination::kDone) return;
        left = limits.rows > sum.steps ? limits.rows - sum.steps : 0;
      }
      const Eliminated part = eliminate(graph, partitions[i], {left, limits.stop});
      std::lock_guard lock(mutex);
      sum.steps += part.steps;
      if (part.status != Elimination::kDone) sum.status = part.status;
      Count product = 0;
      if (__builtin_mul_overflow(part.total, Count{coefficients[i]}, &product) ||
          __builtin_add_overflow(sum.total, product, &sum.total))
        sum.status = Elimination::kOverflow;
    }
  });
  return sum;
}

}  // namespace subiso
