#include "filter/signature.hpp"

#include "graph/parallel.hpp"

namespace subiso {
namespace {

std::uint64_t mixed(std::uint64_t x) {  // a bijection that spreads every bit
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

int SignatureShape::label_bit(std::uint32_t label) const {
  return static_cast<int>(mixed(label) % static_cast<std::uint64_t>(label_bits));
}

int SignatureShape::group_bit(std::uint32_t side, std::uint32_t edge_label, std::uint32_t neighbor_label) const {
  const auto groups = static_cast<std::uint64_t>((num_bits - label_bits) / 2);
  const std::uint64_t pair = mixed((std::uint64_t{edge_label} << 32 | neighbor_label) ^ mixed(side + 1));
  return label_bits + 2 * static_cast<int>(pair % groups);
}

std::vector<std::uint64_t> build_signatures(const SignatureShape& shape, std::uint32_t num_vertices,
                                            const std::vector<SignatureSide>& sides, const std::int64_t* label_offsets,
                                            const std::uint32_t* labels, const std::uint32_t* rank,
                                            unsigned most_threads) {
  std::vector<std::uint64_t> table(shape.words() * num_vertices, 0);
  const auto word = [&](std::uint32_t v, int bit) -> std::uint64_t& {
    return table[static_cast<std::size_t>(bit / 64) * num_vertices + rank[v]];
  };
  std::size_t work = num_vertices;
  for (const SignatureSide& s : sides) work += static_cast<std::size_t>(s.offsets[num_vertices]);
  const unsigned threads = threads_up_to(work, most_threads);
  run_threads(threads, [&](unsigned t) {
    const std::size_t end = part_begin(num_vertices, t + 1, threads);
    for (auto v = static_cast<std::uint32_t>(part_begin(num_vertices, t, threads)); v < end; ++v) {
      for (std::int64_t i = label_offsets[v]; i < label_offsets[v + 1]; ++i) {
        const int bit = shape.label_bit(labels[i]);
        word(v, bit) |= std::uint64_t{1} << (bit % 64);
      }
      for (const SignatureSide& s : sides)
        for (std::int64_t e = s.offsets[v]; e < s.offsets[v + 1]; ++e) {
          const std::uint32_t u = s.neighbors[e];
          const auto id = s.edge_ids ? s.edge_ids[e] : static_cast<std::uint32_t>(e);
          const std::uint32_t edge_label = s.edge_labels ? s.edge_labels[id] : 0;
          for (std::int64_t i = label_offsets[u]; i < label_offsets[u + 1]; ++i) {
            const int bit = shape.group_bit(s.side, edge_label, labels[i]);
            std::uint64_t& group = word(v, bit);
            // 00 becomes 01, and 01 becomes 11.
            group |= std::uint64_t{1} << (bit % 64) << (group >> (bit % 64) & 1);
          }
        }
    }
  });
  return table;
}

void filter_by_signature(const std::uint64_t* table, std::uint32_t num_vertices, const std::vector<std::uint64_t>& wanted,
                         std::uint64_t* bits) {
  // Column by column: 64 rows become one word of the result, without a branch.
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    if (wanted[w] == 0) continue;
    const std::uint64_t* column = table + w * num_vertices;
    for (std::size_t first = 0; first < num_vertices; first += 64) {
      if (bits[first / 64] == 0) continue;
      const std::size_t rows = std::min<std::size_t>(64, num_vertices - first);
      std::uint64_t fits = 0;
      for (std::size_t i = 0; i < rows; ++i)
        fits |= std::uint64_t{(column[first + i] & wanted[w]) == wanted[w]} << i;
      bits[first / 64] &= fits;
    }
  }
}

}  // namespace subiso
