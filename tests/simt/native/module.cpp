// The Python side of the SIMT shim: a test module, never part of the wheel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "search_kernels.hpp"
#include "probes.hpp"
#include "simt.hpp"

namespace nb = nanobind;

namespace subiso {
namespace {

using Words = nb::ndarray<std::uint32_t, nb::numpy, nb::ndim<1>, nb::c_contig>;
using Bytes = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig>;

simt::Order order_of(const std::string& name) {
  if (name == "forward") return simt::Order::kForward;
  if (name == "reverse") return simt::Order::kReverse;
  if (name == "random") return simt::Order::kRandom;
  if (name == "unfair") return simt::Order::kUnfair;
  throw std::invalid_argument("unknown order " + name);
}

}  // namespace
}  // namespace subiso

NB_MODULE(_simt, m) {
  using namespace subiso;
  m.def("probe",
        [](const std::string& name, Words in, Words out, std::uint32_t blocks, std::uint32_t threads, std::size_t shared,
           const std::string& order, std::uint64_t seed, std::uint64_t max_spins) {
          const Probe probe = probes().at(name);
          const simt::Launch how{blocks, threads, shared, order_of(order), seed, max_spins};
          return simt::launch(how, [&] { probe(in.data(), out.data()); });
        },
        nb::arg("name"), nb::arg("input"), nb::arg("output"), nb::arg("blocks") = 1, nb::arg("threads") = 32,
        nb::arg("shared") = 0, nb::arg("order") = "forward", nb::arg("seed") = 0, nb::arg("max_spins") = 1000);
  m.def("search",
        [](const std::string& tail, bool edges, bool wide_offsets, unsigned batch, bool share, bool sets, const std::string& team, Bytes args,
           std::uint32_t blocks, std::uint32_t threads, std::size_t shared, const std::string& order, std::uint64_t seed,
           std::uint64_t max_spins, std::uint64_t poke, std::uint64_t poke_after) {
          const simt::Launch how{blocks, threads, shared, order_of(order), seed, max_spins,
                                 reinterpret_cast<std::uint32_t*>(poke), poke_after};
          return launch_search({tail, edges, wide_offsets, batch, share, sets, team}, how, args.data(), args.size());
        },
        nb::arg("tail"), nb::arg("edges"), nb::arg("wide_offsets"), nb::arg("batch"), nb::arg("share"), nb::arg("sets"), nb::arg("team"),
        nb::arg("args"),
        nb::arg("blocks"), nb::arg("threads"), nb::arg("shared"), nb::arg("order"), nb::arg("seed"),
        nb::arg("max_spins") = 2'000'000, nb::arg("poke") = 0, nb::arg("poke_after") = 0);
  m.def("search_layout", &search_layout);
}
