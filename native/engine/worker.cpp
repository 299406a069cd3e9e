#include "engine/worker.hpp"

#include <algorithm>

#include "engine/accept.hpp"
#include "engine/terms.hpp"

namespace subiso {

Worker::Worker(const Inputs& in, Scheduler& scheduler, const TallyStore* store, int number)
    : in_(in),
      program_(in.program),
      scheduler_(scheduler),
      sets_(in),
      edges_(in),
      tally_(store == nullptr ? nullptr : std::make_unique<Tally>(in, sets_, *store, number)),
      local_(in, scheduler, tally_ ? &tally_->sink() : nullptr),
      last_level_(static_cast<int>(in.program.levels.size()) - 1),
      linear_(is_linear(in.program) && in.program.parts.empty()),
      looks_up_(linear_ && in.program.levels.back().plain()),
      tail_(in, sets_, in.program, last_level_),
      sizes_(in.program.sizes.size()) {
  for (const Part& part : program_.parts) parts_.emplace_back(in, sets_, scheduler, part);
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
  if (tally_) local_.leave();
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
    sets_.compute_at(program_.levels[static_cast<std::size_t>(level)]);
  }
  frames_[first_level_] = {task.candidates.data(), task.candidates.data() + task.candidates.size()};
  const Count before = total_;
  if (first_level_ == 1 && program_.local_relation != kNone && local_.enter(sets_.match[0]) == LocalSearch::kFits)
    iterate_local();
  else
    iterate(first_level_);
  if (tally_)
    for (int level = 0; level < first_level_; ++level) tally_->subtree(level, added_since(before, total_));
}

void Worker::iterate(int level) {
  if (level == last_level_) {
    if (program_.emit) return emit_innermost();
    return tally_ ? tally_innermost() : count_innermost();
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
    if (local == LocalSearch::kTooLarge) sets_.compute_at(l);
    const Span s = sets_.slice(below.expression);
    frames_[level + 1] = {s.begin(), s.end()};
    const Count before = total_;
    if (local == LocalSearch::kFits)
      iterate_local();
    else
      iterate(level + 1);
    if (tally_) tally_->subtree(level, added_since(before, total_));
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
    if (tally_) {
      sets_.bind(1, v);
      tally_->subtree(1, added_since(total_before, total_));
    }
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
  while (frame.next != frame.end) {
    if (interrupted(last_level_)) break;
    if (parts_.empty() && tail_.all_counted()) {
      add_powers(program_, tail_.sum_over({frame.next, static_cast<std::size_t>(frame.end - frame.next)}), total_,
                 overflow_);
      frame.next = frame.end;
      break;
    }
    const std::uint32_t v = *frame.next++;
    if (!take(last_level_, v)) continue;
    sets_.compute_at(l);
    tail_.evaluate(v, sizes_.data());
    if (linear_)
      sum += sizes_[0];
    else if (parts_.empty())
      add_terms(program_, sizes_.data(), total_, overflow_);
    else
      add_product();
  }
  if (linear_) add_linear(program_, sum, total_, overflow_);
  tail_.end();
}

void Worker::add_product() {
  Count product = 0;
  std::int64_t steps = 0;
  add_terms(program_, sizes_.data(), product, overflow_);
  for (PartCounter& part : parts_) {
    if (product == 0) break;
    const Count count = part.count(steps, overflow_);
    for (int i = 0; i < part.power(); ++i) overflow_ |= __builtin_mul_overflow(product, count, &product);
  }
  if (scheduler_.stopped()) return;
  add_to(product, total_, overflow_);
  if (steps_left_ != INT64_MAX) steps_left_ -= std::min(steps_left_, steps / 8);
}

// The innermost loop with local counts. Where the tail's elements get no share of their own, sizes come as in a count.
void Worker::tally_innermost() {
  const Level& l = program_.levels.back();
  Frame& frame = frames_[last_level_];
  const bool scatters = tally_->scatters();
  if (scatters)
    tally_->begin();
  else if (!tail_.begin(static_cast<std::size_t>(frame.end - frame.next)))
    return;
  while (frame.next != frame.end && !interrupted(last_level_)) {
    const std::uint32_t v = *frame.next++;
    if (!scatters && looks_up_ && tail_.all_counted()) {
      const Count part = program_.terms[0].coefficient * static_cast<Count>(tail_.counted(v));
      add_to(part, total_, overflow_);
      sets_.match[last_level_] = v;
      tally_->subtree(last_level_, part);
      continue;
    }
    if (!take(last_level_, v)) continue;
    sets_.compute_at(l);
    if (scatters)
      tally_->evaluate(sizes_.data());
    else
      tail_.evaluate(v, sizes_.data());
    const Count before = total_;
    add_terms(program_, sizes_.data(), total_, overflow_);
    tally_->subtree(last_level_, added_since(before, total_));
    if (scatters) tally_->share(sizes_.data());
  }
  if (scatters)
    tally_->end();
  else
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
