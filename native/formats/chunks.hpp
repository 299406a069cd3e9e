// Cuts a block of text into chunks of whole lines and runs one thread per chunk. Shared by the text parsers.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <string_view>
#include <thread>
#include <vector>

namespace subiso::formats {

// At most `parts` chunks that end after a newline (the last may lack one); small blocks are left whole.
inline std::vector<std::string_view> split_lines(std::string_view block, std::size_t parts, std::size_t least) {
  parts = std::max<std::size_t>(1, std::min(parts, block.size() / std::max<std::size_t>(1, least)));
  std::vector<std::string_view> chunks;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < parts && begin < block.size(); ++i) {
    std::size_t end = i + 1 == parts ? block.size() : std::max(begin, block.size() / parts * (i + 1));
    if (end < block.size()) {
      const void* newline = std::memchr(block.data() + end, '\n', block.size() - end);
      end = newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - block.data()) + 1 : block.size();
    }
    if (end > begin) chunks.push_back(block.substr(begin, end - begin));
    begin = end;
  }
  return chunks;
}

// Calls work(i) for i in [0, count), each on its own thread; the first exception is thrown again here.
template <class Work>
void run_parallel(std::size_t count, Work work) {
  std::vector<std::exception_ptr> failures(count);
  auto guarded = [&](std::size_t i) noexcept {
    try {
      work(i);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  std::size_t started = 1;
  try {
    threads.reserve(count);
    for (; started < count; ++started) threads.emplace_back(guarded, started);
  } catch (...) {  // no more threads to be had: the rest runs here
  }
  if (count > 0) guarded(0);
  for (std::size_t i = started; i < count; ++i) guarded(i);
  for (auto& thread : threads) thread.join();
  for (auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

// Calls take(line) for each line of the chunk, without its newline and a CR before it, until take says false.
template <class Take>
void each_line(std::string_view chunk, Take take) {
  const char* p = chunk.data();
  const char* const end = p + chunk.size();
  while (p != end) {
    const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    const char* stop = newline ? static_cast<const char*>(newline) : end;
    const char* last = stop != p && stop[-1] == '\r' ? stop - 1 : stop;
    if (!take(std::string_view(p, static_cast<std::size_t>(last - p)))) return;
    p = newline ? stop + 1 : end;
  }
}

}  // namespace subiso::formats
