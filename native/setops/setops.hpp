// Operations on sorted sets of vertices: the engine's inner loops. Written once for scalars (the definition) and
// once per SIMD target; the fastest that the machine has is chosen at run time.
#pragma once
#include <cstddef>
#include <cstdint>

namespace subiso {

// A sorted list of distinct vertices that somebody else owns.
struct Span {
  const std::uint32_t* data = nullptr;
  std::size_t size = 0;
  const std::uint32_t* begin() const { return data; }
  const std::uint32_t* end() const { return data + size; }
};

// Room that the SIMD versions may overwrite behind the last result of `intersect` and `subtract`.
inline constexpr std::size_t kSlack = 16;

struct SetOps {
  const char* name;
  // |a and b|; `intersect` also writes the set to out (capacity min(|a|, |b|) + kSlack; overlaps neither input).
  std::size_t (*intersect)(Span a, Span b, std::uint32_t* out);
  std::size_t (*intersect_count)(Span a, Span b);
  // a without b (capacity |a| + kSlack; out may be a.data).
  std::size_t (*subtract)(Span a, Span b, std::uint32_t* out);
};

// Pointer to the first element >= x, found by doubling steps: cheap when it is near the beginning.
const std::uint32_t* gallop(const std::uint32_t* first, const std::uint32_t* last, std::uint32_t x);

// Lists whose lengths differ by more than this factor are searched, not merged.
inline constexpr std::size_t kGallopRatio = 24;
std::size_t intersect_gallop(Span small, Span large, std::uint32_t* out);
std::size_t intersect_count_gallop(Span small, Span large);

extern const SetOps kScalarOps;
#if defined(__x86_64__)
extern const SetOps kAvx2Ops;
extern const SetOps kAvx512Ops;
#endif

// The fastest version for this machine; `name` ("scalar", "avx2", "avx512") forces one, and throws where it cannot run.
const SetOps& choose_setops(const char* name = nullptr);

}  // namespace subiso
