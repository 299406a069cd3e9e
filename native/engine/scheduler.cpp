#include "engine/scheduler.hpp"

#include <algorithm>
#include <chrono>

namespace subiso {

bool Scheduler::take_seeds(std::size_t& begin, std::size_t& end) {
  begin = next_seed_.fetch_add(chunk_, std::memory_order_relaxed);
  end = std::min(begin + chunk_, num_seeds_);
  return begin < num_seeds_;
}

bool Scheduler::take_task(Task& task) {
  std::unique_lock lock(mutex_);
  ++idle_;
  update_hunger();
  if (idle_ == workers_ && tasks_.empty()) task_ready_.notify_all();  // all idle: nobody will give any more
  task_ready_.wait(lock, [&] { return stopped() || !tasks_.empty() || idle_ == workers_; });
  if (stopped() || tasks_.empty()) return false;
  task = std::move(tasks_.front());
  tasks_.pop_front();
  --idle_;
  update_hunger();
  return true;
}

void Scheduler::give(Task task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    update_hunger();
  }
  task_ready_.notify_one();
}

void Scheduler::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_.store(true, std::memory_order_relaxed);
  }
  task_ready_.notify_all();
  batch_taken_.notify_all();
}

void Scheduler::add(std::vector<LeafSum>& parts) {
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i].overflow |= parts[i].overflow | __builtin_add_overflow(sums_[i].total, parts[i].total, &sums_[i].total);
    parts[i] = LeafSum();
  }
}

bool Scheduler::push_batch(Batch batch, bool bounded) {
  {
    std::unique_lock lock(mutex_);
    batch_taken_.wait(lock, [&] { return stopped() || !bounded || batches_.size() < max_batches_; });
    if (stopped()) return false;
    batches_.push_back(std::move(batch));
  }
  batch_ready_.notify_one();
  return true;
}

bool Scheduler::pop_batch(Batch& batch, double seconds) {
  {
    std::unique_lock lock(mutex_);
    batch_ready_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return !batches_.empty() || finished_ == workers_; });
    if (batches_.empty()) return false;
    batch = std::move(batches_.front());
    batches_.pop_front();
  }
  batch_taken_.notify_one();
  return true;
}

void Scheduler::worker_done() {
  {
    std::lock_guard lock(mutex_);
    if (++finished_ == workers_) done_.store(true, std::memory_order_release);
  }
  batch_ready_.notify_all();
}

bool Scheduler::wait_done(double seconds) {
  std::unique_lock lock(mutex_);
  return batch_ready_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return finished_ == workers_; });
}

double Scheduler::fraction_of_seeds() const {
  if (num_seeds_ == 0) return 1.0;
  const std::size_t next = next_seed_.load(std::memory_order_relaxed);
  return static_cast<double>(std::min(next, num_seeds_)) / static_cast<double>(num_seeds_);
}

}  // namespace subiso
