#include "storage/codegrees.hpp"

#include <atomic>

#include "graph/parallel.hpp"

namespace subiso {
namespace {

constexpr int kEdges = 0, kFirst = 1, kSecond = 2;

// The codegrees of one vertex's edges at a time, its own list held as a bitmap.
class Counter {
 public:
  Counter(const CsrStore& store, bool mirrored, std::uint32_t* result)
      : store_(store), mirrored_(mirrored), result_(result), bits_((store.num_vertices() + std::size_t{63}) / 64) {}

  void count(std::uint32_t u) {
    const Span own = store_.neighbors(u, kFirst);
    for (std::uint32_t v : own) bits_[v >> 6] |= std::uint64_t{1} << (v & 63);
    const Span edges = mirrored_ ? store_.neighbors_below(u, kEdges) : store_.neighbors(u, kEdges);
    const std::size_t first = store_.entry_number(edges.data, kEdges);
    for (std::size_t i = 0; i < edges.size; ++i) {
      const std::uint32_t v = edges.data[i];
      result_[first + i] = shared(own, store_.neighbors(v, kSecond));
      if (mirrored_) result_[entry_of(v, u)] = result_[first + i];
    }
    for (std::uint32_t v : own) bits_[v >> 6] = 0;
  }

 private:
  std::uint32_t shared(Span own, Span other) const {
    if (own.size * kGallopRatio < other.size) return static_cast<std::uint32_t>(intersect_count_gallop(own, other));
    std::uint32_t found = 0;
    for (std::uint32_t w : other) found += bits_[w >> 6] >> (w & 63) & 1;
    return found;
  }
  std::size_t entry_of(std::uint32_t v, std::uint32_t u) const {
    const Span list = store_.neighbors(v, kEdges);
    const auto place = std::lower_bound(list.begin(), list.end(), u);
    return store_.entry_number(place, kEdges);
  }

  const CsrStore& store_;
  const bool mirrored_;
  std::uint32_t* result_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

std::vector<std::uint32_t> edge_codegrees(Csr edges, Csr at_first, Csr at_second, std::uint32_t num_vertices,
                                          bool mirrored, unsigned threads) {
  const CsrStore store(num_vertices, {edges, at_first, at_second});
  std::vector<std::uint32_t> result(store.num_entries(kEdges));
  std::atomic<std::uint32_t> taken{0};
  constexpr std::uint32_t kChunk = 16;  // vertices; the last ones have the most neighbours, so they come first
  run_threads(threads_up_to(result.size(), threads), [&](unsigned) {
    Counter counter(store, mirrored, result.data());
    for (std::uint64_t begin; (begin = taken.fetch_add(kChunk)) < num_vertices;) {
      const std::uint64_t end = std::min<std::uint64_t>(begin + kChunk, num_vertices);
      for (std::uint64_t i = begin; i < end; ++i) counter.count(num_vertices - 1 - static_cast<std::uint32_t>(i));
    }
  });
  return result;
}

}  // namespace subiso
