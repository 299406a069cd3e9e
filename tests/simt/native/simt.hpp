// The SIMT shim: runs a kernel's lanes as fibers on one CPU thread, so that kernels are tested without a device.
// kernels/warp.cuh calls it when SUBISO_SIMT is defined. Stricter than hardware: a warp call completes only when exactly
// the lanes of its mask arrive at the same call with the same mask; shared memory and absent lanes hold poison; waiting
// loops are bounded. It does not show weak memory, real concurrency or speed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

namespace subiso::simt {

inline constexpr unsigned char kPoison = 0xA5;

// Unfair: one warp runs as far as it can while the others stand still, then another, so that missing barriers show.
enum class Order { kForward, kReverse, kRandom, kUnfair };

struct Launch {
  std::uint32_t blocks = 1;
  std::uint32_t threads = 32;  // per block, a multiple of 32
  std::size_t shared_bytes = 0;
  Order order = Order::kForward;
  std::uint64_t seed = 0;
  std::uint64_t max_spins = 200'000;  // backoffs of one lane
  // Writes *poke = 1 after this many turns of lanes (a host that stops a running kernel); null = never.
  std::uint32_t* poke = nullptr;
  std::uint64_t poke_after = 0;
  std::uint64_t* atomics = nullptr;  // atomic operations are added up here, if anywhere
};

// Thrown by launch: says what went wrong with block, thread, file and line.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs the kernel in every lane of every block, all of them in flight at once. Returns the number of turns of lanes.
std::uint64_t launch(const Launch& how, const std::function<void()>& kernel);

// ---- what warp.cuh calls from inside a lane ------------------------------------------------------------------------
std::uint32_t thread_in_block();
std::uint32_t threads_per_block();
std::uint32_t block();
std::uint32_t blocks();
unsigned char* shared_memory();
std::uint64_t clock_now();

enum class Call { kBallot, kShuffle, kScan, kReduce, kSyncWarp, kSyncBlock };

inline constexpr std::size_t kOperandBytes = 16;

struct Operand {
  unsigned char bytes[kOperandBytes];
};

// Waits for the mask's lanes. Afterwards gathered(lane) is what each of them brought, until this lane's next call.
void arrive(Call call, std::uint32_t mask, const void* operand, std::size_t size, const char* file, int line);
const Operand& gathered(std::uint32_t lane);

void sync_block(const char* file, int line);
void backoff(const char* file, int line);
// In random and unfair order: now and then lets another lane run. A place where lanes interleave though nothing waits.
void maybe_yield();
// The same, where an atomic operation begins.
void before_atomic();

template <class T>
T operand_of(std::uint32_t lane) {
  T value;
  std::memcpy(&value, gathered(lane).bytes, sizeof value);
  return value;
}

inline std::uint32_t ballot(bool value, std::uint32_t mask, const char* file, int line) {
  arrive(Call::kBallot, mask, &value, sizeof value, file, line);
  std::uint32_t bits = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) && operand_of<bool>(lane)) bits |= 1u << lane;
  return bits;
}

template <class T>
T shuffle(T value, std::uint32_t lane, std::uint32_t mask, const char* file, int line) {
  static_assert(sizeof(T) <= kOperandBytes);
  arrive(Call::kShuffle, mask, &value, sizeof value, file, line);
  if (mask >> (lane % 32) & 1) return operand_of<T>(lane % 32);
  T poison;
  std::memset(&poison, kPoison, sizeof poison);
  return poison;
}

template <class T>
T scan_add(T value, std::uint32_t mask, const char* file, int line) {
  arrive(Call::kScan, mask, &value, sizeof value, file, line);
  T sum{};
  for (std::uint32_t lane = 0; lane <= thread_in_block() % 32; ++lane) sum += operand_of<T>(lane);
  return sum;
}

template <class T>
T reduce_add(T value, std::uint32_t mask, const char* file, int line) {
  arrive(Call::kReduce, mask, &value, sizeof value, file, line);
  T sum{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) sum += operand_of<T>(lane);
  return sum;
}

inline void sync_warp(std::uint32_t mask, const char* file, int line) {
  arrive(Call::kSyncWarp, mask, nullptr, 0, file, line);
}

}  // namespace subiso::simt
