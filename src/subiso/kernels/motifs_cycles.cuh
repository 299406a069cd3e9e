// Pass: four-cycles, the triangles on their edges, and closed walks of five edges, each found at its highest vertex u: a
// table has, for every b below u, the paths u - a - b with a below u (native/motifs/cycles.cpp says what follows from them).
#pragma once
#include "motifs.cuh"

namespace subiso::motif {

// The table of a team, and what it shares beside it. A warp's table is in shared memory, a block's in device memory.
template <bool kBlock>
struct TableOf {
  using Type = DenseCounts;
  SUBISO_DEVICE static constexpr u32 bytes(u32) { return 32; }
  SUBISO_DEVICE static Type make(const CodegreeArgs& args, TeamState* state, u8*) { return Type(args, state); }
};
template <>
struct TableOf<false> {
  using Type = HashedCounts;
  SUBISO_DEVICE static constexpr u32 bytes(u32 slots) { return 32 + (HashedCounts::bytes(slots) + 15) / 16 * 16; }
  SUBISO_DEVICE static Type make(const CodegreeArgs& args, TeamState* state, u8* memory) { return Type(args, state, memory); }
};

template <bool kBlock, class Store>
class Cycles {
 public:
  using Team = Crew<kBlock>;
  using Table = typename TableOf<kBlock>::Type;
  SUBISO_DEVICE explicit Cycles(const Args<Store>& args)
      : args_(args),
        lists_(args.store.relations.at(0)),
        memory_(Team::memory(TableOf<kBlock>::bytes(args.table.slots))),
        state_(reinterpret_cast<TeamState*>(memory_ + 16)),
        table_(TableOf<kBlock>::make(args.table, state_, memory_ + 32)) {}

  SUBISO_DEVICE void run() {
    table_.open();
    if (Team::self() == 0) state_->num_ends = 0;
    Team::sync();
    each_seed<kBlock>(args_, reinterpret_cast<u64*>(memory_), [&](u32 u) {
      count_wedges(args_.store, args_.table, table_, u, Team::warp(), Team::warps());
      Team::sync();
      const u32 ends = state_->num_ends;
      for (u32 first = Team::warp() * kWarp; first < ends; first += Team::warps() * kWarp) from_ends(u, first, ends);
      const List below = args_.store.neighbors_below(u, 0);
      for (u32 first = Team::warp() * kWarp; first < below.size; first += Team::warps() * kWarp) again(u, below, first);
      Team::sync();
      for (u32 i = Team::self(); i < ends; i += Team::width()) table_.clear(i);
      if (Team::self() == 0) state_->num_ends = 0;
      Team::sync();
    });
    add_up<3>(args_.board, {{kCycles4, kCycleTriangles, kClosedWalks5}, {cycles_, on_edges_, walks_}});
  }

 private:
  // A list, and a number that belongs to it.
  struct Fetched {
    const u32* data;
    u32 number;
  };
  SUBISO_DEVICE u64 entry_of(const u32* at) const { return static_cast<u64>(at - lists_.neighbors); }

  // 32 vertices with paths to them: two paths to one make a cycle, paths to two joined ones a closed walk.
  SUBISO_DEVICE void from_ends(u32 u, u32 first, u32 ends) {
    List list{nullptr, 0};
    u32 paths = 0;
    if (first + lane_id() < ends) {
      const u32 b = load_own(table_.end(first + lane_id()));
      paths = table_.at(b);
      cycles_ += u64{paths} * (paths - 1);
      list = args_.store.neighbors_above(b, 0);
      list.size = count_below(list, u);
    }
    const auto fetch = [&](u32 owner) -> Fetched { return {shuffle(list.data, owner), shuffle(paths, owner)}; };
    deal_lists(list.size, fetch, [&](const Fetched& its, u32, u32 at, bool present) {
      if (present) walks_ += u64{its.number} * table_.at(load_constant(its.data + at));
      return false;
    });
  }

  // The wedges again, from 32 of u's lower neighbours: the triangles of both edges, and walks that meet themselves.
  SUBISO_DEVICE void again(u32 u, List below, u32 first) {
    List list{nullptr, 0};
    u32 on_first = 0;
    if (first + lane_id() < below.size) {
      const u32* at = below.data + first + lane_id();
      const u32 a = load_constant(at);
      on_first = load_constant(args_.triangles + entry_of(at));
      list = args_.store.neighbors(a, 0);
      list.size = count_below(list, u);
      walks_ -= static_cast<Wide>(u64{table_.at(a)} * list.size);
    }
    const auto fetch = [&](u32 owner) -> Fetched { return {shuffle(list.data, owner), shuffle(on_first, owner)}; };
    deal_lists(list.size, fetch, [&](const Fetched& its, u32, u32 at, bool present) {
      if (!present) return false;
      const u32 paths = table_.at(load_constant(its.data + at));
      if (paths < 2) return false;
      const u64 on_both = u64{its.number} + load_constant(args_.triangles + entry_of(its.data + at));
      on_edges_ += static_cast<Wide>(paths - 1) * on_both;
      return false;
    });
  }

  const Args<Store>& args_;
  const Csr<typename Store::Offset> lists_;
  u8* const memory_;
  TeamState* const state_;
  const Table table_;
  Wide cycles_ = 0, on_edges_ = 0, walks_ = 0;
};

template <bool kBlock, class Store>
SUBISO_DEVICE void cycles(const Args<Store>& args) {
  Cycles<kBlock, Store>(args).run();
}

}  // namespace subiso::motif
