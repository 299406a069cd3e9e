// What the binding files share: array types and their making. Sits between the native core and Python.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace subiso {
namespace nb = nanobind;

// A one-dimensional C-contiguous NumPy array that is only read.
template <class T>
using In = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::numpy, nb::ndim<1>>;

// Hands a vector's memory to NumPy without copying it.
template <class T>
Out<T> to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

void bind_graph(nb::module_& m);
void bind_formats(nb::module_& m);
void bind_generate(nb::module_& m);
void bind_engine(nb::module_& m);
void bind_filter(nb::module_& m);
void bind_candidates(nb::module_& m);
void bind_motifs(nb::module_& m);
void bind_sample(nb::module_& m);
void bind_storage(nb::module_& m);
void bind_twigs(nb::module_& m);
}  // namespace subiso
