// Distinct random pairs (Erdős–Rényi, stochastic blocks) and the plain draws behind labels and columns. See generate.hpp.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "generate/generate.hpp"
#include "generate/parallel.hpp"
#include "generate/permutation.hpp"

namespace subiso::generate {
namespace {
struct Pair {
  std::uint64_t u, v;
};

// Pair number t in the order (0,1), (0,2), (1,2), (0,3), ...: v is the largest with v(v-1)/2 <= t. The root is only a first guess.
Pair unordered_pair(std::uint64_t t) {
  auto v = static_cast<std::uint64_t>((1.0 + std::sqrt(1.0 + 8.0 * static_cast<double>(t))) / 2.0);
  while (v * (v - 1) / 2 > t) --v;
  while ((v + 1) * v / 2 <= t) ++v;
  return {t - v * (v - 1) / 2, v};
}

Pair ordered_pair(std::uint64_t t, std::uint64_t n) {
  const std::uint64_t u = t / (n - 1), v = t % (n - 1);
  return {u, v + (v >= u)};
}

Pair nth_pair(Pairs kind, std::uint64_t t, std::uint64_t columns) {
  if (kind == Pairs::unordered) return unordered_pair(t);
  if (kind == Pairs::ordered) return ordered_pair(t, columns);
  return {t / columns, t % columns};
}
}  // namespace

std::uint64_t pairs_in(Pairs kind, std::uint32_t rows, std::uint32_t columns) {
  const std::uint64_t r = rows, c = columns;
  if (kind == Pairs::rectangle) return r * c;
  const std::uint64_t ordered = c == 0 ? 0 : c * (c - 1);
  return kind == Pairs::ordered ? ordered : ordered / 2;
}

EdgeList sample_pairs(Pairs kind, Block rows, Block columns, std::uint64_t count, Seed seed, int threads) {
  const std::uint64_t all = pairs_in(kind, rows.size, columns.size);
  if (count > all) throw std::invalid_argument("more pairs asked for than there are");
  const Permutation permutation(all, seed.seed, seed.stream);
  EdgeList out(count);
  parallel_ranges(count, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const Pair pair = nth_pair(kind, permutation(i), columns.size);
      out.src[i] = static_cast<std::uint32_t>(rows.start + pair.u);
      out.dst[i] = static_cast<std::uint32_t>(columns.start + pair.v);
    }
  });
  return out;
}

std::vector<std::uint32_t> categories(const std::vector<std::uint64_t>& bounds, std::uint64_t count, Seed seed, int threads) {
  const Stream stream(seed.seed, seed.stream);
  std::vector<std::uint32_t> out(count);
  parallel_ranges(count, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      out[i] = static_cast<std::uint32_t>(std::upper_bound(bounds.begin(), bounds.end(), stream.at(i)) - bounds.begin());
    }
  });
  return out;
}

std::vector<std::uint64_t> random_bits(std::uint64_t count, Seed seed, int threads) {
  const Stream stream(seed.seed, seed.stream);
  std::vector<std::uint64_t> out(count);
  parallel_ranges(count, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) out[i] = stream.at(i);
  });
  return out;
}

std::vector<std::uint64_t> sample_without_replacement(std::uint64_t size, std::uint64_t count, Seed seed, int threads) {
  if (count > size) throw std::invalid_argument("more numbers asked for than there are");
  const Permutation permutation(size, seed.seed, seed.stream);
  std::vector<std::uint64_t> out(count);
  parallel_ranges(count, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) out[i] = permutation(i);
  });
  return out;
}
}  // namespace subiso::generate
