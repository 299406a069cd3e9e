// Checks a CSR that a file claims to be: offsets and neighbours in range, and every entry mirrored. For METIS and GraphMiner.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace subiso::formats {

struct CsrFault {
  enum What : int { none = 0, offsets = 1, neighbor = 2, mirror = 3 } what = none;
  std::int64_t vertex = 0;  // whose list it is in
  std::int64_t value = 0;   // the offset or the neighbour at fault
};

// Offsets must start at 0, never fall and end at the number of entries.
CsrFault check_offsets(std::span<const std::int64_t> offsets, std::size_t entries);

// And neighbours must lie in [0, n).
CsrFault check_csr(std::span<const std::int64_t> offsets, std::span<const std::int64_t> neighbors);

// For each entry (u, v) the position of its mirror (v, u), a loop being its own; parallel entries are paired in order.
// `mirrors` has one place per entry. The CSR must have passed check_csr.
CsrFault pair_mirrors(std::span<const std::int64_t> offsets, std::span<const std::int64_t> neighbors,
                      std::span<std::int64_t> mirrors);

}  // namespace subiso::formats
