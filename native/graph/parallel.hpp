// Runs one function on several threads and brings the first exception home. Used by the graph building.
#pragma once
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace subiso {

// The processors this process may use, which in a container is fewer than the machine has.
inline unsigned usable_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

// `wanted` threads; when that is 0, as many as are worth starting for `work` items: small jobs stay on this thread.
inline unsigned threads_for(std::size_t work, unsigned wanted) {
  constexpr std::size_t kWorthAThread = 1 << 18;
  if (wanted) return wanted;
  return static_cast<unsigned>(std::clamp<std::size_t>(work / kWorthAThread, 1, usable_threads()));
}

// As many threads as are worth starting for `work` items, but no more than `most`; 0 for no limit.
inline unsigned threads_up_to(std::size_t work, unsigned most) {
  const unsigned worth = threads_for(work, 0);
  return most ? std::min(worth, most) : worth;
}

// Calls f(0) ... f(threads - 1), each on its own thread, and waits for all.
template <class F>
void run_threads(unsigned threads, const F& f) {
  if (threads <= 1) {
    f(0u);
    return;
  }
  std::vector<std::exception_ptr> failures(threads);
  auto guarded = [&](unsigned t) {
    try {
      f(t);
    } catch (...) {
      failures[t] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  unsigned started = 1;
  try {
    for (; started < threads; ++started) others.emplace_back(guarded, started);
  } catch (...) {  // no more threads to be had: their share runs here, below
  }
  guarded(0);
  for (unsigned t = started; t < threads; ++t) guarded(t);
  for (auto& other : others) other.join();
  for (auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

// Where part t of `parts` equal parts of `size` begins.
inline std::size_t part_begin(std::size_t size, unsigned t, unsigned parts) {
  return size / parts * t + std::min<std::size_t>(t, size % parts);
}

}  // namespace subiso
