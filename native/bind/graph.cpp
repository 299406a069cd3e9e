// Binds native/graph.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bind/bind.hpp"
#include "graph/build.hpp"
#include "graph/csr.hpp"
#include "graph/ids.hpp"

namespace subiso {
namespace {

template <class T>
Out<T> give(Buffer<T> buffer) {
  const std::size_t size = buffer.size();
  T* data = buffer.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Out<T>(data, {size}, owner);
}

CsrView view(const In<std::int64_t>& offsets, const In<std::uint32_t>& neighbors) {
  if (offsets.size() == 0) throw std::invalid_argument("offsets is empty; a graph of n vertices has n + 1 of them");
  return {offsets.data(), neighbors.data(), static_cast<std::uint32_t>(offsets.size() - 1)};
}

nb::dict build(In<std::uint32_t> src, In<std::uint32_t> dst, std::optional<In<std::uint32_t>> labels,
               std::uint32_t num_vertices, bool directed, bool keep_loops, bool merge, bool want_rows,
               unsigned threads, std::size_t direct_below) {
  if (src.size() != dst.size() || (labels && labels->size() != src.size()))
    throw std::invalid_argument("columns of unequal length");
  const EdgeTable table{src.data(), dst.data(), labels ? labels->data() : nullptr, src.size(), num_vertices};
  const BuildOptions options{directed, keep_loops, merge, want_rows, threads, direct_below};
  Built built;
  {
    nb::gil_scoped_release release;
    built = build_csr(table, options);
  }
  nb::dict result;
  if (built.rows32.data()) result["rows"] = give(std::move(built.rows32));
  if (built.rows64.data()) result["rows"] = give(std::move(built.rows64));
  result["offsets"] = give(std::move(built.out.offsets));
  result["neighbors"] = give(std::move(built.out.neighbors));
  result["num_edges"] = built.num_edges;
  result["loops"] = built.loops;
  result["duplicates"] = built.duplicates;
  result["duplicate"] = nb::make_tuple(built.duplicate_src, built.duplicate_dst);
  result["has_parallel"] = built.has_parallel;
  return result;
}

auto turn(In<std::int64_t> offsets, In<std::uint32_t> neighbors, unsigned threads, std::size_t direct_below) {
  const CsrView csr = view(offsets, neighbors);
  BuiltCsr result;
  {
    nb::gil_scoped_release release;
    result = transpose(csr.offsets, csr.neighbors, csr.num_vertices, threads, direct_below);
  }
  return std::make_tuple(give(std::move(result.offsets)), give(std::move(result.neighbors)));
}

template <class Id>
Out<Id> edge_ids(In<std::int64_t> offsets, In<std::uint32_t> neighbors, In<std::int64_t> first_ids, bool undirected) {
  const CsrView csr = view(offsets, neighbors);
  Buffer<Id> ids;
  {
    nb::gil_scoped_release release;
    ids = entry_edge_ids<Id>(csr, first_ids.data(), undirected);
  }
  return give(std::move(ids));
}

auto endpoints(In<std::int64_t> offsets, In<std::uint32_t> neighbors, std::size_t num_edges, bool undirected) {
  const CsrView csr = view(offsets, neighbors);
  Buffer<std::uint32_t> src(num_edges), dst(num_edges);
  {
    nb::gil_scoped_release release;
    edge_sources(csr, undirected, src.data(), dst.data());
  }
  return std::make_tuple(give(std::move(src)), give(std::move(dst)));
}

template <class T>
void bind_numbers(nb::module_& m) {
  m.def("graph_to_dense", [](In<T> values, std::uint64_t limit, unsigned threads) {
    Buffer<std::uint32_t> out(values.size());
    std::int64_t bad;
    {
      nb::gil_scoped_release release;
      bad = to_dense(values.data(), values.size(), limit, out.data(), threads);
    }
    return std::make_tuple(give(std::move(out)), bad);
  });
  using Marks = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig>;
  m.def("graph_mark", [](In<T> values, T least, Marks marks, unsigned threads) {
    static_assert(sizeof(std::atomic<std::uint8_t>) == 1);
    nb::gil_scoped_release release;
    mark(values.data(), values.size(), least, reinterpret_cast<std::atomic<std::uint8_t>*>(marks.data()), threads);
  });
  m.def("graph_look_up", [](In<T> values, T least, In<std::uint32_t> table, unsigned threads) {
    Buffer<std::uint32_t> out(values.size());
    std::int64_t bad;
    {
      nb::gil_scoped_release release;
      bad = look_up(values.data(), values.size(), least, table.data(), table.size(), out.data(), threads);
    }
    return std::make_tuple(give(std::move(out)), bad);
  });
  m.def("graph_distinct", [](In<T> a, In<T> b, unsigned threads) {
    Buffer<T> out;
    {
      nb::gil_scoped_release release;
      out = distinct(a.data(), a.size(), b.data(), b.size(), threads);
    }
    return give(std::move(out));
  });
  m.def("graph_number_by", [](In<T> names, In<T> values, unsigned threads) {
    Buffer<std::uint32_t> out(values.size());
    std::int64_t bad;
    {
      nb::gil_scoped_release release;
      bad = number_by(names.data(), names.size(), values.data(), values.size(), out.data(), threads);
    }
    return std::make_tuple(give(std::move(out)), bad);
  });
}
}  // namespace
}  // namespace subiso

void subiso::bind_graph(nb::module_& m) {
  m.def("graph_build", &build);
  m.def("graph_transpose", &turn);
  m.def("graph_upper_offsets", [](In<std::int64_t> offsets, In<std::uint32_t> neighbors) {
    const CsrView csr = view(offsets, neighbors);
    nb::gil_scoped_release release;
    auto upper = upper_offsets(csr);
    nb::gil_scoped_acquire acquire;
    return give(std::move(upper));
  });
  m.def("graph_edge_ids32", &edge_ids<std::uint32_t>);
  m.def("graph_edge_ids64", &edge_ids<std::int64_t>);
  m.def("graph_endpoints", &endpoints);
  m.def("graph_check_csr", [](In<std::int64_t> offsets, In<std::uint32_t> neighbors) {
    const CsrFacts facts = check_csr(view(offsets, neighbors), neighbors.size());
    return std::make_tuple(facts.loops, facts.has_parallel);
  });
  m.def("graph_check_transposed", [](In<std::int64_t> offsets, In<std::uint32_t> neighbors,
                                     In<std::int64_t> in_offsets, In<std::uint32_t> in_neighbors) {
    check_transposed(view(offsets, neighbors), view(in_offsets, in_neighbors));
  });
  bind_numbers<std::int32_t>(m);
  bind_numbers<std::uint32_t>(m);
  bind_numbers<std::int64_t>(m);
  bind_numbers<std::uint64_t>(m);
}
