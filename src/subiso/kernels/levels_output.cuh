// What becomes of results of schedule `levels`: counted, or written as pairs of a row and a vertex, through a cache.
#pragma once
#include "levels.cuh"

namespace subiso {

enum class Output {
  kTotal,   // they are counted, all rows together
  kCounts,  // they are counted row by row: the first half of a join done twice,
  kWrite,   // and its second half, which writes pairs to the places that follow from the counts
  kBuffer,  // they are written where the row has room for all its candidates, and counted (Prealloc-Combine)
  kPairs,   // they are written as pairs, in no order: warps take room by an atomic addition
};

inline constexpr u32 kStages = 2;  // operands that a warp keeps in shared memory

// A row and a vertex that was found for it.
struct Result {
  u32 parent, vertex;
};

// A warp's shared memory; operands follow.
struct JoinScratch {
  u32 parents[2 * kWarp];
  u32 vertices[2 * kWarp];
  SUBISO_DEVICE u32* operands() { return reinterpret_cast<u32*>(this + 1); }
  SUBISO_DEVICE static u32 bytes(u32 staged) {
    return static_cast<u32>(sizeof(JoinScratch)) + kStages * staged * static_cast<u32>(sizeof(u32));
  }
};

template <class Store, Output kOutput>
class OutputWarp {
 public:
  SUBISO_DEVICE explicit OutputWarp(const LevelsArgs<Store>& args)
      : args_(args),
        scratch_(reinterpret_cast<JoinScratch*>(shared_memory() + warp_in_block() * JoinScratch::bytes(args.staged))) {}

  // One result per lane that has one.
  SUBISO_DEVICE void put(bool ok, u32 row, u32 vertex) {
    if constexpr (kOutput == Output::kTotal) {
      counted_ += ok;
    } else {
      const u32 fitting = ballot(ok);
      if (args_.cache) {
        add_to_cache(fitting, ok, row, vertex, [&] { return take(kWarp); });
      } else if (fitting != 0) {
        const u64 place = take(popcount(fitting)) + popcount(fitting & lanes_below());
        if (ok) write_pair(place, row, vertex);
      }
    }
  }

  // At the kernel's end, by all warps.
  SUBISO_DEVICE void finish() {
    if constexpr (kOutput == Output::kTotal) add_up(args_.control, static_cast<Wide>(counted_));
    if constexpr (kOutput == Output::kPairs)
      if (cached_ != 0) flush_cache(cached_, take(cached_));
  }

 protected:
  SUBISO_DEVICE u64 take(u32 wanted) {
    u64 at = 0;
    if (lane_id() == 0) at = atomic_add(args_.to.rows, u64{wanted}) - args_.base;
    return shuffle(at, 0);
  }
  SUBISO_DEVICE void write_pair(u64 place, u32 row, u32 vertex) {
    if (kOutput == Output::kPairs) args_.parents[place] = row;
    args_.vertices[place] = vertex;
  }

  // The write cache: what fits is collected in shared memory and written 32 elements at a time, 128 bytes.
  template <class Place>
  SUBISO_DEVICE void add_to_cache(u32 fitting, bool ok, u32 row, u32 vertex, Place place) {
    const u32 at = cached_ + popcount(fitting & lanes_below());
    if (ok) {
      scratch_->parents[at] = row;
      scratch_->vertices[at] = vertex;
    }
    cached_ += popcount(fitting);
    sync_warp();
    if (cached_ < kWarp) return;
    flush_cache(kWarp, place());
    const u32 lane = lane_id(), rest = cached_ - kWarp;
    Result moved{};
    if (lane < rest) moved = {scratch_->parents[kWarp + lane], scratch_->vertices[kWarp + lane]};
    sync_warp();
    if (lane < rest) {
      scratch_->parents[lane] = moved.parent;
      scratch_->vertices[lane] = moved.vertex;
    }
    cached_ = rest;
    sync_warp();
  }
  SUBISO_DEVICE void flush_cache(u32 count, u64 place) {
    const u32 lane = lane_id();
    if (lane < count) write_pair(place + lane, scratch_->parents[lane], scratch_->vertices[lane]);
  }

  const LevelsArgs<Store>& args_;
  JoinScratch* const scratch_;
  u32 cached_ = 0;
  u64 counted_ = 0;
};

}  // namespace subiso
