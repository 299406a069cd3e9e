// From an edge table to CSR: sorted, loops dropped or kept, duplicates merged or kept. Called by Graph.from_edges.
#pragma once
#include <cstddef>
#include <cstdint>

#include "graph/buffer.hpp"

namespace subiso {

struct EdgeTable {
  const std::uint32_t* src = nullptr;
  const std::uint32_t* dst = nullptr;
  const std::uint32_t* labels = nullptr;  // one per row, or none
  std::size_t rows = 0;
  std::uint32_t num_vertices = 0;
};

struct BuildOptions {
  bool directed = false;
  bool keep_loops = false;
  bool merge = true;         // of rows with the same ends and the same label, the first stays
  bool want_rows = false;    // edge id -> row; always there when the table has labels
  unsigned threads = 0;      // 0: as many as the process may use
  std::size_t direct_below;  // see group_by; tests set it low to reach the bucketed path
};

struct BuiltCsr {
  Buffer<std::int64_t> offsets;
  Buffer<std::uint32_t> neighbors;
};

struct Built {
  BuiltCsr out;
  Buffer<std::uint32_t> rows32;  // one of the two is filled when rows were asked for
  Buffer<std::int64_t> rows64;
  std::size_t num_edges = 0;
  std::size_t loops = 0;       // rows that were loops, dropped or kept
  std::size_t duplicates = 0;  // rows that repeat an earlier one, merged or kept
  std::uint32_t duplicate_src = 0, duplicate_dst = 0;  // the first such pair
  bool has_parallel = false;                           // in the result
};

// Ends must be below num_vertices (the caller has checked them).
Built build_csr(const EdgeTable& table, const BuildOptions& options);

// The lists of a directed graph turned round, sorted.
BuiltCsr transpose(const std::int64_t* offsets, const std::uint32_t* neighbors, std::uint32_t num_vertices,
              unsigned threads, std::size_t direct_below);

}  // namespace subiso
