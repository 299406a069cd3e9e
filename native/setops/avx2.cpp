// The AVX2 target: blocks of eight.
#if defined(__x86_64__)
#include <immintrin.h>

#include <array>

#include "setops/merge.hpp"

#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#include "setops/blocks.hpp"  // instantiated for this target, hence after the pragma
namespace subiso {
namespace {

// kCompact[mask] lists the lanes set in mask, first ones first.
struct CompactTable {
  alignas(32) std::array<std::array<std::uint32_t, 8>, 256> lanes{};
  constexpr CompactTable() {
    for (unsigned mask = 0; mask < 256; ++mask)
      for (unsigned lane = 0, next = 0; lane < 8; ++lane)
        if (mask >> lane & 1) lanes[mask][next++] = lane;
  }
};
constexpr CompactTable kCompact;

struct Avx2 {
  static constexpr std::size_t kWidth = 8;
  static constexpr unsigned kAll = 0xFF;

  static __m256i load(const std::uint32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

  static unsigned matches(__m256i a, const std::uint32_t* q) {
    const __m256i b = load(q);
    const __m256i swapped = _mm256_permute2x128_si256(b, b, 1);
    __m256i hit = _mm256_or_si256(_mm256_cmpeq_epi32(a, b), _mm256_cmpeq_epi32(a, swapped));
    hit = _mm256_or_si256(hit, pair<0x39>(a, b, swapped));
    hit = _mm256_or_si256(hit, pair<0x4E>(a, b, swapped));
    hit = _mm256_or_si256(hit, pair<0x93>(a, b, swapped));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(hit)));
  }

  static std::size_t compact(__m256i lanes, unsigned mask, std::uint32_t* out) {
    const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(kCompact.lanes[mask].data()));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(lanes, order));
    return static_cast<std::size_t>(__builtin_popcount(mask));
  }

 private:
  // Both halves rotated by the same amount: with the swapped halves these are all eight rotations' pairs.
  template <int kShuffle>
  static __m256i pair(__m256i a, __m256i b, __m256i swapped) {
    return _mm256_or_si256(_mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, kShuffle)),
                           _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(swapped, kShuffle)));
  }
};

std::size_t intersect(Span a, Span b, std::uint32_t* out) { return Blocks<Avx2>::intersect(a, b, out); }
std::size_t intersect_count(Span a, Span b) { return Blocks<Avx2>::intersect_count(a, b); }
std::size_t subtract(Span a, Span b, std::uint32_t* out) { return Blocks<Avx2>::subtract(a, b, out); }

}  // namespace

const SetOps kAvx2Ops{"avx2", intersect, intersect_count, subtract};

}  // namespace subiso
#pragma GCC pop_options
#endif
