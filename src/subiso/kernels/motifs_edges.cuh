// Passes: what follows from degrees and from the triangles of edges. First all edges, one per lane, which also add to their
// ends; then all vertices.
#pragma once
#include "motifs.cuh"

namespace subiso::motif {

// All that diamonds need: pairs of triangles on an edge.
template <class Store>
SUBISO_DEVICE void books(const Args<Store>& args) {
  Wide books2 = 0;
  for (u64 e = grid_self(); e < args.num_entries; e += grid_width()) books2 += falling2(load_constant(args.triangles + e));
  add_up<1>(args.board, {{kBooks2}, {books2}});
}

// Motifs of five vertices also read the triangles of an edge from the list of its upper end.
template <u32 kSize, class Store>
SUBISO_DEVICE void edges(const Args<Store>& args) {
  const Csr<typename Store::Offset> lists = args.store.relations.at(0);
  Wide paths = 0, books2 = 0, books3 = 0, bulls = 0, darts = 0, tails = 0;
  for (u64 e = grid_self(); e < args.num_entries; e += grid_width()) {
    const u32 x = load_constant(args.sources + e), b = load_constant(lists.neighbors + e);
    if (b < x) continue;
    const u32 t = load_own(args.triangles + e);
    const u64 d = args.store.neighbors(x, 0).size, other = args.store.neighbors(b, 0).size;
    paths += (d - 1) * (other - 1);
    if (kSize == 5) {
      atomic_add(args.reach + x, other - 1);
      atomic_add(args.reach + b, d - 1);
      const List below = args.store.neighbors_below(b, 0);
      args.triangles[static_cast<u64>(below.data - lists.neighbors) + count_below(below, x)] = t;
    }
    if (t == 0) continue;
    atomic_add(args.corners + x, u64{t});
    atomic_add(args.corners + b, u64{t});
    books2 += falling2(t);
    if (kSize < 5) continue;
    books3 += falling3(t);
    bulls += static_cast<Wide>(t) * ((d - 2) * (other - 2));
    darts += falling2(t) * (static_cast<Wide>(d + other) - 6);
    tails -= static_cast<Wide>(t) * (d + other - 2);
  }
  if (kSize == 5)
    add_up<6>(args.board, {{kPaths, kBooks2, kBooks3, kBulls, kDarts, kTails}, {paths, books2, books3, bulls, darts, tails}});
  else
    add_up<2>(args.board, {{kPaths, kBooks2}, {paths, books2}});
}

template <u32 kSize, class Store>
SUBISO_DEVICE void vertices(const Args<Store>& args) {
  Wide stars2 = 0, stars3 = 0, stars4 = 0, spiders = 0, long_paths = 0, tails = 0, pairs = 0, meetings = 0;
  Wide ends = 0, degrees = 0;
  for (u64 v = grid_self(); v < args.num_vertices; v += grid_width()) {
    const Wide d = args.store.neighbors(static_cast<u32>(v), 0).size;
    stars2 += falling2(d);
    if (kSize < 4) continue;
    const Wide t = args.corners[v] / 2;
    stars3 += falling3(d);
    ends += t;
    degrees += t * d;
    if (kSize < 5) continue;
    const Wide reach = args.reach[v];
    stars4 += falling2(d) * falling2(d - 2);
    spiders += falling2(d - 1) * reach;
    long_paths += reach * reach - d * (d - 1) * (d - 1);
    tails += t * reach;
    pairs += t * falling2(d - 2);
    meetings += falling2(t);
  }
  if (kSize == 3)
    add_up<1>(args.board, {{kStars2}, {stars2}});
  else if (kSize == 4)
    add_up<4>(args.board, {{kStars2, kStars3, kTriangleEnds, kTriangleDegrees}, {stars2, stars3, ends, degrees}});
  else
    add_up<10>(args.board, {{kStars2, kStars3, kTriangleEnds, kTriangleDegrees, kStars4, kSpiders, kLongPaths, kTails,
                             kTrianglePairs, kTriangleMeetings},
                            {stars2, stars3, ends, degrees, stars4, spiders, long_paths, tails, pairs, meetings}});
}

}  // namespace subiso::motif
