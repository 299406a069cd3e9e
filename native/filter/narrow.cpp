#include "filter/narrow.hpp"

#include <algorithm>

namespace subiso {
namespace {

// One end of a link.
struct End {
  int vertex;
  int other;
  int relation;

  bool operator==(const End&) const = default;
};

// Each once, however many parallel links there are.
std::vector<End> ends_of(const std::vector<PatternLink>& links) {
  std::vector<End> ends;
  const auto note = [&](const End& end) {
    if (std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
  };
  for (const PatternLink& k : links) {
    note({k.a, k.b, k.forward});
    note({k.b, k.a, k.backward});
  }
  return ends;
}

// Where vertices may repeat, one neighbour serves for many.
void count_up(std::vector<Demand>& demands, const Demand& wanted, bool injective) {
  for (Demand& d : demands)
    if (d.a == wanted.a && d.b == wanted.b && d.relation == wanted.relation) {
      d.count += injective;
      return;
    }
  demands.push_back(wanted);
}

}  // namespace

Narrowed narrow(const CsrStore& store, const std::vector<const std::uint64_t*>& given,
                const std::vector<const std::uint64_t*>& begun, const std::vector<PatternLink>& links,
                const NarrowOptions& options) {
  const std::size_t n = given.size(), words = (store.num_vertices() + std::size_t{63}) / 64;
  Narrowed result;
  result.bits.resize(n);
  // The vertices' own bitmaps, none (every vertex), and those that were given, by the first vertex that has them.
  std::vector<std::uint64_t*> bitmaps(n + 1 + n, nullptr);
  std::vector<int> kind(n);
  const int everything = static_cast<int>(n);
  for (std::size_t v = 0; v < n; ++v) {
    kind[v] = static_cast<int>(std::find(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(v), given[v]) - given.begin());
    bitmaps[n + 1 + v] = const_cast<std::uint64_t*>(given[v]);  // only ever looked for: no demand is made of it
    const std::uint64_t* start = begun[v] != nullptr ? begun[v] : given[v];
    if (start == nullptr) continue;
    result.bits[v].assign(start, start + words);
    bitmaps[v] = result.bits[v].data();
  }
  // Rare candidates are cheapest to begin with, so what is asked once is asked of what refinement leaves.
  Demands demands;
  for (const End& end : ends_of(links)) {
    if (options.degree) count_up(demands.after, {end.vertex, everything, end.relation, -1, 1}, options.injective);
    if (options.frequency)
      count_up(demands.after, {end.vertex, everything + 1 + kind[static_cast<std::size_t>(end.other)], end.relation, -1, 1},
               options.injective);
  }
  if (options.refine) {
    std::erase_if(demands.after, [](const Demand& d) { return d.count < 2; });  // refinement asks more of these
    for (const PatternLink& k : links) {
      demands.again.push_back({k.a, k.b, k.forward, k.backward, 1});
      demands.again.push_back({k.b, k.a, k.backward, k.forward, 1});
    }
  }
  result.refined = refine(store, bitmaps, demands, n, options.budget, options.threads);
  int numbers = 0;
  for (std::size_t v = 0; v < n; ++v) {
    int number = result.bits[v].empty() ? -1 : numbers;
    for (std::size_t u = 0; u < v && number == numbers; ++u)
      if (result.refined.sizes[u] == result.refined.sizes[v] && result.bits[u] == result.bits[v]) number = result.number[u];
    numbers += number == numbers;
    result.number.push_back(number);
  }
  return result;
}

}  // namespace subiso
