// Signatures of vertices (GSI): bits for the vertex's labels, then groups of two bits that say whether no, one, or more
// than one (edge label, neighbour's label) pair fell into the group. Stored column-first: word w of every vertex in a row.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace subiso {

struct SignatureShape {
  int label_bits;  // K: the first bits, one of which stands for each label
  int num_bits;    // N: all of them, a multiple of 64

  std::size_t words() const { return static_cast<std::size_t>(num_bits) / 64; }
  int label_bit(std::uint32_t label) const;
  // The first bit of the group that a pair falls into; `side` tells directions apart.
  int group_bit(std::uint32_t side, std::uint32_t edge_label, std::uint32_t neighbor_label) const;
};

// One adjacency of the graph, and what its entries carry. `edge_labels` (by edge id) may be null: all are 0.
struct SignatureSide {
  std::uint32_t side;
  const std::int64_t* offsets;
  const std::uint32_t* neighbors;
  const std::uint32_t* edge_ids;  // null: the position is the id
  const std::uint32_t* edge_labels;
};

// The labels of vertex v stand from label_offsets[v] to label_offsets[v + 1]. Row `rank[v]` of the table is v's.
std::vector<std::uint64_t> build_signatures(const SignatureShape& shape, std::uint32_t num_vertices,
                                            const std::vector<SignatureSide>& sides, const std::int64_t* label_offsets,
                                            const std::uint32_t* labels, const std::uint32_t* rank,
                                            unsigned most_threads = 0);

// Clears the bits of vertices whose signature lacks a bit of `wanted`.
void filter_by_signature(const std::uint64_t* table, std::uint32_t num_vertices, const std::vector<std::uint64_t>& wanted,
                         std::uint64_t* bits);

}  // namespace subiso
