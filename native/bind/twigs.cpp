// Binds native/twigs: narrowing of candidates along a twig, and scans that list its rows.
#include <nanobind/stl/optional.h>

#include "bind/bind.hpp"
#include "bind/relations.hpp"
#include "graph/parallel.hpp"
#include "twigs/bind_candidates.hpp"
#include "twigs/scan.hpp"
#include "twigs/weigh.hpp"

namespace subiso {
namespace {

using Bitmap = nb::ndarray<std::uint64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// kind, later slot, earlier slot, relation or key, key, comparison
using TestNumbers = std::tuple<int, int, int, int, int, int>;

bool in_range(int i, std::size_t size) { return i >= 0 && static_cast<std::size_t>(i) < size; }

twigs::PairTest to_test(const TestNumbers& numbers, std::size_t slots, std::size_t relations, std::size_t keys) {
  const auto& [kind, later, earlier, first, second, op] = numbers;
  using twigs::PairTest;
  const bool absent = kind == PairTest::kAbsent, compared = kind == PairTest::kCompare;
  if (!in_range(kind, PairTest::kNumKinds) || !in_range(later, slots) || !in_range(earlier, slots) || earlier >= later ||
      (absent && !in_range(first, relations)) ||
      (compared && (!in_range(first, keys) || !in_range(second, keys) || !in_range(op, PairFilter::kNotEqual + 1))))
    throw std::invalid_argument("a test names what is not there");
  return {static_cast<PairTest::Kind>(kind), later, earlier, absent ? first : 0,
          {static_cast<PairFilter::Op>(compared ? op : 0), first, 0, second}};
}

twigs::Twig to_twig(std::uint32_t num_vertices, const std::vector<RelationArrays>& relations, const std::vector<Bitmap>& bits,
                    std::vector<std::vector<int>> leaves, const std::vector<TestNumbers>& tests,
                    const std::vector<In<std::int64_t>>& keys) {
  check_relations(num_vertices, relations);
  if (bits.size() != leaves.size() + 1) throw std::invalid_argument("a root and every leaf need a bitmap");
  twigs::Twig twig{CsrStore(num_vertices, to_csrs(relations)), {}, std::move(leaves), {}, {}};
  for (const Bitmap& b : bits) {
    if (b.size() * 64 < num_vertices) throw std::invalid_argument("a filter does not fit the number of vertices");
    twig.bits.push_back(b.data());
  }
  for (const auto& relations_of_leaf : twig.leaves) {
    if (relations_of_leaf.empty()) throw std::invalid_argument("a leaf without a relation");
    for (const int r : relations_of_leaf)
      if (!in_range(r, relations.size())) throw std::invalid_argument("a leaf names a relation that is not there");
  }
  for (const auto& k : keys) {
    if (k.size() != num_vertices) throw std::invalid_argument("a key does not fit the number of vertices");
    twig.keys.push_back(k.data());
  }
  for (const TestNumbers& t : tests) twig.tests.push_back(to_test(t, bits.size(), relations.size(), keys.size()));
  return twig;
}

auto narrow(std::uint32_t num_vertices, const std::vector<RelationArrays>& relations, const std::vector<Bitmap>& bits,
            std::vector<std::vector<int>> leaves, bool in_place, unsigned threads) {
  const twigs::Twig twig = to_twig(num_vertices, relations, bits, std::move(leaves), {}, {});
  twigs::Bindings found;
  {
    nb::gil_scoped_release release;
    found = twigs::bind_candidates(twig, in_place, threads);
  }
  return std::tuple(found.rows, found.entries, found.sizes);
}

auto weigh(std::uint32_t num_vertices, const std::vector<RelationArrays>& relations, const std::vector<Bitmap>& bits,
           std::vector<int> relations_of_leaf, const std::vector<TestNumbers>& tests,
           const std::vector<In<std::int64_t>>& keys, const std::optional<In<std::uint64_t>>& below, unsigned threads) {
  if (below && below->size() != num_vertices) throw std::invalid_argument("weights do not fit the number of vertices");
  const twigs::Twig twig = to_twig(num_vertices, relations, bits, {std::move(relations_of_leaf)}, tests, keys);
  twigs::Weights found;
  {
    nb::gil_scoped_release release;
    found = twigs::weigh(twig, below ? below->data() : nullptr, threads);
  }
  return nb::make_tuple(to_numpy(std::move(found.values)), found.most);
}

// A scan and the arrays it reads, which must live as long.
struct BoundScan {
  nb::object kept;
  std::unique_ptr<twigs::TwigScan> scan;
};

BoundScan* make_scan(nb::object kept, std::uint32_t num_vertices, const std::vector<RelationArrays>& relations,
                     const std::vector<Bitmap>& bits, std::vector<std::vector<int>> leaves,
                     const std::vector<TestNumbers>& tests, const std::vector<In<std::int64_t>>& keys, std::size_t work,
                     unsigned threads) {
  auto bound = std::make_unique<BoundScan>();
  bound->scan = std::make_unique<twigs::TwigScan>(
      to_twig(num_vertices, relations, bits, std::move(leaves), tests, keys), threads_for(work, threads));
  bound->kept = std::move(kept);
  return bound.release();  // Python owns it
}

std::size_t next_rows(BoundScan& self, nb::ndarray<std::uint32_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu> out,
                      std::size_t capacity, std::size_t row_stride, std::vector<std::size_t> place) {
  std::size_t furthest = 0;
  for (const std::size_t p : place) furthest = std::max(furthest, p);
  if (place.size() != self.scan->num_slots() || row_stride < 1 || capacity < 1 ||
      (capacity - 1) * row_stride + furthest >= out.size())
    throw std::invalid_argument("the rows do not fit the array");
  const twigs::Target target{out.data(), capacity, row_stride, std::move(place)};
  const nb::gil_scoped_release release;
  return self.scan->next(target);
}

}  // namespace

void bind_twigs(nb::module_& m) {
  m.def("narrow_twig", &narrow);
  m.def("weigh_twig", &weigh, nb::arg("num_vertices"), nb::arg("relations"), nb::arg("bits"), nb::arg("leaf"),
        nb::arg("tests"), nb::arg("keys"), nb::arg("below").none(), nb::arg("threads"));
  nb::class_<BoundScan>(m, "TwigScan")
      .def("next", &next_rows)
      .def("stop", [](BoundScan& self) { self.scan->stop(); })
      .def("progress", [](BoundScan& self) { return self.scan->progress(); });
  m.def("make_twig_scan", &make_scan, nb::rv_policy::take_ownership, nb::arg("kept").none(), nb::arg("num_vertices"),
        nb::arg("relations"), nb::arg("bits"), nb::arg("leaves"), nb::arg("tests"), nb::arg("keys"), nb::arg("work"),
        nb::arg("threads"));
}

}  // namespace subiso
