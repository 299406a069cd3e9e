// The tally of triads: every triangle at its lowest vertex; wedges without listing them, from how often a vertex has each code.
#include "motifs/triads.hpp"

namespace subiso::motifs {
namespace {

class Triads {
 public:
  Triads(const SimpleGraph& graph, const Codes& codes) : graph_(graph), codes_(codes), code_to_(graph.num_vertices(), 0) {}

  void operator()(u32 x) {
    add_wedges(x);
    if (graph_.degree_above(x) < 2) return;
    for (std::size_t e = graph_.middle(x); e < graph_.end(x); ++e) code_to_[graph_.neighbor(e)] = codes_[e];
    for (std::size_t e = graph_.middle(x); e < graph_.end(x); ++e) {
      const u32 b = graph_.neighbor(e);
      u64* tally = triangles_.data() + codes_[e] * 16;
      for (std::size_t f = graph_.middle(b); f < graph_.end(b); ++f)
        if (const unsigned closing = code_to_[graph_.neighbor(f)]; closing != 0) ++tally[codes_[f] * 4 + closing];
    }
    for (const u32 b : graph_.above(x)) code_to_[b] = 0;
  }

  void add_to(TriadTally& total) const {
    for (std::size_t i = 0; i < 64; ++i) total.triangles[i] += static_cast<Count>(triangles_[i]);
    for (std::size_t i = 0; i < 16; ++i) total.wedges[i] += wedges_[i];
    for (std::size_t i = 0; i < 4; ++i) total.entries[i] += static_cast<Count>(entries_[i]);
  }

 private:
  void add_wedges(u32 x) {
    std::array<u64, 4> own{};
    for (std::size_t e = graph_.begin(x); e < graph_.end(x); ++e) ++own[codes_[e]];
    for (std::size_t i = 1; i < 4; ++i) {
      entries_[i] += own[i];
      wedges_[i * 4 + i] += choose2(static_cast<Count>(own[i]));
      for (std::size_t j = i + 1; j < 4; ++j) wedges_[i * 4 + j] += static_cast<Count>(own[i]) * static_cast<Count>(own[j]);
    }
  }

  const SimpleGraph& graph_;
  const Codes& codes_;
  std::vector<std::uint8_t> code_to_;
  std::array<u64, 64> triangles_{};
  std::array<Count, 16> wedges_{};
  std::array<u64, 4> entries_{};
};

}  // namespace

Codes direction_codes(const SimpleGraph& either, const CsrStore& out_and_in) {
  Codes codes(either.num_entries(), 0);
  for (u32 v = 0; v < either.num_vertices(); ++v)
    for (int side = 0; side < 2; ++side) {
      std::size_t e = either.begin(v);
      for (const u32 w : out_and_in.neighbors(v, side)) {
        if (w == v) continue;  // a loop
        while (either.neighbor(e) != w) ++e;
        codes[e] |= static_cast<std::uint8_t>(1 << side);
      }
    }
  return codes;
}

TriadTally tally_triads(const SimpleGraph& graph, const Codes& codes, Crew& crew) {
  TriadTally total;
  crew.over_vertices(
      graph.num_vertices(), [&] { return Triads(graph, codes); }, [&](Triads& done) { done.add_to(total); });
  return total;
}

}  // namespace subiso::motifs
