// Four-cycles inside small neighbourhoods: a team makes bit rows of one in shared memory; two members are opposite corners of
// as many cycles as there are pairs of members joined to both.
#pragma once
#include "hoods.cuh"
#include "local_build.cuh"

namespace subiso::hoods {

// Words between two rows: odd, so that lanes at different rows read different banks.
SUBISO_DEVICE constexpr u32 row_stride(u32 members) { return (members + 31) / 32 | 1; }
// Bytes of shared memory of a team.
SUBISO_DEVICE constexpr u32 rows_bytes(u32 capacity) { return 16 + (4 * capacity * (1 + row_stride(capacity)) + 15) / 16 * 16; }

template <bool kBlock, class Store>
class Rows {
 public:
  using Team = Crew<kBlock>;
  SUBISO_DEVICE explicit Rows(const Args<Store>& args) : args_(args) {
    u8* memory = Team::memory(rows_bytes(args.capacity));
    slot_ = reinterpret_cast<u64*>(memory);
    members_ = reinterpret_cast<u32*>(memory + 16);
    rows_ = members_ + args.capacity;
  }

  SUBISO_DEVICE void run() {
    for (u64 item = take<kBlock>(args_, slot_, 1); item < args_.num_items; item = take<kBlock>(args_, slot_, 1)) {
      const u32 end = load_constant(args_.starts + item + 1);
      for (u32 s = load_constant(args_.starts + item); s < end; ++s) search(load_constant(args_.seeds + s));
    }
    add_up(args_.control, pairs_);
  }

 private:
  SUBISO_DEVICE void search(u32 hub) {
    if (load_constant(args_.corners + hub) < kLeastCorners) return;
    const List around = args_.store.neighbors(hub, 0);
    const u32 stride = row_stride(around.size), words = (around.size + 31) / 32;
    for (u32 i = Team::self(); i < around.size; i += Team::width()) members_[i] = load_constant(around.data + i);
    for (u32 i = Team::self(); i < around.size * stride; i += Team::width()) rows_[i] = 0;
    Team::sync();
    for (u32 first = Team::warp() * kWarp; first < around.size; first += Team::warps() * kWarp)
      build_rows(args_.store, 0, false, true, {members_, around.size}, rows_, stride, 0, first);
    Team::sync();
    for (u32 a = Team::warp(); a < around.size; a += Team::warps()) from(rows_ + a * stride, a, around.size, stride, words);
    Team::sync();
  }

  // The pairs of member a and those after it: a cycle has two pairs of opposite corners.
  SUBISO_DEVICE void from(const u32* row, u32 a, u32 size, u32 stride, u32 words) {
    u32 degree = 0;
    for (u32 w = 0; w < words; ++w) degree += popcount(row[w]);
    if (degree < 2) return;
    for (u32 c = a + 1 + lane_id(); c < size; c += kWarp) {
      const u32* other = rows_ + c * stride;
      u32 joined = 0;
      for (u32 w = 0; w < words; ++w) joined += popcount(row[w] & other[w]);
      pairs_ += u64{joined} * (joined - 1) / 2;
    }
  }

  const Args<Store>& args_;
  u64* slot_;
  u32 *members_, *rows_;
  u64 pairs_ = 0;
};

template <bool kBlock, class Store>
SUBISO_DEVICE void rows(const Args<Store>& args) {
  Rows<kBlock, Store>(args).run();
}

}  // namespace subiso::hoods
