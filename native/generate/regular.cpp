// Random regular graphs: stubs paired at random, loops and repeated edges switched away. See generate.hpp.
#include <stdexcept>
#include <utility>

#include "generate/generate.hpp"
#include "generate/pair_set.hpp"
#include "generate/rng.hpp"

namespace subiso::generate {
namespace {
EdgeList random_pairing(std::uint32_t n, std::uint32_t d, Draws& draws) {
  std::vector<std::uint32_t> stubs(static_cast<std::uint64_t>(n) * d);
  for (std::uint64_t i = 0; i < stubs.size(); ++i) stubs[i] = static_cast<std::uint32_t>(i / d);
  for (std::uint64_t i = stubs.size(); i > 1; --i) std::swap(stubs[i - 1], stubs[draws.below(i)]);
  EdgeList out(stubs.size() / 2);
  for (std::uint64_t e = 0; e < out.src.size(); ++e) {
    out.src[e] = stubs[2 * e];
    out.dst[e] = stubs[2 * e + 1];
  }
  return out;
}

// Replaces the bad edge e and a random good edge f, u-v and x-y, by u-x and v-y where both are new. False: no switch was found.
bool switch_away(EdgeList& edges, std::uint64_t e, std::vector<bool>& good, PairSet& present, Draws& draws) {
  const std::uint64_t tries = 64 + 16 * edges.src.size();
  const std::uint32_t u = edges.src[e], v = edges.dst[e];
  for (std::uint64_t t = 0; t < tries; ++t) {
    const std::uint64_t f = draws.below(edges.src.size());
    if (!good[f]) continue;
    std::uint32_t x = edges.src[f], y = edges.dst[f];
    if (draws.next() & 1) std::swap(x, y);
    if (u == x || v == y || PairSet::key(u, x) == PairSet::key(v, y)) continue;
    if (present.contains(u, x) || present.contains(v, y)) continue;
    present.erase(x, y);
    present.insert(u, x);
    present.insert(v, y);
    edges.dst[e] = x;
    edges.src[f] = v;
    edges.dst[f] = y;
    good[e] = true;
    return true;
  }
  return false;
}

bool repair(EdgeList& edges, Draws& draws) {
  PairSet present(edges.src.size() + 1);
  std::vector<bool> good(edges.src.size());
  for (std::uint64_t e = 0; e < edges.src.size(); ++e) {
    good[e] = edges.src[e] != edges.dst[e] && present.insert(edges.src[e], edges.dst[e]);
  }
  for (std::uint64_t e = 0; e < edges.src.size(); ++e) {
    if (!good[e] && !switch_away(edges, e, good, present, draws)) return false;
  }
  return true;
}

EdgeList sparse_regular(std::uint32_t n, std::uint32_t d, std::uint64_t seed) {
  constexpr int kStarts = 10'000;  // only tiny graphs ever need a second one
  Draws draws(seed, 0);
  for (int start = 0; start < kStarts; ++start) {
    EdgeList edges = random_pairing(n, d, draws);
    if (repair(edges, draws)) return edges;
  }
  throw std::runtime_error("no regular graph found; try another seed");
}

EdgeList complement(std::uint32_t n, const EdgeList& edges) {
  PairSet present(edges.src.size());
  for (std::uint64_t e = 0; e < edges.src.size(); ++e) present.insert(edges.src[e], edges.dst[e]);
  EdgeList out;
  for (std::uint32_t u = 0; u < n; ++u) {
    for (std::uint32_t v = u + 1; v < n; ++v) {
      if (!present.contains(u, v)) out.add(u, v);
    }
  }
  return out;
}
}  // namespace

EdgeList random_regular(std::uint32_t n, std::uint32_t d, std::uint64_t seed) {
  if (d >= n || static_cast<std::uint64_t>(n) * d % 2 != 0) throw std::invalid_argument("random_regular needs d < n and n * d even");
  // In a dense graph most switches fail; what it lacks is sparse.
  return 2 * static_cast<std::uint64_t>(d) > n - 1 ? complement(n, sparse_regular(n, n - 1 - d, seed)) : sparse_regular(n, d, seed);
}
}  // namespace subiso::generate
