// Chained hash tables of relations: `heads` has the first record of every chain, a record in `pool` the next one, then
// its fresh vertices, then its key. Records are numbered from 1; 0 ends a chain.
#pragma once
#include "warp.cuh"

namespace subiso {

struct HashTable {
  u32* heads;
  u32* pool;
  u32 mask;    // chains - 1; their number is a power of two
  u32 stride;  // words of a record

  SUBISO_DEVICE u32* record(u32 number) const { return pool + u64{number - 1} * stride; }
};

SUBISO_DEVICE u32 mixed(u32 hash, u32 key) {
  hash = (hash ^ key) * 0x9e3779b1u;
  return hash ^ hash >> 15;
}

struct BuildArgs {
  HashTable table;
  u64 num_rows;
  u64 first_key;  // the word of a record where its key begins
};

// Links every record into its chain; the heads are zero before. The order of a chain is nobody's concern.
SUBISO_DEVICE void build_table(const BuildArgs& args) {
  const u64 threads = u64{num_blocks()} * warps_per_block() * kWarp;
  const u64 thread = (u64{block_id()} * warps_per_block() + warp_in_block()) * kWarp + lane_id();
  for (u64 row = thread; row < args.num_rows; row += threads) {
    const u32 number = static_cast<u32>(row) + 1;
    u32* record = args.table.record(number);
    u32 hash = 0;
    for (u32 k = static_cast<u32>(args.first_key); k < args.table.stride; ++k) hash = mixed(hash, record[k]);
    record[0] = atomic_exchange(args.table.heads + (hash & args.table.mask), number);
  }
}

}  // namespace subiso
