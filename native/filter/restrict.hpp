// A relation restricted to candidates: only lists of vertices in `from`, only elements in `to`, both renumbered.
// Flat arrays in, flat arrays out.
#pragma once
#include <cstdint>
#include <vector>

#include "filter/numbering.hpp"
#include "storage/csr_store.hpp"

namespace subiso {

struct RestrictedCsr {
  std::vector<std::int64_t> bounds;  // as in storage/csr_store.hpp, over the members of `all`
  std::vector<std::uint32_t> neighbors;
};

// `from` and `to` are bitmaps over the relation's vertices, null for all of them; `all` numbers what may occur on either
// side and contains both. Lists stay sorted, since the numbering keeps the order. `threads`: 0 for as many as are worth it.
RestrictedCsr restrict_csr(Csr csr, const std::uint64_t* from, const std::uint64_t* to, const Numbering& all,
                           const std::vector<std::uint32_t>& members, unsigned threads);

}  // namespace subiso
