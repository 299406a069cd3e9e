#include "filter/refine.hpp"

#include <algorithm>

#include "engine/inputs.hpp"

namespace subiso {
namespace {

class Refiner {
 public:
  Refiner(const CsrStore& store, const std::vector<std::uint64_t*>& filters)
      : store_(store), filters_(filters), words_((store.num_vertices() + std::size_t{63}) / 64) {}

  std::uint64_t size(int a) const {
    const std::uint64_t* bits = filter(a);
    if (bits == nullptr) return store_.num_vertices();
    std::uint64_t n = 0;
    for (std::size_t w = 0; w < words_; ++w) n += static_cast<std::uint64_t>(__builtin_popcountll(bits[w]));
    return n;
  }

  // Drops the candidates of d.a that do not meet the demand; `met` sums how many b-candidates the kept ones have.
  bool apply(const Demand& d, std::uint64_t& met) {
    std::uint64_t* bits = filter(d.a);
    const std::uint64_t* others = filter(d.b);
    bool dropped = false;
    met = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) {
        const auto v = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
        const Span list = store_.neighbors(v, d.relation);
        std::uint64_t found = 0;
        if (others == nullptr) {
          found = list.size;
        } else {
          for (std::uint32_t u : list) found += in_bitmap(others, u);
        }
        if (found < static_cast<std::uint64_t>(d.count)) {
          bits[w] &= ~(left & -left);
          dropped = true;
        } else {
          met += found;
        }
      }
    }
    return dropped;
  }

  bool overlap(int a, int b) const {
    const std::uint64_t *x = filter(a), *y = filter(b);
    if (x == nullptr || y == nullptr) return true;
    for (std::size_t w = 0; w < words_; ++w)
      if (x[w] & y[w]) return true;
    return false;
  }

  std::uint64_t* filter(int v) const { return filters_[static_cast<std::size_t>(v)]; }

 private:
  const CsrStore& store_;
  const std::vector<std::uint64_t*>& filters_;
  std::size_t words_;
};

}  // namespace

Refined refine(const CsrStore& store, const std::vector<std::uint64_t*>& filters, const std::vector<Demand>& demands,
               int rounds) {
  Refiner refiner(store, filters);
  std::vector<std::uint64_t> met(demands.size(), 0);
  bool changed = true;
  for (int round = 0; round < rounds && changed; ++round) {
    changed = false;
    for (std::size_t i = 0; i < demands.size(); ++i)
      if (refiner.filter(demands[i].a) != nullptr) changed |= refiner.apply(demands[i], met[i]);
  }
  Refined result;
  for (std::size_t v = 0; v < filters.size(); ++v) result.sizes.push_back(refiner.size(static_cast<int>(v)));
  const int num_vertices = static_cast<int>(std::min<std::size_t>(filters.size(), 64));
  for (int a = 0; a < num_vertices; ++a) {
    std::uint64_t bits = 0;
    for (int b = 0; b < num_vertices; ++b) bits |= std::uint64_t{refiner.overlap(a, b)} << b;
    result.overlaps.push_back(bits);
  }
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const std::uint64_t size = result.sizes[static_cast<std::size_t>(demands[i].a)];
    const bool known = refiner.filter(demands[i].a) != nullptr && size != 0;
    result.fans.push_back(known ? static_cast<double>(met[i]) / static_cast<double>(size) : -1.0);
  }
  return result;
}

}  // namespace subiso
