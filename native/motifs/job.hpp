// One piece of work in the background: the caller waits in small steps, so that Ctrl-C, timeouts and progress stay in Python.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "motifs/crew.hpp"

namespace subiso::motifs {

class Job {
 public:
  Job(int threads, std::function<void(Crew&)> work) : crew_(threads), work_(std::move(work)) {}
  ~Job() { close(); }

  void start() {
    thread_ = std::thread([this] {
      try {
        work_(crew_);
      } catch (...) {  // only memory can be missing; nothing may leave the thread
        failed_ = true;
      }
      const std::lock_guard lock(mutex_);
      done_ = true;
      ready_.notify_all();
    });
  }
  bool wait(double seconds) {
    std::unique_lock lock(mutex_);
    return ready_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_.load(); });
  }
  void stop() { crew_.stop(); }
  void close() {
    crew_.stop();
    if (thread_.joinable()) thread_.join();
  }
  bool done() const { return done_; }
  bool failed() const { return failed_; }
  double progress() { return crew_.progress(); }

 private:
  Crew crew_;
  std::function<void(Crew&)> work_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::atomic<bool> done_{false}, failed_{false};
};

}  // namespace subiso::motifs
