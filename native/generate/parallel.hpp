// Splits a range of counters over threads. The body must not throw and must write only to its own indices.
#pragma once
#include <algorithm>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace subiso::generate {
template <class Body>
void parallel_ranges(std::uint64_t count, int threads, const Body& body) {
  constexpr std::uint64_t kWorthAThread = 1 << 16;
  const std::uint64_t parts = std::clamp<std::uint64_t>(count / kWorthAThread, 1, std::max(threads, 1));
  const auto bound = [&](std::uint64_t part) { return count / parts * part + std::min(count % parts, part); };
  std::vector<std::jthread> workers;  // joined on the way out
  workers.reserve(parts);
  std::uint64_t part = 1;
  try {
    for (; part < parts; ++part) workers.emplace_back([&body, &bound, part] { body(bound(part), bound(part + 1)); });
  } catch (const std::system_error&) {  // no more threads to be had: the rest runs here
    body(bound(part), count);
  }
  body(0, bound(1));
}
}  // namespace subiso::generate
