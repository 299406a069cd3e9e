// The AVX-512 target: blocks of eight in 256-bit registers (as wide as many cores execute at full rate), whose
// compares give masks and whose compaction needs no table.
#if defined(__x86_64__)
#include <immintrin.h>

#include "setops/merge.hpp"

#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx2,bmi,bmi2,popcnt,lzcnt")
#include "setops/blocks.hpp"  // instantiated for this target, hence after the pragma
namespace subiso {
namespace {

struct Avx512 {
  static constexpr std::size_t kWidth = 8;
  static constexpr unsigned kAll = 0xFF;

  static __m256i load(const std::uint32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

  static unsigned matches(__m256i a, const std::uint32_t* q) {
    const __m256i b = load(q);
    const __m256i swapped = _mm256_permute2x128_si256(b, b, 1);
    unsigned hit = _mm256_cmpeq_epi32_mask(a, b) | _mm256_cmpeq_epi32_mask(a, swapped);
    hit |= pair<_MM_PERM_ADCB>(a, b, swapped);
    hit |= pair<_MM_PERM_BADC>(a, b, swapped);
    hit |= pair<_MM_PERM_CBAD>(a, b, swapped);
    return hit;
  }

  static std::size_t compact(__m256i lanes, unsigned mask, std::uint32_t* out) {
    const __m256i packed = _mm256_maskz_compress_epi32(static_cast<__mmask8>(mask), lanes);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), packed);
    return static_cast<std::size_t>(__builtin_popcount(mask));
  }

 private:
  template <_MM_PERM_ENUM kShuffle>
  static unsigned pair(__m256i a, __m256i b, __m256i swapped) {
    return _mm256_cmpeq_epi32_mask(a, _mm256_shuffle_epi32(b, kShuffle)) |
           _mm256_cmpeq_epi32_mask(a, _mm256_shuffle_epi32(swapped, kShuffle));
  }
};

std::size_t intersect(Span a, Span b, std::uint32_t* out) { return Blocks<Avx512>::intersect(a, b, out); }
std::size_t intersect_count(Span a, Span b) { return Blocks<Avx512>::intersect_count(a, b); }
std::size_t subtract(Span a, Span b, std::uint32_t* out) { return Blocks<Avx512>::subtract(a, b, out); }

}  // namespace

const SetOps kAvx512Ops{"avx512", intersect, intersect_count, subtract};

}  // namespace subiso
#pragma GCC pop_options
#endif
