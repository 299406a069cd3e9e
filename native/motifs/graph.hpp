// The graph that motifs are counted in: undirected, by rank, without self loops, and with an array slot for every list entry.
#pragma once
#include <cstdint>
#include <vector>

#include "storage/csr_store.hpp"

namespace subiso::motifs {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Lists as in storage/csr_store.hpp, without self loops (storage/simple.py). Entry numbers give per-edge arrays
// two slots per edge, one at either end, so that a thread which owns a vertex writes without asking anybody.
class SimpleGraph {
 public:
  SimpleGraph(u32 num_vertices, Csr lists) : num_vertices_(num_vertices), lists_(lists) {}

  u32 num_vertices() const { return num_vertices_; }
  std::size_t num_entries() const { return static_cast<std::size_t>(lists_.bounds[2 * std::size_t{num_vertices_}]); }
  u32 degree(u32 v) const { return static_cast<u32>(end(v) - begin(v)); }
  u32 degree_above(u32 v) const { return static_cast<u32>(end(v) - middle(v)); }

  // Entry numbers: the neighbours of v stand in [begin, end), those above v in [middle, end).
  std::size_t begin(u32 v) const { return at(2 * std::size_t{v}); }
  std::size_t middle(u32 v) const { return at(2 * std::size_t{v} + 1); }
  std::size_t end(u32 v) const { return at(2 * std::size_t{v} + 2); }
  u32 neighbor(std::size_t entry) const { return lists_.neighbors[entry]; }

  Span neighbors(u32 v) const { return {lists_.neighbors + begin(v), end(v) - begin(v)}; }
  Span above(u32 v) const { return {lists_.neighbors + middle(v), end(v) - middle(v)}; }
  Span below(u32 v) const { return {lists_.neighbors + begin(v), middle(v) - begin(v)}; }

 private:
  std::size_t at(std::size_t i) const { return static_cast<std::size_t>(lists_.bounds[i]); }

  u32 num_vertices_;
  Csr lists_;
};

}  // namespace subiso::motifs
