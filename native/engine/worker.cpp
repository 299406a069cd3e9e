#include "engine/worker.hpp"

#include <algorithm>

#include "engine/accept.hpp"
#include "engine/terms.hpp"

namespace subiso {

Worker::Worker(const Inputs& in, Scheduler& scheduler)
    : in_(in),
      program_(in.program),
      scheduler_(scheduler),
      sets_(in),
      edges_(in),
      local_(in, scheduler),
      last_level_(static_cast<int>(in.program.levels.size()) - 1),
      linear_(is_linear(in.program)),
      tail_(in, sets_),
      sizes_(in.program.sizes.size()) {}

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
  scheduler_.add(total_, overflow_);
  total_ = 0;
}

void Worker::run_seeds() {
  std::size_t begin = 0, end = 0;
  while (!scheduler_.stopped() && !leaving_ && scheduler_.take_seeds(begin, end)) {
    first_level_ = 0;
    frames_[0] = {in_.seeds + begin, in_.seeds + end};
    iterate(0);
  }
}

void Worker::run_task(const Task& task) {
  first_level_ = static_cast<int>(task.prefix.size());
  for (int level = 0; level < first_level_; ++level) {
    sets_.bind(level, task.prefix[static_cast<std::size_t>(level)]);
    for (int set : program_.levels[static_cast<std::size_t>(level)].sets) sets_.compute(set);
  }
  frames_[first_level_] = {task.candidates.data(), task.candidates.data() + task.candidates.size()};
  if (first_level_ == 1 && program_.local_relation != kNone && local_.enter(sets_.match[0]) == LocalSearch::kFits)
    iterate_local();
  else
    iterate(first_level_);
}

void Worker::iterate(int level) {
  if (level == last_level_) {
    if (program_.emit) return emit_innermost();
    return count_innermost();
  }
  const Level& l = program_.levels[static_cast<std::size_t>(level)];
  const Level& below = program_.levels[static_cast<std::size_t>(level) + 1];
  Frame& frame = frames_[level];
  while (frame.next != frame.end) {
    if (interrupted(level)) return;
    if (!take(level, *frame.next++)) continue;
    LocalSearch::Size local = LocalSearch::kTooLarge;
    if (level == 0 && program_.local_relation != kNone) local = local_.enter(sets_.match[0]);
    if (local == LocalSearch::kTooSmall) continue;
    if (local == LocalSearch::kTooLarge)
      for (int set : l.sets) sets_.compute(set);
    const Span s = sets_.slice(below.expression);
    frames_[level + 1] = {s.begin(), s.end()};
    if (local == LocalSearch::kFits)
      iterate_local();
    else
      iterate(level + 1);
  }
}

// Level 1 of a local search; everything below it happens on bit rows.
void Worker::iterate_local() {
  const Level& l = program_.levels[1];
  Frame& frame = frames_[1];
  while (frame.next != frame.end) {
    if (interrupted(1)) return;
    const std::uint32_t v = *frame.next++;
    if (!accepts(in_, l, sets_.match, v)) continue;
    const Count total_before = total_;
    const bool overflow_before = overflow_;
    const bool brief = steps_left_ != INT64_MAX;
    std::int64_t steps = steps_left_;
    const bool all = local_.count_below(v, steps, total_, overflow_);
    if (all && brief) steps_left_ = steps;
    if (all || scheduler_.stopped()) continue;
    // A brief run is out of steps: forget the part that was counted and leave all of it to the others.
    total_ = total_before;
    overflow_ = overflow_before;
    steps_left_ = 0;
    --frame.next;
  }
}

bool Worker::take(int level, std::uint32_t v) {
  const Level& l = program_.levels[static_cast<std::size_t>(level)];
  if (!l.plain() && !accepts(in_, l, sets_.match, v)) return false;
  sets_.bind(level, v);
  return l.edges.empty() || edges_.possible(level, sets_.match);
}

void Worker::count_innermost() {
  const Level& l = program_.levels.back();
  Frame& frame = frames_[last_level_];
  if (!tail_.begin(static_cast<std::size_t>(frame.end - frame.next))) return;
  std::uint64_t sum = 0;
  const bool summable = linear_ && l.plain() && l.sets.empty() && l.edges.empty();
  while (frame.next != frame.end) {
    if (interrupted(last_level_)) break;
    if (summable && tail_.all_counted()) {
      sum += tail_.sum_over({frame.next, static_cast<std::size_t>(frame.end - frame.next)});
      frame.next = frame.end;
      break;
    }
    const std::uint32_t v = *frame.next++;
    if (!take(last_level_, v)) continue;
    for (int set : l.sets) sets_.compute(set);
    tail_.evaluate(v, sizes_.data());
    if (linear_)
      sum += sizes_[0];
    else
      add_terms(program_, sizes_.data(), total_, overflow_);
  }
  if (linear_) add_linear(program_, sum, total_, overflow_);
  tail_.end();
}

void Worker::emit_innermost() {
  const std::size_t width = program_.levels.size();
  const auto last_column = static_cast<std::size_t>(program_.column_of.back());
  Frame& frame = frames_[last_level_];
  std::uint32_t row[kMaxLevels];
  for (std::size_t i = 0; i + 1 < width; ++i)
    row[program_.column_of[i]] = in_.vertex_at[sets_.match[i]];
  while (frame.next != frame.end) {
    if (interrupted(last_level_)) return;
    if (!take(last_level_, *frame.next++)) continue;
    row[last_column] = in_.vertex_at[sets_.match[last_level_]];
    rows_.insert(rows_.end(), row, row + width);
    if (rows_.size() >= in_.batch_rows * width) flush_rows();
  }
}

void Worker::flush_rows() {
  const bool on_calling_thread = steps_left_ != INT64_MAX;
  scheduler_.push_batch(std::move(rows_), !on_calling_thread);
  rows_ = Batch();
}

bool Worker::interrupted(int level) {
  if (scheduler_.stopped() || leaving_) return true;
  if (steps_left_ != INT64_MAX && --steps_left_ < 0) {
    give_away(level, true);
    leaving_ = true;
    return true;
  }
  if (scheduler_.hungry()) give_away(level, false);
  return false;
}

void Worker::give_away(int level, bool everything) {
  constexpr std::ptrdiff_t kWorthwhile = 32;  // candidates of the innermost loop that are worth a task
  for (int i = first_level_; i <= level; ++i) {
    Frame& frame = frames_[i];
    const std::ptrdiff_t left = frame.end - frame.next;
    const std::ptrdiff_t given = everything || i < level ? (everything ? left : (left + 1) / 2) : left / 2;
    if (given <= 0 || (!everything && i == last_level_ && given < kWorthwhile)) continue;
    Task task;
    task.prefix.assign(sets_.match, sets_.match + i);
    task.candidates.assign(frame.end - given, frame.end);
    frame.end -= given;
    scheduler_.give(std::move(task));
    if (!everything) return;
  }
}

}  // namespace subiso
