#include "engine/worker.hpp"

#include <algorithm>

#include "engine/accept.hpp"

namespace subiso {

Worker::Worker(const Inputs& in, Scheduler& scheduler, const TallyStore* store, int number)
    : in_(in),
      program_(in.program),
      scheduler_(scheduler),
      sets_(in),
      edges_(in),
      tally_(store == nullptr ? nullptr : std::make_unique<Tally>(in, sets_, *store, number)),
      sums_(in.program.leaves.size()),
      locals_(in.program.nodes.size()),
      looks_up_(is_linear(in.program.only()) && in.program.only().levels.back().plain()) {
  std::vector<std::shared_ptr<TailSizes>> sizes(program_.leaves.size());
  for (const Node& node : program_.nodes) {
    const auto shared = std::make_shared<TailSizes>(in, sets_, node.level, node.sizes, node.depth);
    for (int leaf : node.ends) sizes[static_cast<std::size_t>(leaf)] = shared;
  }
  for (std::size_t i = 0; i < program_.leaves.size(); ++i)
    counters_.emplace_back(in, sets_, scheduler, program_.leaves[i], std::move(sizes[i]), sums_[i]);
  for (std::size_t i = 0; i < program_.nodes.size(); ++i)
    if (program_.nodes[i].local.wanted())
      locals_[i] = std::make_unique<LocalSearch>(in, scheduler, program_.nodes[i], tally_ ? &tally_->sink() : nullptr);
}

void Worker::run() {
  run_seeds();
  Task task;
  while (scheduler_.take_task(task)) run_task(task);
  finish();
}

bool Worker::run_briefly(std::int64_t steps) {
  steps_left_ = steps;
  run_seeds();
  finish();
  return !leaving_;
}

void Worker::finish() {
  if (!rows_.empty()) flush_rows();
  if (tally_)
    for (const auto& local : locals_)
      if (local) local->leave();
  scheduler_.add(sums_);
}

void Worker::run_seeds() {
  std::size_t begin = 0, end = 0;
  while (!scheduler_.stopped() && !leaving_ && scheduler_.take_seeds(begin, end)) {
    first_depth_ = 0;
    frames_[0] = {0, in_.seeds + begin, in_.seeds + end};
    iterate(0);
  }
}

void Worker::run_task(const Task& task) {
  first_depth_ = static_cast<int>(task.prefix.size());
  for (int at = node_at(task.node).parent; at != kNone; at = node_at(at).parent) frames_[node_at(at).depth].node = at;
  for (int depth = 0; depth < first_depth_; ++depth) {
    sets_.bind(depth, task.prefix[static_cast<std::size_t>(depth)]);
    sets_.compute_at(node_at(frames_[depth].node).level);
  }
  frames_[first_depth_] = {task.node, task.candidates.data(), task.candidates.data() + task.candidates.size()};
  const Count before = sums_[0].total;
  counted_ = &task.counted;
  search(task.node);
  counted_ = nullptr;
  if (tally_)
    for (int depth = 0; depth < first_depth_; ++depth) tally_->subtree(depth, added_since(before, sums_[0].total));
}

void Worker::descend(int child) {
  const Node& node = node_at(child);
  const Span s = sets_.slice(node.level.expression);
  if (s.size < static_cast<std::size_t>(node.level.least)) return;
  frames_[node.depth] = {child, s.begin(), s.end()};
  if (!leaving_) return search(child);
  give(frames_[node.depth], static_cast<std::ptrdiff_t>(s.size), false);  // its turn has not come
}

void Worker::search(int node) {
  LocalSearch* local = locals_[static_cast<std::size_t>(node)].get();
  const LocalSearch::Size size = local == nullptr ? LocalSearch::kTooLarge : local->enter(sets_.match[0]);
  if (size == LocalSearch::kFits) return iterate_local(node);
  if (size == LocalSearch::kTooLarge) iterate(node);
}

void Worker::iterate(int number) {
  const Node& node = node_at(number);
  if (!node.ends.empty()) {
    if (program_.emit) return emit_innermost();
    if (tally_) return tally_innermost();
    begin_ends(node);
  }
  Frame& frame = frames_[node.depth];
  while (frame.next != frame.end) {
    if (interrupted(node.depth)) break;
    if (!node.ends.empty() && all_added(node)) break;
    if (!take(number, *frame.next++)) continue;
    sets_.compute_at(node.level);
    for (int leaf : node.ends) {
      if (!counter(leaf).open()) continue;
      const std::int64_t steps = counter(leaf).add(sets_.match[node.depth]);
      if (steps_left_ != INT64_MAX) steps_left_ -= std::min(steps_left_, steps / 8);
    }
    const Count before = sums_[0].total;
    for (int child : node.children) descend(child);
    if (tally_) tally_->subtree(node.depth, added_since(before, sums_[0].total));
  }
  for (int leaf : node.ends) counter(leaf).close();
}

void Worker::begin_ends(const Node& node) {
  const Frame& frame = frames_[node.depth];
  for (int leaf : node.ends) {
    const bool counted = counted_ != nullptr && std::find(counted_->begin(), counted_->end(), leaf) != counted_->end();
    if (!counted) counter(leaf).begin(frame.rest().size);
  }
  counted_ = nullptr;
}

bool Worker::all_added(const Node& node) {
  Frame& frame = frames_[node.depth];
  bool open = false;
  for (int leaf : node.ends) {
    if (counter(leaf).open()) counter(leaf).add_rest(frame.rest());
    open |= counter(leaf).open();
  }
  if (open || !node.children.empty()) return false;
  frame.next = frame.end;
  return true;
}

// Level 1 of a local search; everything below it happens on bit rows.
void Worker::iterate_local(int number) {
  const Node& node = node_at(number);
  LocalSearch& local = *locals_[static_cast<std::size_t>(number)];
  Frame& frame = frames_[1];
  std::vector<LeafSum> before;
  while (frame.next != frame.end) {
    if (interrupted(1)) return;
    const std::uint32_t v = *frame.next++;
    if (!accepts(in_, node.level, sets_.match, v)) continue;
    const bool brief = steps_left_ != INT64_MAX;
    const Count total_before = sums_[0].total;
    if (brief) before = sums_;
    std::int64_t steps = steps_left_;
    const bool all = local.count_below(v, steps, sums_);
    if (all && brief) steps_left_ = steps;
    if (tally_) {
      sets_.bind(1, v);
      tally_->subtree(1, added_since(total_before, sums_[0].total));
    }
    if (all || scheduler_.stopped()) continue;
    // A brief run is out of steps: forget the part that was counted and leave all of it to the others.
    std::copy(before.begin(), before.end(), sums_.begin());  // counters refer to them
    steps_left_ = 0;
    --frame.next;
  }
}

bool Worker::take(int number, std::uint32_t v) {
  const Node& node = node_at(number);
  const Level& l = node.level;
  if (!l.plain() && !accepts(in_, l, sets_.match, v)) return false;
  sets_.bind(node.depth, v);
  return l.edges.empty() || edges_.possible(number, sets_.match);
}

// The innermost loop with local counts. Where the tail's elements get no share of their own, sizes come as in a count.
void Worker::tally_innermost() {
  const Leaf& plan = program_.only();
  const int last = static_cast<int>(plan.levels.size()) - 1;
  InnerTail& tail = counters_[0].tail();
  std::uint64_t* sizes = counters_[0].sizes();
  LeafSum& sum = sums_[0];
  Frame& frame = frames_[last];
  const bool scatters = tally_->scatters();
  if (scatters)
    tally_->begin();
  else if (!tail.begin(frame.rest().size))
    return;
  while (frame.next != frame.end && !interrupted(last)) {
    const std::uint32_t v = *frame.next++;
    if (!scatters && looks_up_ && tail.all_counted()) {
      const Count part = plan.terms[0].coefficient * static_cast<Count>(tail.counted(v));
      add_to(part, sum.total, sum.overflow);
      sets_.match[last] = v;
      tally_->subtree(last, part);
      continue;
    }
    if (!take(last, v)) continue;
    sets_.compute_at(plan.levels.back());
    if (scatters)
      tally_->evaluate(sizes);
    else
      tail.evaluate(v, sizes);
    const Count before = sum.total;
    add_terms(plan, sizes, sum.total, sum.overflow);
    tally_->subtree(last, added_since(before, sum.total));
    if (scatters) tally_->share(sizes);
  }
  scheduler_.check(sum);
  if (scatters)
    tally_->end();
  else
    tail.end();
}

void Worker::emit_innermost() {
  const std::size_t width = program_.only().levels.size();
  const int last = static_cast<int>(width) - 1;
  const auto last_column = static_cast<std::size_t>(program_.column_of.back());
  Frame& frame = frames_[last];
  std::uint32_t row[kMaxLevels];
  for (std::size_t i = 0; i + 1 < width; ++i)
    row[program_.column_of[i]] = in_.vertex_at[sets_.match[i]];
  while (frame.next != frame.end) {
    if (interrupted(last)) return;
    if (!take(last, *frame.next++)) continue;
    row[last_column] = in_.vertex_at[sets_.match[last]];
    rows_.insert(rows_.end(), row, row + width);
    if (rows_.size() >= in_.batch_rows * width) flush_rows();
  }
}

void Worker::flush_rows() {
  const bool on_calling_thread = steps_left_ != INT64_MAX;
  scheduler_.push_batch(std::move(rows_), !on_calling_thread);
  rows_ = Batch();
}

bool Worker::interrupted(int depth) {
  if (scheduler_.stopped() || leaving_) return true;
  if (steps_left_ != INT64_MAX && --steps_left_ < 0) {
    give_away(depth, true);
    leaving_ = true;
    return true;
  }
  if (scheduler_.hungry()) give_away(depth, false);
  return false;
}

void Worker::give_away(int depth, bool everything) {
  constexpr std::ptrdiff_t kWorthwhile = 32;  // candidates of the innermost loop that are worth a task
  for (int i = first_depth_; i <= depth; ++i) {
    Frame& frame = frames_[i];
    const std::ptrdiff_t left = frame.end - frame.next;
    const std::ptrdiff_t given = everything || i < depth ? (everything ? left : (left + 1) / 2) : left / 2;
    const bool innermost = node_at(frame.node).children.empty();
    if (given <= 0 || (!everything && innermost && given < kWorthwhile)) continue;
    give(frame, given, true);
    frame.end -= given;
    if (!everything) return;
  }
}

void Worker::give(const Frame& frame, std::ptrdiff_t candidates, bool begun) {
  if (candidates == 0) return;
  const Node& node = node_at(frame.node);
  Task task;
  task.node = frame.node;
  task.prefix.assign(sets_.match, sets_.match + node.depth);
  task.candidates.assign(frame.end - candidates, frame.end);
  if (begun && !program_.emit && !tally_)
    for (int leaf : node.ends)
      if (!counter(leaf).open()) task.counted.push_back(leaf);
  scheduler_.give(std::move(task));
}

}  // namespace subiso
