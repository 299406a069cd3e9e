// Binds native/motifs: each function makes a Job, whose result is read once it is done.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "bind/bind.hpp"
#include "motifs/basis.hpp"
#include "motifs/colored.hpp"
#include "motifs/job.hpp"
#include "motifs/triads.hpp"

namespace subiso {
namespace {
using namespace motifs;

// bounds, neighbors
using Lists = std::tuple<In<std::int64_t>, In<u32>>;

// A job, the arrays it reads, and how to hand out what it found.
struct BoundJob {
  nb::object kept;
  std::function<nb::object()> result;
  std::unique_ptr<Job> job;  // last: it ends before what it uses goes
};

Csr to_csr(u32 num_vertices, const Lists& lists) {
  const auto& [bounds, neighbors] = lists;
  if (bounds.size() != 2 * std::size_t{num_vertices} + 1 ||
      bounds.data()[bounds.size() - 1] != static_cast<std::int64_t>(neighbors.size()))
    throw std::invalid_argument("the lists do not fit the number of vertices");
  return {bounds.data(), neighbors.data()};
}

nb::object to_int(Count value) {
  return (nb::cast(static_cast<std::int64_t>(value >> 64)) << nb::cast(64)) | nb::cast(static_cast<u64>(value));
}

BoundJob* make_job(nb::object kept, int threads, std::function<void(Crew&)> work, std::function<nb::object()> result) {
  auto bound = std::make_unique<BoundJob>();
  bound->kept = std::move(kept);
  bound->result = std::move(result);
  bound->job = std::make_unique<Job>(threads, std::move(work));
  return bound.release();  // Python owns it
}

Wanted to_wanted(const std::vector<std::string>& names) {
  Wanted wanted = 0;
  for (const std::string& name : names) {
    const auto found = std::find(std::begin(kSumNames), std::end(kSumNames), name);
    if (found == std::end(kSumNames)) throw std::invalid_argument("there is no sum " + name);
    wanted |= mask({static_cast<Sum>(found - std::begin(kSumNames))});
  }
  return wanted;
}

BoundJob* motif_sums(nb::object kept, u32 num_vertices, const Lists& lists, const std::vector<std::string>& names, int threads) {
  const Wanted wanted = to_wanted(names);
  const Csr csr = to_csr(num_vertices, lists);
  auto sums = std::make_shared<Sums>();
  const auto work = [=](Crew& crew) { *sums = basis(SimpleGraph(num_vertices, csr), wanted, crew); };
  return make_job(std::move(kept), threads, work, [=]() -> nb::object {
    if (sums->overflow()) throw std::overflow_error("a sum left the range of 128 bits");
    nb::dict values;
    for (int i = 0; i < kSums; ++i)
      if (const auto sum = static_cast<Sum>(i); wanted & mask({sum})) values[kSumNames[i]] = to_int((*sums)[sum]);
    return values;
  });
}

template <std::size_t kSize>
nb::list to_list(const std::array<Count, kSize>& values) {
  nb::list list;
  for (const Count value : values) list.append(to_int(value));
  return list;
}

// Lists of the neighbours in either direction, of those behind arcs out, and of those behind arcs in.
BoundJob* triad_tally(nb::object kept, u32 num_vertices, const Lists& either, const Lists& out, const Lists& in, int threads) {
  const Csr all = to_csr(num_vertices, either);
  const CsrStore sides(num_vertices, {to_csr(num_vertices, out), to_csr(num_vertices, in)});
  auto tally = std::make_shared<TriadTally>();
  const auto work = [=](Crew& crew) {
    const SimpleGraph graph(num_vertices, all);
    *tally = tally_triads(graph, direction_codes(graph, sides), crew);
  };
  return make_job(std::move(kept), threads, work, [=]() -> nb::object {
    return nb::make_tuple(to_list(tally->triangles), to_list(tally->wedges), to_list(tally->entries));
  });
}

// `color` by rank. The result: five numbers per key (shape, then four colours), and the counts.
BoundJob* colored_tally(nb::object kept, u32 num_vertices, const Lists& lists, In<u32> color, u32 colors, int k, int threads) {
  const Csr csr = to_csr(num_vertices, lists);
  if (k < 3 || k > 4) throw std::invalid_argument("coloured motifs are of 3 or 4 vertices");
  const u32* of = color.data();
  if (colors > kMostColors || color.size() != num_vertices || std::any_of(of, of + num_vertices, [=](u32 c) { return c >= colors; }))
    throw std::invalid_argument("the colours do not fit");
  auto tally = std::make_shared<Tally>(1, 1);
  const auto work = [=](Crew& crew) { *tally = tally_colored(SimpleGraph(num_vertices, csr), of, colors, k, crew); };
  return make_job(nb::make_tuple(kept, color), threads, work, [=]() -> nb::object {
    std::vector<u32> keys;
    nb::list counts;
    tally->each([&](u32 shape, u32 a, u32 b, u32 c, u32 d, Count n) {
      for (const u32 x : {shape, a, b, c, d}) keys.push_back(x);
      counts.append(to_int(n));
    });
    return nb::make_tuple(to_numpy(std::move(keys)), counts);
  });
}

}  // namespace

void bind_motifs(nb::module_& m) {
  const auto quietly = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<BoundJob>(m, "Job")
      .def("start", [](BoundJob& self) { self.job->start(); }, quietly)
      .def("wait", [](BoundJob& self, double seconds) { return self.job->wait(seconds); }, quietly)
      .def("stop", [](BoundJob& self) { self.job->stop(); })
      .def("close", [](BoundJob& self) { self.job->close(); }, quietly)
      .def("done", [](BoundJob& self) { return self.job->done(); })
      .def("failed", [](BoundJob& self) { return self.job->failed(); })
      .def("progress", [](BoundJob& self) { return self.job->progress(); })
      .def("result", [](BoundJob& self) { return self.result(); });
  m.def("motif_sums", &motif_sums);
  m.def("triad_tally", &triad_tally);
  m.def("colored_tally", &colored_tally);
}

}  // namespace subiso
