// A fixed set, marked in an array over the vertices, to be intersected with one list after the other: gives the common
// elements together with their places in both, which is what counts by edge need.
#pragma once
#include <vector>

#include "setops/setops.hpp"

namespace subiso {

class MarkedBase {
 public:
  // The base stays valid, and unchanged, until `clear`.
  void mark(Span base, std::size_t num_vertices);
  void clear();
  // How many elements the list shares with the base; they and their places are then in the arrays below.
  std::size_t intersect(Span list);

  Span base() const { return base_; }
  const std::uint32_t* elements() const { return elements_.data(); }
  const std::uint32_t* in_base() const { return in_base_.data(); }
  const std::uint32_t* in_list() const { return in_list_.data(); }

 private:
  void keep(std::size_t at, std::uint32_t element, std::size_t in_base, std::size_t in_list) {
    elements_[at] = element;
    in_base_[at] = static_cast<std::uint32_t>(in_base);
    in_list_[at] = static_cast<std::uint32_t>(in_list);
  }

  Span base_;
  std::vector<std::uint32_t> marks_;  // by vertex: its place in the base plus one, 0 = not in it
  std::vector<std::uint32_t> elements_, in_base_, in_list_;
};

}  // namespace subiso
