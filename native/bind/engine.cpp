// Binds native/storage, native/setops and native/engine.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "bind/relations.hpp"
#include "bind/run.hpp"
#include "storage/relation.hpp"

namespace subiso {
namespace {

template <class T>
using Optional = std::optional<In<T>>;
template <class T>
const T* data_or_null(const Optional<T>& a) {
  return a ? a->data() : nullptr;
}

// offsets, neighbors, edge_ids, edge_fits
using AdjacencyArrays = std::tuple<In<std::int64_t>, In<std::uint32_t>, Optional<std::uint32_t>, Optional<std::uint8_t>>;

auto build_relation_arrays(const std::vector<AdjacencyArrays>& reverse, In<std::uint32_t> rank,
                           In<std::uint32_t> vertex_at, bool keep_edge_ids) {
  std::vector<AdjacencyView> views;
  for (const auto& [offsets, neighbors, ids, fits] : reverse)
    views.push_back({offsets.data(), neighbors.data(), data_or_null(ids), data_or_null(fits)});
  RelationCsr csr;
  {
    nb::gil_scoped_release release;
    csr = build_relation(views, rank.data(), vertex_at.data(), static_cast<std::uint32_t>(rank.size()), keep_edge_ids);
  }
  auto& starts = keep_edge_ids ? csr.offsets : csr.bounds;
  return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(csr.neighbors)),
                        to_numpy(std::move(csr.edge_ids)));
}

using EntityArrays = std::tuple<In<std::int64_t>, In<std::uint32_t>, In<std::uint32_t>>;

BoundRun* make_run(nb::object kept, std::uint32_t num_vertices, const std::vector<RelationArrays>& relations, std::vector<int> reverse,
                   In<std::int64_t> code,
                                   const std::vector<In<std::uint64_t>>& filters,
                                   const std::vector<In<std::int64_t>>& keys,
                                   const std::vector<EntityArrays>& entities, In<std::uint32_t> seeds,
                                   In<std::uint32_t> vertex_at, std::size_t batch_rows, int threads,
                                   const std::optional<std::string>& setops,
                                   const Optional<std::int64_t>& tally, std::size_t tally_budget) {
  if (threads < 1 || batch_rows < 1) throw std::invalid_argument("threads and batch_rows must be positive");
  check_relations(num_vertices, relations);
  if (vertex_at.size() != num_vertices) throw std::invalid_argument("vertex_at does not fit the number of vertices");
  const ProgramLimits limits{static_cast<int>(relations.size()), static_cast<int>(filters.size()),
                             static_cast<int>(keys.size()), static_cast<int>(entities.size())};
  if (reverse.size() != relations.size() ||
      std::any_of(reverse.begin(), reverse.end(), [&](int r) { return r < 0 || r >= limits.relations; }))
    throw std::invalid_argument("every relation needs its reverse");
  Inputs in{CsrStore(num_vertices, to_csrs(relations)), std::move(reverse), parse_program(code.data(), code.size(), limits),
            &choose_setops(setops ? setops->c_str() : nullptr), {}, {}, {}, seeds.data(), seeds.size(),
            vertex_at.data(), batch_rows};
  for (const auto& f : filters) {
    if (f.size() * 64 < num_vertices) throw std::invalid_argument("a filter does not fit the number of vertices");
    in.filters.push_back(f.data());
  }
  for (const auto& k : keys) {
    if (k.size() != num_vertices) throw std::invalid_argument("a key does not fit the number of vertices");
    in.keys.push_back(k.data());
  }
  for (const auto& [offsets, neighbors, ids] : entities) {
    if (offsets.size() != num_vertices + std::size_t{1} || neighbors.size() != ids.size())
      throw std::invalid_argument("entities do not fit the number of vertices");
    in.entities.push_back({offsets.data(), neighbors.data(), ids.data()});
  }
  if (in.program.reads_everyone) {
    in.everyone.resize(num_vertices);
    std::iota(in.everyone.begin(), in.everyone.end(), 0U);
  }
  if (tally) in.tally = parse_tally(tally->data(), tally->size(), in.program, limits);
  auto bound = std::make_unique<BoundRun>();
  bound->kept = std::move(kept);
  bound->run = std::make_unique<Run>(std::move(in), threads, tally_budget);
  return bound.release();  // Python owns it
}

nb::object next_batch(BoundRun& self, double seconds) {
  Batch batch;
  bool got = false;
  {
    nb::gil_scoped_release release;
    got = self.run->scheduler().pop_batch(batch, seconds);
  }
  return got ? nb::cast(to_numpy(std::move(batch))) : nb::none();
}

// Per plan: the high and the low half of its total, and whether that is wrong for having overflown.
nb::list totals(BoundRun& self) {
  nb::list found;
  for (const LeafSum& sum : self.run->scheduler().sums())
    found.append(nb::make_tuple(static_cast<std::int64_t>(sum.total >> 64), static_cast<std::uint64_t>(sum.total),
                                sum.overflow));
  return found;
}

// Per column of the tally its low halves and, where it is wide, its high halves.
nb::list finish_tally(BoundRun& self) {
  if (!self.run->has_tally()) throw std::invalid_argument("this run has no tally");
  TallyStore* store = nullptr;
  {
    nb::gil_scoped_release release;
    store = &self.run->finish_tally();
  }
  nb::list columns;
  for (int c = 0; c < static_cast<int>(self.run->tally_columns()); ++c)
    columns.append(nb::make_tuple(to_numpy(store->column(c, false)),
                                  store->wide() ? nb::cast(to_numpy(store->column(c, true))) : nb::none()));
  return columns;
}

template <Span (*kRun)(const SetOps&, Span, Span, std::uint32_t*)>
Out<std::uint32_t> run_setop(const std::string& name, In<std::uint32_t> a, In<std::uint32_t> b) {
  std::vector<std::uint32_t> out(std::max(a.size(), b.size()) + kSlack);
  const Span result = kRun(choose_setops(name.c_str()), {a.data(), a.size()}, {b.data(), b.size()}, out.data());
  out.resize(result.size);
  return to_numpy(std::move(out));
}
Span run_intersect(const SetOps& ops, Span a, Span b, std::uint32_t* out) { return {out, ops.intersect(a, b, out)}; }
Span run_subtract(const SetOps& ops, Span a, Span b, std::uint32_t* out) { return {out, ops.subtract(a, b, out)}; }

}  // namespace

void bind_engine(nb::module_& m) {
  m.def("degree_ranks", [](In<std::int64_t> degree) {
    return to_numpy(degree_ranks(std::vector<std::int64_t>(degree.data(), degree.data() + degree.size())));
  });
  m.def("build_relation", &build_relation_arrays);
  // (sum of squared degrees, then for above and below: edges, sum of squares, reached, beyond; see statistics.py)
  m.def("degree_sums", [](In<std::int64_t> bounds, In<std::uint32_t> neighbors) {
    const DegreeSums s = degree_sums(CsrStore(static_cast<std::uint32_t>(bounds.size() / 2),
                                              {{bounds.data(), neighbors.data()}}));
    const auto side = [](const SideSums& x) { return std::tuple(x.edges, x.squares, x.reached, x.beyond); };
    return std::tuple(s.squares, side(s.above), side(s.below));
  });
  m.def("setops_name", [](const std::optional<std::string>& name) {
    return std::string(choose_setops(name ? name->c_str() : nullptr).name);
  }, nb::arg("name") = nb::none());
  m.def("intersect", &run_setop<run_intersect>);
  m.def("subtract", &run_setop<run_subtract>);
  m.def("intersect_count", [](const std::string& name, In<std::uint32_t> a, In<std::uint32_t> b) {
    return choose_setops(name.c_str()).intersect_count({a.data(), a.size()}, {b.data(), b.size()});
  });

  nb::class_<BoundRun>(m, "Run")
      .def("start", [](BoundRun& self) { self.run->start(); }, nb::call_guard<nb::gil_scoped_release>())
      .def("wait", [](BoundRun& self, double seconds) { return self.run->scheduler().wait_done(seconds); },
           nb::call_guard<nb::gil_scoped_release>())
      .def("stop", [](BoundRun& self) { self.run->scheduler().stop(); })
      .def("close", [](BoundRun& self) { self.run->close(); }, nb::call_guard<nb::gil_scoped_release>())
      .def("next_batch", &next_batch)
      .def("done", [](BoundRun& self) { return self.run->scheduler().done(); })
      .def("failed", [](BoundRun& self) { return self.run->scheduler().failed(); })
      .def("progress", [](BoundRun& self) { return self.run->scheduler().fraction_of_seeds(); })
      .def("totals", &totals)
      .def("finish_tally", &finish_tally);
  m.def("make_run", &make_run, nb::arg("kept"), nb::arg("num_vertices"), nb::arg("relations"), nb::arg("reverse"), nb::arg("code"),
        nb::arg("filters"), nb::arg("keys"), nb::arg("entities"), nb::arg("seeds"), nb::arg("vertex_at"),
        nb::arg("batch_rows"), nb::arg("threads"), nb::arg("setops") = nb::none(), nb::arg("tally") = nb::none(),
        nb::arg("tally_budget") = std::size_t{1} << 30);
}

}  // namespace subiso
