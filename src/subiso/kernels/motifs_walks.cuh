// Pass: closed walks of five edges, each found at its highest vertex u: a table has, for every b below u, the paths
// u - a - b with a below u, and paths to two joined vertices make a walk (native/motifs/cycles.cpp says what follows).
#pragma once
#include "motifs_tables.cuh"

namespace subiso::motif {

template <bool kBlock>
struct WalkTable {
  using Type = NearAndFar;
};
template <>
struct WalkTable<false> {
  using Type = FewCounts;
};

template <bool kBlock, class Store>
class Walks {
 public:
  using Team = Crew<kBlock>;
  using Table = typename WalkTable<kBlock>::Type;
  SUBISO_DEVICE explicit Walks(const Args<Store>& args)
      : args_(args),
        memory_(Team::memory(Table::bytes(args.table.slots))),
        dealer_(memory_ + 16),
        table_(args, memory_ + 16 + Dealer<kBlock>::bytes()) {}

  SUBISO_DEVICE void run() {
    each_item<kBlock>(args_, reinterpret_cast<u64*>(memory_), [&](u32 item) {
      const u32 u = load_constant(args_.seeds + item);
      const Part part(kBlock ? load_constant(args_.parts + item) : 1u << 16);
      const List below = args_.store.neighbors_below(u, 0);
      const auto list_of = [&](u32 i) -> Owned {
        const List list = args_.store.neighbors(load_constant(below.data + i), 0);
        return {list.data, count_below(list, u), 0};
      };
      dealer_.each(0, below.size, list_of, [&](u32 b, const u32*, u32) { table_.add(b, part); });
      table_.each(u, part, [&](u32 b, u32 paths) { from_end(u, b, paths); });
      if (part.number == 0)
        for (u32 i = Team::self(); i < below.size; i += Team::width()) meeting(u, load_constant(below.data + i));
      Team::sync();
      table_.clear(part);
      Team::sync();
    });
    add_up<1>(args_.board, {{kClosedWalks5}, {walks_}});
  }

 private:
  // Of 32 vertices with paths to them: those above that they are joined to.
  SUBISO_DEVICE void from_end(u32 u, u32 b, u32 paths) {
    Owned joined;
    if (paths != 0) {
      const List list = args_.store.neighbors_above(b, 0);
      joined = {list.data, count_below(list, u), paths};
    }
    each_element(joined, [&](u32 c, const u32*, u32 to_b) { walks_ += u64{to_b} * table_.at(c); });
  }

  // Walks u - a - b - a' - u whose joined vertices are b and a: of one of the paths they are the last edge.
  SUBISO_DEVICE void meeting(u32 u, u32 a) {
    const u32 paths = table_.at(a);
    if (paths == 0) return;
    const List list = args_.store.neighbors(a, 0);
    walks_ -= static_cast<Wide>(u64{paths} * (count_below(list, u) - count_below(list, table_.first())));
  }

  const Args<Store>& args_;
  u8* const memory_;
  const Dealer<kBlock> dealer_;
  const Table table_;
  Wide walks_ = 0;
};

template <bool kBlock, class Store>
SUBISO_DEVICE void walks(const Args<Store>& args) {
  Walks<kBlock, Store>(args).run();
}

}  // namespace subiso::motif
