// Pass: four-cycles and, where motifs of five vertices are asked for, the triangles on their edges, each found at its
// highest vertex u: a table has, for every b below u, the paths u - a - b with a below u. Where a block's table has no room
// for all vertices, there is a launch for every tile, a range of ends.
#pragma once
#include "motifs_tables.cuh"

namespace subiso::motif {

template <bool kBlock>
struct SquareTable {
  using Type = TileCounts;
};
template <>
struct SquareTable<false> {
  using Type = FewCounts;
};

template <bool kBlock, bool kTriangles, class Store>
class Squares {
 public:
  using Team = Crew<kBlock>;
  using Table = typename SquareTable<kBlock>::Type;
  SUBISO_DEVICE explicit Squares(const Args<Store>& args)
      : args_(args),
        lists_(args.store.relations.at(0)),
        memory_(Team::memory(Table::bytes(args.table.slots))),
        dealer_(memory_ + 16),
        table_(args, memory_ + 16 + Dealer<kBlock>::bytes()) {}

  SUBISO_DEVICE void run() {
    each_item<kBlock>(args_, reinterpret_cast<u64*>(memory_), [&](u32 item) {
      const u32 u = load_constant(args_.seeds + item);
      const Part part(kBlock ? load_constant(args_.parts + item) : 1u << 16);
      if (kBlock) take(part);
      if (kBlock && begin_ >= u) return;
      u64 pairs = 0;
      each_end(u, 0, [&](u32 b, const u32*, u32) { pairs += table_.add(b, part); });
      cycles_ += static_cast<Wide>(pairs) * 2;
      if (kTriangles)
        each_end(u, 1, [&](u32 b, const u32* entry, u32 on_first) {
          const u32 paths = table_.at(b);
          if (paths >= 2) on_edges_ += u64{paths - 1} * (u64{on_first} + on_edge(entry));
        });
      table_.clear(part);
      Team::sync();
    });
    if (kTriangles)
      add_up<2>(args_.board, {{kCycles4, kCycleTriangles}, {cycles_, on_edges_}});
    else
      add_up<1>(args_.board, {{kCycles4}, {cycles_}});
  }

 private:
  SUBISO_DEVICE u32 on_edge(const u32* entry) const {
    return load_constant(args_.triangles + static_cast<u64>(entry - lists_.neighbors));
  }

  // Which ends are counted: all of the tile or, of a seed with many wedges, those of a part.
  SUBISO_DEVICE void take(Part part) {
    const u32 step = kTileParts / part.of, first = part.number * step;
    begin_ = load_constant(args_.tile.cuts + first);
    end_ = load_constant(args_.tile.cuts + first + step);
  }

  // The ends of paths u - a.
  SUBISO_DEVICE List ends_through(u32 a, u32 u) const {
    const Tile& tile = args_.tile;
    const List list = args_.store.neighbors(a, 0);
    if (!kBlock) return {list.data, count_below(list, u)};
    u32 from = 0, to = list.size;
    if (begin_ != tile.range.begin)
      from = count_below(list, begin_);
    else if (tile.lower != nullptr)
      from = load_constant(tile.lower + a);
    if (u < end_ || end_ != tile.range.end)
      to = count_below(list, u < end_ ? u : end_);
    else if (tile.upper != nullptr)
      to = load_constant(tile.upper + a);
    return {list.data + from, to - from};
  }

  // f(end, entry, triangles): for all ends, with those of the first edge of the path.
  template <class F>
  SUBISO_DEVICE void each_end(u32 u, u32 phase, F f) const {
    const List below = args_.store.neighbors_below(u, 0);
    const auto list_of = [&](u32 i) -> Owned {
      const List list = ends_through(load_constant(below.data + i), u);
      return {list.data, list.size, kTriangles && list.size != 0 ? on_edge(below.data + i) : 0};
    };
    dealer_.each(phase, below.size, list_of, f);
  }

  const Args<Store>& args_;
  const Csr<typename Store::Offset> lists_;
  u8* const memory_;
  const Dealer<kBlock> dealer_;
  const Table table_;
  u32 begin_ = 0, end_ = 0;
  Wide cycles_ = 0, on_edges_ = 0;
};

template <bool kBlock, bool kTriangles, class Store>
SUBISO_DEVICE void squares(const Args<Store>& args) {
  Squares<kBlock, kTriangles, Store>(args).run();
}

// Before a tile: where it begins in every list.
template <class Store>
SUBISO_DEVICE void cut(const Args<Store>& args) {
  for (u64 v = grid_self(); v < args.num_vertices; v += grid_width())
    args.tile.lower[v] = count_below(args.store.neighbors(static_cast<u32>(v), 0), args.tile.range.begin);
}

}  // namespace subiso::motif
