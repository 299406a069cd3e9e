// Degree-preserving random graphs: a Markov chain of switches u-v, x-y -> u-y, x-v. See generate.hpp.
//
// A switch that would make a loop or a second edge leaves the graph as it is, and counts: only so is every graph equally
// likely in the end. Directed graphs need one move more, as switches alone cannot turn a ring of three arcs
// around: two arcs in a row, which a switch would make a loop of, turn the ring that they belong to, if there is one.
#include <stdexcept>
#include <utility>

#include "generate/generate.hpp"
#include "generate/pair_index.hpp"

namespace subiso::generate {
namespace {
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Edge {
  u32 u, v;
};

// Edges 0 .. arcs - 1 are arcs of a directed graph, the rest have no direction (in a directed graph: mutual pairs, once each).
class Chain {
 public:
  Chain(const EdgeList& edges, u64 arcs, bool ordered, Stream random)
      : edges_(edges.src.size()), arcs_(arcs), ordered_(ordered), random_(random), index_(edges_.size(), ordered) {
    for (u64 e = 0; e < edges_.size(); ++e) set(e, {edges.src[e], edges.dst[e]});
  }

  // Which edges a step draws does not depend on the steps before it: they are fetched ahead, as everything lies all over memory.
  void run(u64 steps) {
    constexpr u64 kFar = 16, kNear = 8;
    for (u64 i = 0; i < steps; ++i) {
      const Draw far = draw(i + kFar), near = draw(i + kNear);
      __builtin_prefetch(&edges_[far.e]);
      __builtin_prefetch(&edges_[far.f]);
      const Edge a = edges_[near.e], b = second(near);
      index_.prefetch(a.u, b.v);
      index_.prefetch(b.u, a.v);
      step(draw(i));
    }
  }

  EdgeList take() const {
    EdgeList out;
    for (const Edge& e : edges_) out.add(e.u, e.v);
    return out;
  }

 private:
  struct Draw {
    u64 e, f;
    bool turned;  // the second edge is read backwards, where it has no direction
  };
  Draw draw(u64 i) const {
    return {random_.below(2 * i, edges_.size()), random_.below(2 * i + 1, edges_.size()), (random_.at(2 * i) & 1) != 0};
  }
  Edge second(const Draw& d) const {
    const Edge b = edges_[d.f];
    return d.turned && d.f >= arcs_ ? Edge{b.v, b.u} : b;
  }

  void step(const Draw& d) {
    if (d.e == d.f || (d.e < arcs_) != (d.f < arcs_)) return;
    const Edge a = edges_[d.e], b = second(d);
    if (a.v == b.u && d.e < arcs_) turn_ring(d.e, d.f);
    if (a.v == b.u || a.u == b.v || index_.contains(a.u, b.v) || index_.contains(b.u, a.v)) return;
    forget(d.e);
    forget(d.f);
    set(d.e, {a.u, b.v});
    set(d.f, {b.u, a.v});
  }

  // e and f are a -> b -> c. Where c -> a closes the ring, and no arc runs the other way, the ring is turned around.
  void turn_ring(u64 e, u64 f) {
    const u32 a = edges_[e].u, b = edges_[e].v, c = edges_[f].v;
    const u32 g = a == c ? PairIndex::kAbsent : index_.find(c, a);
    if (g == PairIndex::kAbsent || g >= arcs_ || edges_[g].u != c) return;
    if (ordered_ && (index_.contains(b, a) || index_.contains(c, b) || index_.contains(a, c))) return;
    for (const u64 arc : {e, f, u64{g}}) forget(arc);
    set(e, {b, a});
    set(f, {c, b});
    set(g, {a, c});
  }

  void forget(u64 e) { index_.erase(edges_[e].u, edges_[e].v); }
  void set(u64 e, Edge edge) {
    edges_[e] = edge;
    index_.put(edge.u, edge.v, static_cast<u32>(e));
  }

  std::vector<Edge> edges_;
  const u64 arcs_;
  const bool ordered_;
  const Stream random_;
  PairIndex index_;
};

// One-way arcs first, then every mutual pair once; the number of the former.
u64 set_mutual_apart(EdgeList& edges) {
  PairIndex index(edges.src.size(), true);
  for (u64 e = 0; e < edges.src.size(); ++e) index.put(edges.src[e], edges.dst[e], static_cast<u32>(e));
  EdgeList one_way, mutual;
  for (u64 e = 0; e < edges.src.size(); ++e) {
    const u32 u = edges.src[e], v = edges.dst[e];
    if (!index.contains(v, u))
      one_way.add(u, v);
    else if (u < v)
      mutual.add(u, v);
  }
  const u64 arcs = one_way.src.size();
  for (u64 e = 0; e < mutual.src.size(); ++e) one_way.add(mutual.src[e], mutual.dst[e]);
  edges = std::move(one_way);
  return arcs;
}
}  // namespace

EdgeList rewire(EdgeList edges, Rewiring kind, u64 steps, Seed seed) {
  if (edges.src.size() >= PairIndex::kAbsent) throw std::invalid_argument("too many edges to rewire");
  u64 arcs = kind == Rewiring::undirected ? 0 : edges.src.size();
  if (kind == Rewiring::keep_mutual) arcs = set_mutual_apart(edges);
  if (edges.src.size() < 2) steps = 0;
  Chain chain(edges, arcs, kind == Rewiring::directed, Stream(seed.seed, seed.stream));
  chain.run(steps);
  edges = chain.take();
  if (kind == Rewiring::keep_mutual) {
    const u64 m = edges.src.size();
    for (u64 e = arcs; e < m; ++e) edges.add(edges.dst[e], edges.src[e]);
  }
  return edges;
}
}  // namespace subiso::generate
