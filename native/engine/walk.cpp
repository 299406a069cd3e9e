#include "engine/walk.hpp"

#include <algorithm>
#include <atomic>

#include "engine/accept.hpp"
#include "engine/terms.hpp"
#include "graph/parallel.hpp"

namespace subiso {
namespace {

constexpr double kStep = 60;  // a vertex drawn: several cache misses, in elements of a list
constexpr double kOperation = 12;  // a set operation, apart from its elements

double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// The first index whose running sum is above `target`; the last if rounding leaves none.
std::size_t find_above(const double* sums, std::size_t size, double target) {
  const auto i = static_cast<std::size_t>(std::upper_bound(sums, sums + size, target) - sums);
  return std::min(i, size - 1);
}

double below_one(double u) { return std::clamp(u, 0.0, 1 - 0x1p-53); }

}  // namespace

void sum_lists(Csr csr, std::uint32_t num_vertices, const double* weight, const float* factor, double* sums,
               double* totals, unsigned threads) {
  constexpr std::uint32_t kChunk = 1024;
  std::atomic<std::uint32_t> next{0};
  const auto entries = static_cast<std::size_t>(csr.bounds[2 * std::size_t{num_vertices}]);
  run_threads(threads_up_to(entries, threads), [&](unsigned) {
    for (std::uint64_t begin; (begin = std::uint64_t{next.fetch_add(1)} * kChunk) < num_vertices;) {
      const std::uint64_t end = std::min<std::uint64_t>(begin + kChunk, num_vertices);
      for (std::uint64_t v = begin; v < end; ++v) {
        double total = 0;
        for (auto i = csr.bounds[2 * v]; i < csr.bounds[2 * v + 2]; ++i) {
          const double own = weight[csr.neighbors[i]];
          sums[i] = total += factor == nullptr ? own : own * static_cast<double>(factor[i]);
        }
        totals[v] = total;
      }
    }
  });
}

Walker::Walker(const Inputs& in, const WalkWeights& weights)
    : in_(in),
      plan_(in.program.only()),
      weights_(weights),
      last_(static_cast<int>(in.program.only().levels.size()) - 1),
      sets_(in),
      edges_(in),
      tail_(in, sets_, in.program.only(), last_),
      sizes_(in.program.only().sizes.size()) {}

double Walker::walk(double u, generate::Draws& draws) {
  double probability = 0;
  std::uint32_t v = in_.seeds[draw_seed(u, probability)];
  long double ways = 1 / static_cast<long double>(probability);
  for (int level = 0;; ++level) {
    tally_.work += kStep;
    if (level == last_) break;
    if (!take(level, v)) return 0;
    compute_sets(plan_.levels[static_cast<std::size_t>(level)]);
    prepare(level + 1, sets_.slice(plan_.levels[static_cast<std::size_t>(level) + 1].expression));
    const Draw drawn = draw(level == 0 ? u : uniform(draws.next()));
    if (drawn.probability <= 0) return 0;
    ways /= drawn.probability;
    v = candidates_.data[drawn.index];
  }
  tally_.reached += static_cast<double>(ways);
  if (!tail_.begin(1)) return 0;
  const double counted = take(last_, v) ? tail(v) : 0;
  tail_.end();
  return static_cast<double>(ways * counted);
}

std::size_t Walker::draw_seed(double& u, double& probability) const {
  const double* sums = weights_.seeds;
  const double total = sums[in_.num_seeds - 1], target = u * total;
  std::size_t i = find_above(sums, in_.num_seeds, target);
  while (i > 0 && sums[i] == sums[i - 1]) --i;  // rounding led to a seed that cannot be drawn
  const double before = i == 0 ? 0 : sums[i - 1], own = sums[i] - before;
  probability = own / total;
  u = below_one((target - before) / own);
  return i;
}

void Walker::prepare(int level, Span candidates) {
  const LevelWeights& weights = weights_.levels[static_cast<std::size_t>(level)];
  candidates_ = candidates;
  sums_ = nullptr;
  before_ = 0;
  total_ = static_cast<double>(candidates.size);
  if (candidates.size == 0) return;
  const Source& source = plan_.levels[static_cast<std::size_t>(level)].expression.source;
  if (weights.sums != nullptr) {
    const Span list = in_.store.neighbors(sets_.match[source.position], source.relation);
    const double* own = weights.sums + in_.store.entry_number(list.data, source.relation);
    sums_ = own + (candidates.data - list.data);
    before_ = candidates.data == list.data ? 0 : sums_[-1];
  } else if (weights.weight != nullptr) {
    if (scratch_.size() < candidates.size) scratch_.resize(candidates.size);
    double total = 0;
    for (std::size_t i = 0; i < candidates.size; ++i) scratch_[i] = total += weights.weight[candidates.data[i]];
    sums_ = scratch_.data();
    tally_.work += 2 * static_cast<double>(candidates.size);
  }
  if (sums_ != nullptr) total_ = sums_[candidates.size - 1] - before_;
}

Walker::Draw Walker::draw(double u) const {
  if (total_ <= 0) return {0, 0};
  if (sums_ == nullptr) {
    const double target = u * total_;
    const std::size_t i = std::min(static_cast<std::size_t>(target), candidates_.size - 1);
    return {i, 1 / total_};
  }
  const std::size_t i = find_above(sums_, candidates_.size, before_ + u * total_);
  const double own = sums_[i] - (i == 0 ? before_ : sums_[i - 1]);
  return {i, own / total_};
}

double Walker::tail(std::uint32_t v) {
  compute_sets(plan_.levels.back());
  tail_.evaluate(v, sizes_.data());
  for (const TailSize& size : plan_.sizes) tally_.work += cost_of(size.expression);
  Count counted = 0;
  add_terms(plan_, sizes_.data(), counted, tally_.overflow);
  return static_cast<double>(counted);
}

bool Walker::take(int level, std::uint32_t v) {
  const Level& l = plan_.levels[static_cast<std::size_t>(level)];
  if (!l.plain() && !accepts(in_, l, sets_.match, v)) return false;
  sets_.bind(level, v);
  return l.edges.empty() || edges_.possible(level, sets_.match);
}

void Walker::compute_sets(const Level& l) {
  for (int set : l.sets) {
    sets_.compute(set);
    tally_.work += cost_of(in_.program.sets[static_cast<std::size_t>(set)].expression);
  }
}

// Elements that an expression looks at: all lists, or the shortest many times over where it gallops.
double Walker::cost_of(const SetExpression& e) const {
  if (e.operands.empty()) return 1;
  double shortest = static_cast<double>(sets_.slice(e).size), sum = shortest;
  for (const Operand& o : e.operands) {
    const auto size = static_cast<double>(sets_.list_of(o, e.lower).size);
    sum += size;
    shortest = std::min(shortest, size);
  }
  return kOperation + std::min(sum, static_cast<double>(kGallopRatio) * shortest);
}

}  // namespace subiso
