#include "engine/marked_base.hpp"

#include <algorithm>

namespace subiso {

void MarkedBase::mark(Span base, std::size_t num_vertices) {
  base_ = base;
  marks_.resize(num_vertices);
  for (std::size_t i = 0; i < base.size; ++i) marks_[base.data[i]] = static_cast<std::uint32_t>(i + 1);
}

void MarkedBase::clear() {
  for (std::uint32_t v : base_) marks_[v] = 0;
  base_ = {};
}

std::size_t MarkedBase::intersect(Span list) {
  const std::size_t most = std::min(base_.size, list.size) + 1;  // one more: what is not kept is written, too
  if (elements_.size() < most)
    for (auto* array : {&elements_, &in_base_, &in_list_}) array->resize(most + most / 2);
  std::size_t found = 0;
  if (base_.size * kGallopRatio < list.size) {
    const std::uint32_t* p = list.begin();
    for (std::size_t i = 0; i < base_.size; ++i) {
      p = gallop(p, list.end(), base_.data[i]);
      if (p == list.end()) break;
      keep(found, base_.data[i], i, static_cast<std::size_t>(p - list.begin()));
      found += *p == base_.data[i];
    }
    return found;
  }
  for (std::size_t i = 0; i < list.size; ++i) {
    const std::uint32_t mark = marks_[list.data[i]];
    keep(found, list.data[i], mark - std::size_t{1}, i);
    found += mark != 0;
  }
  return found;
}

}  // namespace subiso
