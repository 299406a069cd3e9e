// Everything a kernel needs of the machine: who am I, warp-wide calls, atomics, fences, shared memory, waiting.
// The only header that names intrinsics. It is compiled three ways: by NVRTC and nvcc for a device, and by g++ through
// the SIMT shim (tests/simt), which defines SUBISO_SIMT and runs every lane as a fiber.
#pragma once

#if defined(__CUDACC_RTC__)
namespace subiso {
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;
}  // namespace subiso
#else
#include <cstdint>
namespace subiso {
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = unsigned long long;
using i32 = std::int32_t;
using i64 = long long;
}  // namespace subiso
#endif

#ifdef SUBISO_SIMT
#include "simt.hpp"
#define SUBISO_DEVICE inline
#define SUBISO_CALL , const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SUBISO_CALL0 const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SUBISO_UNROLL
#define SUBISO_ROLLED
#else
#define SUBISO_DEVICE __device__ __forceinline__
#define SUBISO_CALL
#define SUBISO_CALL0
#define SUBISO_UNROLL _Pragma("unroll")
#define SUBISO_ROLLED _Pragma("unroll 1")
#endif

namespace subiso {

using Wide = __int128;  // totals: counts never overflow in silence

inline constexpr u32 kFull = 0xffffffffu;
inline constexpr u32 kWarp = 32;

template <class T>
SUBISO_DEVICE constexpr T least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
SUBISO_DEVICE constexpr T greatest(T a, T b) {
  return a < b ? b : a;
}

#ifdef SUBISO_SIMT

SUBISO_DEVICE u32 lane_id() { return simt::thread_in_block() % kWarp; }
SUBISO_DEVICE u32 warp_in_block(SUBISO_CALL0) {
  return simt::shuffle(simt::thread_in_block() / kWarp, 0, kFull, file, line);
}
SUBISO_DEVICE u32 warps_per_block() { return simt::threads_per_block() / kWarp; }
SUBISO_DEVICE u32 block_id() { return simt::block(); }
SUBISO_DEVICE u32 num_blocks() { return simt::blocks(); }

SUBISO_DEVICE u32 popcount(u32 x) { return static_cast<u32>(__builtin_popcount(x)); }
// The number of the lowest set bit; 32 where there is none.
SUBISO_DEVICE u32 lowest_bit(u32 x) { return x ? static_cast<u32>(__builtin_ctz(x)) : 32; }

SUBISO_DEVICE u32 ballot(bool value, u32 mask = kFull SUBISO_CALL) { return simt::ballot(value, mask, file, line); }
template <class T>
SUBISO_DEVICE T shuffle(T value, u32 lane, u32 mask = kFull SUBISO_CALL) {
  return simt::shuffle(value, lane, mask, file, line);
}
template <class T>
SUBISO_DEVICE T scan_add(T value SUBISO_CALL) {
  return simt::scan_add(value, kFull, file, line);
}
template <class T>
SUBISO_DEVICE T reduce_add(T value SUBISO_CALL) {
  return simt::reduce_add(value, kFull, file, line);
}
SUBISO_DEVICE void sync_warp(u32 mask = kFull SUBISO_CALL) { simt::sync_warp(mask, file, line); }
SUBISO_DEVICE void sync_block(SUBISO_CALL0) { simt::sync_block(file, line); }

template <class T>
SUBISO_DEVICE T atomic_add(T* at, T value) {
  simt::before_atomic();
  const T old = *at;
  *at = static_cast<T>(old + value);
  return old;
}
SUBISO_DEVICE u32 atomic_or(u32* at, u32 value) {
  simt::before_atomic();
  const u32 old = *at;
  *at = old | value;
  return old;
}
SUBISO_DEVICE u32 atomic_and(u32* at, u32 value) {
  simt::before_atomic();
  const u32 old = *at;
  *at = old & value;
  return old;
}
SUBISO_DEVICE u32 atomic_cas(u32* at, u32 expected, u32 value) {
  simt::before_atomic();
  const u32 old = *at;
  if (old == expected) *at = value;
  return old;
}
SUBISO_DEVICE u32 atomic_exchange(u32* at, u32 value) {
  simt::before_atomic();
  const u32 old = *at;
  *at = value;
  return old;
}
// Memory that other warps write while we look.
template <class T>
SUBISO_DEVICE T load_fresh(const T* at) {
  simt::maybe_yield();
  return *at;
}
template <class T>
SUBISO_DEVICE void store_fresh(T* at, T value) {
  simt::maybe_yield();
  *at = value;
}
// Device memory that this block has written, with atomics too: past the nearest cache.
template <class T>
SUBISO_DEVICE T load_far(const T* at) {
  simt::maybe_yield();
  return *at;
}
// Memory that nobody writes during the launch.
template <class T>
SUBISO_DEVICE T load_constant(const T* at) {
  return *at;
}
// Memory that this warp itself may have written.
template <class T>
SUBISO_DEVICE T load_own(const T* at) {
  return *at;
}
SUBISO_DEVICE void fence_device() {}
SUBISO_DEVICE void backoff(SUBISO_CALL0) { simt::backoff(file, line); }
SUBISO_DEVICE u8* shared_memory() { return simt::shared_memory(); }
SUBISO_DEVICE u64 clock_now() { return simt::clock_now(); }

#else

SUBISO_DEVICE u32 lane_id() { return threadIdx.x % kWarp; }
// For all lanes together: a shuffle tells the compiler that the number is the same for all, which saves registers.
SUBISO_DEVICE u32 warp_in_block() { return __shfl_sync(kFull, threadIdx.x / kWarp, 0); }
SUBISO_DEVICE u32 warps_per_block() { return blockDim.x / kWarp; }
SUBISO_DEVICE u32 block_id() { return blockIdx.x; }
SUBISO_DEVICE u32 num_blocks() { return gridDim.x; }

SUBISO_DEVICE u32 popcount(u32 x) { return static_cast<u32>(__popc(x)); }
SUBISO_DEVICE u32 lowest_bit(u32 x) { return x ? static_cast<u32>(__ffs(static_cast<int>(x)) - 1) : 32; }

SUBISO_DEVICE u32 ballot(bool value, u32 mask = kFull) { return __ballot_sync(mask, value); }
template <class T>
SUBISO_DEVICE T shuffle(T value, u32 lane, u32 mask = kFull) {
  return __shfl_sync(mask, value, static_cast<int>(lane));
}
template <class T>
SUBISO_DEVICE T* shuffle(T* value, u32 lane, u32 mask = kFull) {
  return reinterpret_cast<T*>(__shfl_sync(mask, reinterpret_cast<u64>(value), static_cast<int>(lane)));
}
SUBISO_DEVICE Wide shuffle(Wide value, u32 lane, u32 mask = kFull) {
  const u64 low = shuffle(static_cast<u64>(value), lane, mask), high = shuffle(static_cast<u64>(value >> 64), lane, mask);
  return static_cast<Wide>(static_cast<unsigned __int128>(high) << 64 | low);
}
// Inclusive prefix sums over the whole warp.
template <class T>
SUBISO_DEVICE T scan_add(T value) {
  SUBISO_UNROLL
  for (u32 step = 1; step < kWarp; step *= 2) {
    const T below = __shfl_up_sync(kFull, value, step);
    if (lane_id() >= step) value += below;
  }
  return value;
}
template <class T>
SUBISO_DEVICE T reduce_add(T value) {
  SUBISO_UNROLL
  for (u32 step = kWarp / 2; step != 0; step /= 2) value += shuffle(value, lane_id() ^ step);
  return value;
}
SUBISO_DEVICE void sync_warp(u32 mask = kFull) { __syncwarp(mask); }
SUBISO_DEVICE void sync_block() { __syncthreads(); }

template <class T>
SUBISO_DEVICE T atomic_add(T* at, T value) {
  return atomicAdd(at, value);
}
SUBISO_DEVICE u32 atomic_or(u32* at, u32 value) { return atomicOr(at, value); }
SUBISO_DEVICE u32 atomic_and(u32* at, u32 value) { return atomicAnd(at, value); }
SUBISO_DEVICE u32 atomic_cas(u32* at, u32 expected, u32 value) { return atomicCAS(at, expected, value); }
SUBISO_DEVICE u32 atomic_exchange(u32* at, u32 value) { return atomicExch(at, value); }
template <class T>
SUBISO_DEVICE T load_fresh(const T* at) {
  return *const_cast<const volatile T*>(at);
}
template <class T>
SUBISO_DEVICE void store_fresh(T* at, T value) {
  *const_cast<volatile T*>(at) = value;
}
template <class T>
SUBISO_DEVICE T load_far(const T* at) {
  return __ldcg(at);
}
template <class T>
SUBISO_DEVICE T load_constant(const T* at) {
  return __ldg(at);
}
template <class T>
SUBISO_DEVICE T load_own(const T* at) {
  return *at;
}
SUBISO_DEVICE void fence_device() { __threadfence(); }
SUBISO_DEVICE void backoff() { __nanosleep(200); }
SUBISO_DEVICE u8* shared_memory() {
  extern __shared__ __align__(16) unsigned char subiso_shared[];
  return subiso_shared;
}
SUBISO_DEVICE u64 clock_now() { return static_cast<u64>(clock64()); }

#endif

// ---- the same on every machine -------------------------------------------------------------------------------------

SUBISO_DEVICE u32 lanes_below() { return (1u << lane_id()) - 1; }

SUBISO_DEVICE u32 first_bits(u32 n) { return n < 32 ? (1u << n) - 1 : 0xffffffffu; }

// The number of the set bit that has `n` others below it; there must be one.
SUBISO_DEVICE u32 nth_bit(u32 bits, u32 n) {
  u32 found = 0;
  SUBISO_UNROLL
  for (u32 step = 16; step != 0; step /= 2)
    if (popcount(bits & first_bits(found + step)) <= n) found += step;
  return found;
}

// A 128-bit total in two words, added to by many: the carry follows on its own, so that only the end value is whole.
struct Total {
  u64 low, high;
};

SUBISO_DEVICE void atomic_add(Total* total, Wide value) {
  const u64 low = static_cast<u64>(value);
  u64 high = static_cast<u64>(value >> 64);
  const u64 before = atomic_add(&total->low, low);
  if (before + low < before) ++high;
  if (high != 0) atomic_add(&total->high, high);
}

}  // namespace subiso
