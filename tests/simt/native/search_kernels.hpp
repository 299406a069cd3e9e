// Schedule `fine`, instantiated for the shim.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "simt.hpp"

namespace subiso {

struct SearchKernel {
  std::string tail;  // count, sizes, rows
  bool edges = false;
  bool wide_offsets = false;
  unsigned batch = 32;  // 32, 4 or 1
  bool share = true;
  bool sets = false;
  std::string team = "none";  // none, warp, block
};

std::uint64_t launch_search(const SearchKernel& kernel, const simt::Launch& how, const void* args, std::size_t bytes);

// Sizes of the structures that Python fills, by name.
std::vector<std::pair<std::string, std::size_t>> search_layout();

}  // namespace subiso
