// The seeded generators: numbers in, an edge list out. Called by bind/generate.cpp, used by subiso.graph.generators.
//
// Arguments are checked by the Python side; what could make a loop endless or overrun memory is checked here again.
#pragma once
#include <cstdint>
#include <vector>

namespace subiso::generate {
struct EdgeList {
  std::vector<std::uint32_t> src, dst;
  explicit EdgeList(std::uint64_t edges = 0) : src(edges), dst(edges) {}
  void add(std::uint32_t u, std::uint32_t v) {
    src.push_back(u);
    dst.push_back(v);
  }
};

// Which random numbers of a seed a generator reads: one stream per purpose and, where there are several, per part.
struct Seed {
  std::uint64_t seed;
  std::uint64_t stream;
};

// R-MAT: `edges` draws of a cell in a 2^scale square matrix; quadrants have weight a, b, c and the rest, scaled to 2^32. Ids are shuffled.
// Loops and repeated edges are left in.
struct Quadrants {
  std::uint64_t a, ab, abc;
};
EdgeList rmat(int scale, std::uint64_t edges, Quadrants quadrants, std::uint64_t seed, int threads);

// `count` distinct pairs, uniformly: u < v inside one block of vertices, ordered u != v inside one block, or a row and a column of two blocks.
enum class Pairs { unordered, ordered, rectangle };
struct Block {
  std::uint32_t start, size;
};
std::uint64_t pairs_in(Pairs kind, std::uint32_t rows, std::uint32_t columns);
EdgeList sample_pairs(Pairs kind, Block rows, Block columns, std::uint64_t count, Seed seed, int threads);

// Preferential attachment: each vertex after the first k + 1, a star, brings k edges to distinct older vertices drawn by degree.
EdgeList barabasi_albert(std::uint32_t n, std::uint32_t k, std::uint64_t seed);

// A ring in which each vertex knows its k nearest (k even), each edge moved to a random far end if its draw is below `rewire` / 2^64.
EdgeList watts_strogatz(std::uint32_t n, std::uint32_t k, std::uint64_t rewire, bool rewire_all, std::uint64_t seed);

// A simple graph in which every vertex has degree d: random pairing of stubs, repaired by random switches.
EdgeList random_regular(std::uint32_t n, std::uint32_t d, std::uint64_t seed);

// The graph after `steps` random switches, which keep every degree (of arcs: in and out; keep_mutual: of one-way arcs in and out, and of
// mutual pairs). The graph must be simple: no loops, no edge twice.
enum class Rewiring { undirected, directed, keep_mutual };
EdgeList rewire(EdgeList edges, Rewiring kind, std::uint64_t steps, Seed seed);

// Draw i is the first category whose bound exceeds the i-th 64 random bits; the last category takes the rest.
std::vector<std::uint32_t> categories(const std::vector<std::uint64_t>& bounds, std::uint64_t count, Seed seed, int threads);

// Draws 0 .. count - 1 of a stream, and the first `count` images of a permutation of [0, size).
std::vector<std::uint64_t> random_bits(std::uint64_t count, Seed seed, int threads);
std::vector<std::uint64_t> sample_without_replacement(std::uint64_t size, std::uint64_t count, Seed seed, int threads);
}  // namespace subiso::generate
