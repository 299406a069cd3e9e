#include "candidates/search.hpp"

#include <algorithm>
#include <numeric>

namespace subiso {

constexpr std::size_t kElementsPerStep = 8;  // of a list that is summed over
constexpr std::size_t kIntersectedPerStep = 32;
constexpr std::uint64_t kFirstLook = 16;     // part of the steps after which it is looked how far they lead, ...
constexpr std::uint64_t kNextLook = 2;       // ... and how many times as many until the next look
constexpr std::uint64_t kPoll = 1u << 14;    // steps between two looks whether to stop: less than a millisecond

CandidateSearch::CandidateSearch(const CandidateGraph& graph, const CsrStore& store,
                                 const std::vector<QueryLink>& forbidden, const SearchOptions& options)
    : graph_(graph),
      store_(store),
      options_(options),
      ops_(choose_setops(nullptr)),
      number_(graph.points.size()),
      point_(graph.points.size()),
      depth_of_(graph.points.size()),
      used_(graph.vertex.size(), 0),
      limit_(options.max_steps < kFirstLook ? options.max_steps : options.max_steps / kFirstLook) {
  const SearchOrder order = search_order(graph, options.injective, forbidden.empty() && options.max_rows == 0);
  matched_ = order.matched;
  for (std::size_t depth = 0; depth < order.vertices.size(); ++depth)
    depth_of_[static_cast<std::size_t>(order.vertices[depth])] = depth;
  const auto depth_of = [&](int v) { return depth_of_[static_cast<std::size_t>(v)]; };
  for (int v : order.vertices) {
    Level level{v, VertexSet{1} << v, {}, {}, {}};
    const auto depend = [&](int u) { level.ancestors |= levels_[depth_of(u)].ancestors; };
    for (const CandidateLink& link : graph.links) {
      const bool from_a = link.b == v;
      if (!from_a && link.a != v) continue;
      const int u = from_a ? link.a : link.b;
      if (depth_of(u) >= depth_of(v)) continue;
      level.lists.push_back(from_a ? &link.ahead : &link.back);
      level.owners.push_back(u);
      depend(u);
    }
    for (const QueryLink& f : forbidden)
      if ((f.a == v && depth_of(f.b) < depth_of(v)) || (f.b == v && depth_of(f.a) < depth_of(v)))
        level.forbidden.push_back(f);
    levels_.push_back(std::move(level));
  }
  for (const std::vector<int>& group : order.groups) {
    groups_.emplace_back();
    for (int v : group) groups_.back().push_back(depth_of(v));
  }
  std::size_t most = 0;
  for (const auto& points : graph.points) most = std::max(most, points.size());
  buffers_.assign(levels_.size(), std::vector<std::uint32_t>(most + kSlack));
  spare_ = buffers_;
  spans_.resize(levels_.size());
  begun_.resize(levels_.size());
  out_of_.resize(levels_.size());
  everything_.resize(most);
  std::iota(everything_.begin(), everything_.end(), 0u);
}

SearchResult CandidateSearch::run() {
  for (const auto& points : graph_.points)
    if (points.empty()) return result_;
  visit(0, 1);
  return result_;
}

bool CandidateSearch::step() {
  ++result_.steps;
  if (stopped()) return result_.complete = false;
  if (result_.steps <= limit_) return true;
  const auto steps = static_cast<double>(result_.steps), most = static_cast<double>(options_.max_steps);
  const bool may_fail_soon = options_.failing_sets && result_.total == 0 && result_.rows.empty();
  result_.complete = result_.steps <= options_.max_steps && (may_fail_soon || steps <= done() * most);
  limit_ = limit_ > options_.max_steps / kNextLook ? options_.max_steps : limit_ * kNextLook;
  return result_.complete;
}

bool CandidateSearch::stopped() {
  if (result_.steps < poll_) return false;
  poll_ = result_.steps + kPoll;
  return result_.overflow || !still_wanted(options_.stop);
}

double CandidateSearch::done() const {
  double done = 0, part = 1;
  for (std::size_t depth = 0; depth <= depth_ && depth < matched_; ++depth) {
    part /= out_of_[depth];
    done += (begun_[depth] - 1) * part;
  }
  return done;
}

Span CandidateSearch::candidates(std::size_t depth) {
  const Level& level = levels_[depth];
  const auto list = [&](std::size_t i) { return (*level.lists[i])[number_[static_cast<std::size_t>(level.owners[i])]]; };
  if (level.lists.empty())
    return {everything_.data(), graph_.points[static_cast<std::size_t>(level.vertex)].size()};
  Span found = list(0);
  std::uint32_t* target = buffers_[depth].data();
  for (std::size_t i = 1; i < level.lists.size() && found.size != 0; ++i) {
    const Span other = list(i);
    result_.steps += std::min(found.size + other.size, kGallopRatio * std::min(found.size, other.size)) / kIntersectedPerStep;
    found = {target, ops_.intersect(found, other, target)};
    target = target == buffers_[depth].data() ? spare_[depth].data() : buffers_[depth].data();
  }
  return found;
}

CandidateSearch::VertexSet CandidateSearch::users(std::uint32_t point) const {
  VertexSet found = 0;
  if (used_[point] == 0) return found;
  for (std::size_t d = 0; d < depth_; ++d)
    if (point_[static_cast<std::size_t>(levels_[d].vertex)] == point) found |= levels_[d].ancestors;
  return found;
}

bool CandidateSearch::allowed(const Level& level, std::uint32_t v) {
  for (const QueryLink& f : level.forbidden) {
    const int u = f.a == level.vertex ? f.b : f.a;
    const std::uint32_t other = graph_.vertex[point_[static_cast<std::size_t>(u)]];
    if (store_.has_edge(f.a == u ? other : v, f.a == u ? v : other, f.relation)) {
      failing_ = level.ancestors | levels_[depth_of_[static_cast<std::size_t>(u)]].ancestors;
      return false;
    }
  }
  return true;
}

bool CandidateSearch::visit(std::size_t depth, Count times) {
  if (depth == matched_) return options_.max_rows == 0 ? count_rest(times) : list_row();
  const Level& level = levels_[depth];
  const auto u = static_cast<std::size_t>(level.vertex);
  VertexSet reasons = level.ancestors;
  bool found = false;
  const Span own = candidates(depth);
  begun_[depth] = 0;
  out_of_[depth] = static_cast<double>(own.size);
  for (std::uint32_t i : own) {
    begun_[depth] += 1;
    if (!step()) return true;  // nothing is known to fail
    const std::uint32_t point = graph_.points[u][i];
    const std::uint32_t weight = left(point);
    if (weight == 0) {
      reasons |= users(point);
      continue;
    }
    if (!allowed(level, graph_.vertex[point])) {
      reasons |= failing_;
      continue;
    }
    Count longer = 0;
    result_.overflow |= __builtin_mul_overflow(times, Count{weight}, &longer);
    number_[u] = i;
    point_[u] = point;
    ++used_[point];
    depth_ = depth + 1;
    const bool fits = visit(depth + 1, longer);
    depth_ = depth;
    --used_[point];
    if (!result_.complete) return true;
    found |= fits;
    if (fits) continue;
    if (options_.failing_sets && !(failing_ >> level.vertex & 1)) return found;  // so would all others
    reasons |= failing_;
  }
  failing_ = reasons;
  return found;
}

bool CandidateSearch::list_row() {
  const auto vertex = [&](int u) { return graph_.vertex[point_[static_cast<std::size_t>(u)]]; };
  for (const auto& [low, high] : options_.restrictions)
    if (vertex(low) >= vertex(high)) return true;  // another row stands for this one
  for (std::uint32_t point : point_) result_.rows.push_back(graph_.vertex[point]);
  result_.complete = result_.rows.size() < options_.max_rows * point_.size();
  return true;
}

void CandidateSearch::add(Count value, Count times) {
  Count product = 0;
  result_.overflow |= __builtin_mul_overflow(value, times, &product);
  result_.overflow |= __builtin_add_overflow(result_.total, product, &result_.total);
}

bool CandidateSearch::count_rest(Count times) {
  Count ways = 1;
  for (auto& group : groups_) {
    VertexSet reasons = 0;
    for (std::size_t depth : group) {
      spans_[depth] = candidates(depth);
      reasons |= levels_[depth].ancestors;
      result_.steps += 1 + spans_[depth].size / kElementsPerStep;
      if (spans_[depth].size == 0) {
        failing_ = levels_[depth].ancestors;
        return false;
      }
    }
    std::sort(group.begin(), group.end(), [&](std::size_t x, std::size_t y) { return spans_[x].size < spans_[y].size; });
    const Count own = choices(group, 0);
    if (own == 0) {
      for (std::size_t depth : group)
        for (std::size_t i = 0; i < spans_[depth].size; ++i) reasons |= users(point_at(depth, i));
      failing_ = reasons;
      return false;
    }
    result_.overflow |= __builtin_mul_overflow(ways, own, &ways);
  }
  add(ways, times);
  return true;
}

Count CandidateSearch::sum_left(std::size_t depth) {
  Count sum = 0;
  result_.steps += spans_[depth].size / kElementsPerStep;
  for (std::size_t i = 0; i < spans_[depth].size; ++i) sum += left(point_at(depth, i));
  return sum;
}

// Points that are in both sets, each as often as a vertex of it may still be chosen.
Count CandidateSearch::shared_left(std::size_t one, std::size_t other) {
  Count sum = 0;
  result_.steps += (spans_[one].size + spans_[other].size) / kElementsPerStep;
  for (std::size_t i = 0, j = 0; i < spans_[one].size && j < spans_[other].size;) {
    const std::uint32_t x = point_at(one, i), y = point_at(other, j);
    if (x == y) sum += left(x);
    i += x <= y;
    j += y <= x;
  }
  return sum;
}

Count CandidateSearch::choices(const std::vector<std::size_t>& group, std::size_t first) {
  if (first + 1 == group.size()) return sum_left(group[first]);
  if (first + 2 == group.size())
    return sum_left(group[first]) * sum_left(group[first + 1]) - shared_left(group[first], group[first + 1]);
  Count sum = 0;
  for (std::size_t i = 0; i < spans_[group[first]].size; ++i) {
    const std::uint32_t point = point_at(group[first], i);
    const std::uint32_t weight = left(point);
    if (weight == 0) continue;
    // How far it is cannot be told here.
    if (!result_.complete || ++result_.steps > options_.max_steps || stopped()) {
      result_.complete = false;
      return 1;
    }
    ++used_[point];
    Count product = 0;
    result_.overflow |= __builtin_mul_overflow(choices(group, first + 1), Count{weight}, &product);
    result_.overflow |= __builtin_add_overflow(sum, product, &sum);
    --used_[point];
  }
  return sum;
}

}  // namespace subiso
