// Generators that look at the edges made so far, and are therefore sequential: preferential attachment, rewiring. See generate.hpp.
#include <algorithm>
#include <stdexcept>

#include "generate/generate.hpp"
#include "generate/pair_set.hpp"
#include "generate/rng.hpp"

namespace subiso::generate {
EdgeList barabasi_albert(std::uint32_t n, std::uint32_t k, std::uint64_t seed) {
  if (k < 1 || k >= n) throw std::invalid_argument("barabasi_albert needs 1 <= k < n");
  const std::uint64_t edges = static_cast<std::uint64_t>(k) * (n - k);
  EdgeList out(edges);
  Draws draws(seed, 0);
  // Choosing an end of a random earlier edge is choosing a vertex by its degree.
  const auto random_end = [&](std::uint64_t so_far) {
    const std::uint64_t end = draws.below(2 * so_far);
    return end & 1 ? out.dst[end >> 1] : out.src[end >> 1];
  };
  for (std::uint32_t leaf = 1; leaf <= k; ++leaf) {
    out.src[leaf - 1] = 0;
    out.dst[leaf - 1] = leaf;
  }
  std::vector<std::uint32_t> last_taken_by(k > 16 ? n : 0, 0);  // long lists of targets are not searched but marked
  std::uint64_t done = k;
  for (std::uint32_t v = k + 1; v < n; ++v, done += k) {
    for (std::uint64_t i = done; i < done + k;) {
      const std::uint32_t target = random_end(done);
      const auto first = out.dst.begin() + static_cast<std::ptrdiff_t>(done), last = out.dst.begin() + static_cast<std::ptrdiff_t>(i);
      const bool taken = last_taken_by.empty() ? std::find(first, last, target) != last : last_taken_by[target] == v;
      if (taken) continue;
      if (!last_taken_by.empty()) last_taken_by[target] = v;
      out.src[i] = v;
      out.dst[i++] = target;
    }
  }
  return out;
}

EdgeList watts_strogatz(std::uint32_t n, std::uint32_t k, std::uint64_t rewire, bool rewire_all, std::uint64_t seed) {
  if (k % 2 != 0 || k >= n) throw std::invalid_argument("watts_strogatz needs an even k < n");
  const std::uint64_t edges = static_cast<std::uint64_t>(n) * (k / 2);
  EdgeList out(edges);
  PairSet present(edges);
  std::vector<std::uint32_t> degree(n, k);
  for (std::uint64_t e = 0; e < edges; ++e) {
    out.src[e] = static_cast<std::uint32_t>(e % n);
    out.dst[e] = static_cast<std::uint32_t>((e % n + e / n + 1) % n);
    present.insert(out.src[e], out.dst[e]);
  }
  const Stream coin(seed, 0);
  Draws targets(seed, 1);
  for (std::uint64_t e = 0; e < edges; ++e) {
    const std::uint32_t u = out.src[e], old = out.dst[e];
    if (!(rewire_all || coin.at(e) < rewire) || degree[u] >= n - 1) continue;  // a vertex that knows all has nowhere to go
    std::uint32_t v;
    do v = static_cast<std::uint32_t>(targets.below(n));
    while (v == u || present.contains(u, v));
    present.erase(u, old);
    present.insert(u, v);
    --degree[old];
    ++degree[v];
    out.dst[e] = v;
  }
  return out;
}
}  // namespace subiso::generate
