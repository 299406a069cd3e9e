// SimpleGraph: drops self loops where there are any.
#include "motifs/graph.hpp"

namespace subiso::motifs {

SimpleGraph::SimpleGraph(u32 num_vertices, Csr lists) : num_vertices_(num_vertices), lists_(lists) {
  const CsrStore store(num_vertices, {lists});
  bool loops = false;
  for (u32 v = 0; v < num_vertices && !loops; ++v)
    loops = store.neighbors(v, 0).size != store.neighbors_below(v, 0).size + store.neighbors_above(v, 0).size;
  if (!loops) return;
  bounds_.reserve(2 * std::size_t{num_vertices} + 1);
  bounds_.push_back(0);
  for (u32 v = 0; v < num_vertices; ++v) {
    for (const Span side : {store.neighbors_below(v, 0), store.neighbors_above(v, 0)}) {
      neighbors_.insert(neighbors_.end(), side.begin(), side.end());
      bounds_.push_back(static_cast<std::int64_t>(neighbors_.size()));
    }
  }
  lists_ = {bounds_.data(), neighbors_.data()};
}

}  // namespace subiso::motifs
