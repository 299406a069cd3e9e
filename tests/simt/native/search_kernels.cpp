#include "search_kernels.hpp"

#include <cstring>

#include "search.cuh"

namespace subiso {
namespace {

// Looks at the others in every step, also amid small pieces, and finds every gift worthwhile: small graphs then see all
// the paths.
template <Tail kTail, bool kEdges, unsigned kBatch, bool kShare, bool kSets = false, Team kTeam = Team::kNone>
struct Eager : Config<kTail, kEdges, true, kBatch, kShare, 1, 1, kSets, kMaxPositions, kMaxPositions, kTeam> {
  static constexpr u32 kPiece = 96;
  static constexpr u32 kLong = 1;
};

template <class Store, class Config>
std::uint64_t run(const simt::Launch& how, const void* bytes, std::size_t size) {
  SearchArgs<Store> args;
  if (size != sizeof args) throw std::invalid_argument("the arguments are " + std::to_string(size) + " bytes, not " +
                                                       std::to_string(sizeof args));
  std::memcpy(static_cast<void*>(&args), bytes, size);
  return simt::launch(how, [&] { search_all<TablePlan, Store, Config>(args, TablePlan{args.tables}); });
}

template <class Store, Tail kTail, bool kEdges>
std::uint64_t by_batch(const SearchKernel& k, const simt::Launch& how, const void* args, std::size_t size) {
  if (!k.share) return run<Store, Eager<kTail, kEdges, 32, false>>(how, args, size);
  if (k.batch == 1) return run<Store, Eager<kTail, kEdges, 1, true>>(how, args, size);
  if (k.batch == 4) return run<Store, Eager<kTail, kEdges, 4, true>>(how, args, size);
  return run<Store, Eager<kTail, kEdges, 32, true>>(how, args, size);
}

// Schedule `stack`.
template <class Store, Tail kTail>
std::uint64_t by_unrolling(const SearchKernel& k, const simt::Launch& how, const void* args, std::size_t size) {
  if (k.batch == 4) return run<Store, Eager<kTail, false, 4, true, true>>(how, args, size);
  return run<Store, Eager<kTail, false, 32, true, true>>(how, args, size);
}

// Schedule `wedge`.
template <class Store, bool kSets>
std::uint64_t by_team(const SearchKernel& k, const simt::Launch& how, const void* args, std::size_t size) {
  if (k.team == "warp") return run<Store, Eager<Tail::kSizes, false, 32, false, kSets, Team::kWarp>>(how, args, size);
  return run<Store, Eager<Tail::kSizes, false, 32, false, kSets, Team::kBlock>>(how, args, size);
}

template <class Store>
std::uint64_t by_tail(const SearchKernel& k, const simt::Launch& how, const void* args, std::size_t size) {
  if (k.team != "none")
    return k.sets ? by_team<Store, true>(k, how, args, size) : by_team<Store, false>(k, how, args, size);
  if (k.edges) {
    if (k.tail == "rows") return by_batch<Store, Tail::kRows, true>(k, how, args, size);
    return by_batch<Store, Tail::kCount, true>(k, how, args, size);
  }
  if (k.sets) {
    if (k.tail == "rows") return by_unrolling<Store, Tail::kRows>(k, how, args, size);
    if (k.tail == "sizes") return by_unrolling<Store, Tail::kSizes>(k, how, args, size);
    return by_unrolling<Store, Tail::kCount>(k, how, args, size);
  }
  if (k.tail == "rows") return by_batch<Store, Tail::kRows, false>(k, how, args, size);
  if (k.tail == "sizes") return by_batch<Store, Tail::kSizes, false>(k, how, args, size);
  return by_batch<Store, Tail::kCount, false>(k, how, args, size);
}

}  // namespace

std::uint64_t launch_search(const SearchKernel& k, const simt::Launch& how, const void* args, std::size_t bytes) {
  return k.wide_offsets ? by_tail<CsrStore<i64>>(k, how, args, bytes) : by_tail<CsrStore<u32>>(k, how, args, bytes);
}

std::vector<std::pair<std::string, std::size_t>> search_layout() {
  using Args = SearchArgs<CsrStore<u32>>;
  return {{"args", sizeof(Args)},
          {"args.tables", offsetof(Args, tables)},
          {"args.keep", offsetof(Args, keep)},
          {"tables", sizeof(Tables)},
          {"tables.ops", offsetof(Tables, ops)},
          {"tables.edges", offsetof(Tables, edges)},
          {"control", sizeof(Control)},
          {"control.next", offsetof(Control, next)},
          {"control.stop", offsetof(Control, stop)},
          {"control.rows", offsetof(Control, rows)},
          {"control.busy_blocks", offsetof(Control, busy_blocks)},
          {"block", sizeof(BlockControl)},
          {"stack_level", sizeof(StackLevel)},
          {"mail", sizeof(Mail)}};
}

}  // namespace subiso
