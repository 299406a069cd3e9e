// Binds native/generate: each generator returns (src, dst) as uint32 arrays.
#include "generate/generate.hpp"

#include <stdexcept>
#include <utility>

#include "bind/bind.hpp"

namespace subiso {
namespace {
using namespace generate;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Runs a generator without the GIL and hands its edges to NumPy.
template <class Make>
nb::tuple edges_of(const Make& make) {
  EdgeList edges;
  {
    nb::gil_scoped_release release;
    edges = make();
  }
  return nb::make_tuple(to_numpy(std::move(edges.src)), to_numpy(std::move(edges.dst)));
}

template <class Make>
auto array_of(const Make& make) {
  decltype(make()) values;
  {
    nb::gil_scoped_release release;
    values = make();
  }
  return to_numpy(std::move(values));
}
}  // namespace

void bind_generate(nb::module_& m) {
  m.def("generate_rmat", [](int scale, u64 edges, u64 a, u64 ab, u64 abc, u64 seed, int threads) {
    return edges_of([&] { return rmat(scale, edges, {a, ab, abc}, seed, threads); });
  });
  m.def("generate_pairs", [](int kind, u32 row_start, u32 rows, u32 column_start, u32 columns, u64 count, u64 seed, u64 stream,
                             int threads) {
    return edges_of([&] {
      return sample_pairs(static_cast<Pairs>(kind), {row_start, rows}, {column_start, columns}, count, {seed, stream}, threads);
    });
  });
  m.def("generate_barabasi_albert", [](u32 n, u32 k, u64 seed) { return edges_of([&] { return barabasi_albert(n, k, seed); }); });
  m.def("generate_watts_strogatz", [](u32 n, u32 k, u64 rewire, bool rewire_all, u64 seed) {
    return edges_of([&] { return watts_strogatz(n, k, rewire, rewire_all, seed); });
  });
  m.def("generate_random_regular", [](u32 n, u32 d, u64 seed) { return edges_of([&] { return random_regular(n, d, seed); }); });
  m.def("generate_rewired", [](In<u32> src, In<u32> dst, int kind, u64 steps, u64 seed, u64 stream) {
    if (src.size() != dst.size()) throw std::invalid_argument("every edge needs two ends");
    EdgeList edges;
    edges.src.assign(src.data(), src.data() + src.size());
    edges.dst.assign(dst.data(), dst.data() + dst.size());
    return edges_of([&] { return rewire(std::move(edges), static_cast<Rewiring>(kind), steps, {seed, stream}); });
  });
  m.def("generate_categories", [](In<u64> bounds, u64 count, u64 seed, u64 stream, int threads) {
    const std::vector<u64> upper(bounds.data(), bounds.data() + bounds.size());
    return array_of([&] { return categories(upper, count, {seed, stream}, threads); });
  });
  m.def("generate_bits", [](u64 count, u64 seed, u64 stream, int threads) {
    return array_of([&] { return random_bits(count, {seed, stream}, threads); });
  });
  m.def("generate_sample", [](u64 size, u64 count, u64 seed, u64 stream, int threads) {
    return array_of([&] { return sample_without_replacement(size, count, {seed, stream}, threads); });
  });
}
}  // namespace subiso
