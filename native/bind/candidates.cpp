// Binds native/candidates.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind/narrowed.hpp"
#include "bind/relations.hpp"
#include "candidates/count.hpp"
#include "candidates/eliminate.hpp"
#include "candidates/graph.hpp"
#include "candidates/partitions.hpp"
#include "candidates/search.hpp"

namespace subiso {
namespace {

using LinkTuple = std::tuple<int, int, int>;

// A candidate graph, and the arrays of the relations that searches look absent edges up in.
struct BoundCandidates {
  nb::object kept;
  CsrStore store;
  std::size_t relations = 0;
  std::vector<const std::uint64_t*> bits;  // what it is made of
  std::vector<QueryLink> links;
  CandidateGraph graph = {};
  bool made = false;
  std::size_t found = 0;  // points before twins were merged
  std::unique_ptr<Stop> stop = std::make_unique<Stop>(false);  // of whatever runs
  CountThread counting = {};

  ~BoundCandidates() { stop->store(true, std::memory_order_relaxed); }

  // Nobody else may touch the graph once the thread has it, which leaves nothing of it.
  void check_free() const {
    if (counting.begun()) throw std::invalid_argument("a thread counts on the candidate graph");
  }

  // What searches are given.
  const CandidateGraph& whole() const {
    check_free();
    if (!made) throw std::invalid_argument("the candidate graph has not been made");
    return graph;
  }
};

std::vector<QueryLink> to_links(const std::vector<LinkTuple>& links, std::size_t vertices, std::size_t relations) {
  std::vector<QueryLink> result;
  for (const auto& [a, b, relation] : links) {
    check_range(a, vertices, "a link names what is not there");
    check_range(b, vertices, "a link names what is not there");
    check_range(relation, relations, "a link names what is not there");
    result.push_back({a, b, relation});
  }
  return result;
}

// The candidate graph of what the filters left, not yet made.
BoundCandidates* candidate_graph(nb::handle_t<BoundNarrowed> narrowed) {
  const BoundNarrowed& from = nb::cast<const BoundNarrowed&>(narrowed);
  std::vector<const std::uint64_t*> bits;
  for (const auto& own : from.result.bits) {
    if (own.empty()) throw std::invalid_argument("every vertex needs candidates");
    bits.push_back(own.data());
  }
  std::vector<QueryLink> links;
  for (const PatternLink& k : from.links) links.push_back({k.a, k.b, k.forward});
  return new BoundCandidates{nb::borrow(narrowed), from.store, from.num_relations, std::move(bits), std::move(links)};
}

bool make_graph(BoundCandidates& self) {
  if (self.made) return true;
  CandidateGraph graph = build_candidate_graph(self.store, self.bits, self.links, self.stop.get());
  if (!still_wanted(self.stop.get())) return false;
  self.found = graph.vertex.size();
  self.graph = std::move(graph);
  return self.made = true;
}

// Both: false when they were stopped, and nothing has changed then.
bool make(BoundCandidates& self) {
  self.check_free();
  return make_graph(self);
}

bool merge(BoundCandidates& self) {
  CandidateGraph merged = merge_twins(self.whole(), self.stop.get());
  if (!still_wanted(self.stop.get())) return false;
  self.graph = std::move(merged);
  return true;
}

nb::tuple halves(Count total) {
  return nb::make_tuple(static_cast<std::int64_t>(total >> 64), static_cast<std::uint64_t>(total));
}

// (high, low, overflow), steps; no first part when these would not do, unless the total has overflown by then.
nb::tuple search(BoundCandidates& self, const std::vector<LinkTuple>& forbidden, bool injective, bool failing_sets,
                 std::uint64_t max_steps) {
  const CandidateGraph& graph = self.whole();
  const std::vector<QueryLink> apart = to_links(forbidden, graph.points.size(), self.relations);
  SearchResult result;
  {
    nb::gil_scoped_release release;
    const SearchOptions options{injective, failing_sets, max_steps, 0, {}, self.stop.get()};
    result = CandidateSearch(graph, self.store, apart, options).run();
  }
  if (!result.complete && !result.overflow) return nb::make_tuple(nb::none(), result.steps);
  return nb::make_tuple(nb::make_tuple(static_cast<std::int64_t>(result.total >> 64),
                                       static_cast<std::uint64_t>(result.total), result.overflow),
                        result.steps);
}

// Begins to count in a thread; false where there are too many of those.
bool begin_count(BoundCandidates& self, const std::vector<LinkTuple>& forbidden, bool injective, bool failing_sets,
                 bool twins, const std::vector<std::uint64_t>& overlaps, std::size_t most_partitions,
                 std::uint64_t first_steps, std::uint64_t long_steps, std::uint64_t first_rows, std::uint64_t most_rows,
                 unsigned threads) {
  if (self.counting.begun()) throw std::invalid_argument("a thread counts once");
  const std::size_t width = self.bits.size();
  if (injective && overlaps.size() != width) throw std::invalid_argument("one word of overlaps per vertex");
  if (width > 64) throw std::invalid_argument("64 vertices at most");
  CountQuestion question{to_links(forbidden, width, self.relations), injective, failing_sets, twins, overlaps,
                         most_partitions, first_steps, long_steps, first_rows, most_rows, threads};
  return self.counting.begin(self.graph, self.store, std::move(question), *self.stop,
                             [&self] { return make_graph(self); });
}

// None while it runs; else whether it has a count, and that count's halves.
nb::object counted(const BoundCandidates& self) {
  if (!self.counting.begun() || !self.counting.done()) return nb::none();
  const Counted result = self.counting.counted();
  return nb::make_tuple(result.found, halves(result.total));
}

// Rows of vertices, one after the other; whether those are all; steps.
nb::tuple list(BoundCandidates& self, const std::vector<LinkTuple>& forbidden, bool injective, bool failing_sets,
               std::uint64_t max_steps, std::size_t max_rows, const std::vector<std::pair<int, int>>& restrictions) {
  const CandidateGraph& graph = self.whole();
  const std::size_t width = graph.points.size();
  const std::vector<QueryLink> apart = to_links(forbidden, width, self.relations);
  if (graph.vertex.size() != self.found) throw std::invalid_argument("twins were merged: nothing can be listed");
  if (max_rows == 0 || max_rows > SIZE_MAX / (width + 1)) throw std::invalid_argument("some rows, and not too many");
  for (const auto& [low, high] : restrictions) {
    check_range(low, width, "a restriction names what is not there");
    check_range(high, width, "a restriction names what is not there");
  }
  SearchResult result;
  {
    nb::gil_scoped_release release;
    const SearchOptions options{injective, failing_sets, max_steps, max_rows, restrictions, self.stop.get()};
    result = CandidateSearch(graph, self.store, apart, options).run();
  }
  return nb::make_tuple(to_numpy(std::move(result.rows)), result.complete, result.steps);
}

// (high, low) or None, how it ended, steps.
nb::tuple run_elimination(BoundCandidates& self, const std::vector<std::vector<int>>& partitions,
                          const std::vector<std::int64_t>& coefficients, std::uint64_t budget, unsigned threads) {
  if (partitions.size() != coefficients.size()) throw std::invalid_argument("one coefficient per partition");
  const CandidateGraph& graph = self.whole();
  for (const auto& block_of : partitions) {
    if (block_of.size() != graph.points.size()) throw std::invalid_argument("a partition is of all vertices");
    for (int b : block_of) check_range(b, block_of.size(), "a block that is not there");
  }
  Eliminated result;
  {
    nb::gil_scoped_release release;
    result = eliminate_all(graph, partitions, coefficients, {budget, self.stop.get()}, threads);
  }
  static constexpr const char* kEnds[] = {"done", "too wide", "too much", "overflow", "stopped"};
  const nb::object total = result.status == Elimination::kDone ? nb::object(halves(result.total)) : nb::none();
  return nb::make_tuple(total, kEnds[static_cast<int>(result.status)], result.steps);
}

// Blocks by vertex and coefficients, or None where there are more than the most.
nb::object coincidences(const std::vector<std::uint64_t>& overlaps, std::size_t most) {
  if (overlaps.size() > 64) throw std::invalid_argument("64 vertices at most");
  const Partitions found = partitions_of(overlaps, most);
  if (!found.all) return nb::none();
  return nb::make_tuple(found.block_of, found.coefficients);
}

}  // namespace

void bind_candidates(nb::module_& m) {
  nb::class_<BoundCandidates>(m, "CandidateGraph")
      .def("make", &make, nb::call_guard<nb::gil_scoped_release>())
      .def("merge_twins", &merge, nb::call_guard<nb::gil_scoped_release>())
      .def("search", &search)
      .def("list", &list)
      .def("eliminate", &run_elimination)
      .def("begin_count", &begin_count)
      .def("wait_for_first_steps", [](BoundCandidates& self, double seconds) { self.counting.wait_for_first_steps(seconds); },
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("counted", &counted)
      .def_prop_ro("ended", [](const BoundCandidates& self) { return !self.counting.begun() || self.counting.done(); })
      .def("stop", [](BoundCandidates& self) { self.stop->store(true, std::memory_order_relaxed); })
      .def_prop_ro("num_points", [](const BoundCandidates& self) { return self.check_free(), self.graph.vertex.size(); })
      .def_prop_ro("num_vertices", [](const BoundCandidates& self) { return self.check_free(), self.found; })
      .def_prop_ro("num_pairs", [](const BoundCandidates& self) { return self.check_free(), self.graph.num_pairs(); });
  m.def("candidate_graph", &candidate_graph);
  m.def("coincidences", &coincidences);
}

}  // namespace subiso
