// Everything a run reads and nobody changes: the store, the program, filters, keys, seeds.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/tally_program.hpp"
#include "setops/setops.hpp"
#include "storage/csr_store.hpp"

namespace subiso {

// A relation whose entries are data edges: parallel ones stay, each with its id.
struct EntityCsr {
  const std::int64_t* offsets;
  const std::uint32_t* neighbors;
  const std::uint32_t* edge_ids;
};

inline constexpr std::int64_t kNotANumber = INT64_MIN;  // a key that compares false with everything

struct Inputs {
  CsrStore store;
  std::vector<int> reverse;  // relation -> the relation of the same edges read from their other end
  Program program;
  const SetOps* ops;
  std::vector<const std::uint64_t*> filters;  // bitmaps over the vertices
  std::vector<const std::int64_t*> keys;      // vertex columns as comparable integers
  std::vector<EntityCsr> entities;
  const std::uint32_t* seeds;
  std::size_t num_seeds;
  const std::uint32_t* vertex_at;  // rank -> vertex, for rows that leave
  std::size_t batch_rows;
  TallyProgram tally = {};  // what local counts want; nothing for plain counts
  std::vector<std::uint32_t> everyone = {};  // all vertices in order, where the program reads them
};

inline bool in_bitmap(const std::uint64_t* bits, std::uint32_t v) { return bits[v >> 6] >> (v & 63) & 1; }

}  // namespace subiso
