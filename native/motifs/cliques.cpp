// Pass: cliques of four and five vertices, each found at its lowest vertex, on bit rows of the neighbours above it.
#include <bit>

#include "motifs/basis.hpp"

namespace subiso::motifs {
namespace {

class Cliques {
 public:
  Cliques(const SimpleGraph& graph, int largest) : graph_(graph), largest_(largest), place_(graph.num_vertices(), 0) {}

  void operator()(u32 x) {
    const Span list = graph_.above(x);
    if (list.size >= 3) count_above(list);
  }

  Sums sums;

 private:
  void count_above(Span list) {
    words_ = (list.size + 63) / 64;
    rows_.assign(list.size * words_, 0);
    for (std::size_t i = 0; i < list.size; ++i) place_[list.data[i]] = static_cast<u32>(i + 1);
    for (std::size_t i = 0; i < list.size; ++i)
      for (const u32 c : graph_.above(list.data[i]))
        if (const u32 j = place_[c]; j != 0) rows_[i * words_ + (j - 1) / 64] |= u64{1} << (j - 1) % 64;
    for (const u32 b : list) place_[b] = 0;
    both_.resize(words_);
    for (std::size_t i = 0; i < list.size; ++i)
      for (std::size_t w = i / 64; w < words_; ++w)
        for (u64 left = row(i)[w]; left != 0; left &= left - 1) count_edge(i, w * 64 + bit(left));
  }

  // The edge from i to j above it: their common upper neighbours, and the edges among those.
  void count_edge(std::size_t i, std::size_t j) {
    u64 four = 0, five = 0;
    for (std::size_t w = j / 64; w < words_; ++w) {
      both_[w] = row(i)[w] & row(j)[w];
      four += static_cast<u64>(std::popcount(both_[w]));
    }
    if (four == 0) return;
    sums.add(kCliques4, four);
    if (largest_ == 4 || four < 2) return;
    for (std::size_t w = j / 64; w < words_; ++w)
      for (u64 left = both_[w]; left != 0; left &= left - 1) {
        const u64* third = row(w * 64 + bit(left));
        for (std::size_t z = w; z < words_; ++z) five += static_cast<u64>(std::popcount(both_[z] & third[z]));
      }
    sums.add(kCliques5, five);
  }

  static std::size_t bit(u64 word) { return static_cast<std::size_t>(std::countr_zero(word)); }
  const u64* row(std::size_t i) const { return rows_.data() + i * words_; }

  const SimpleGraph& graph_;
  const int largest_;
  std::vector<u32> place_;
  std::vector<u64> rows_, both_;
  std::size_t words_ = 0;
};

}  // namespace

void add_cliques(const SimpleGraph& graph, int largest, Crew& crew, Sums& sums) {
  crew.over_vertices(
      graph.num_vertices(), [&] { return Cliques(graph, largest); }, [&](Cliques& done) { sums.add(done.sums); });
}

}  // namespace subiso::motifs
