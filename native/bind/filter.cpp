// Binds native/filter.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "bind/narrowed.hpp"
#include "bind/relations.hpp"
#include "filter/restrict.hpp"
#include "filter/signature.hpp"

namespace subiso {
namespace {

using Bits = nb::ndarray<std::uint64_t, nb::numpy, nb::ndim<1>, nb::c_contig>;
template <class T>
using Optional = std::optional<In<T>>;

std::vector<const std::uint64_t*> to_bitmaps(const std::vector<Optional<std::uint64_t>>& bits, std::uint32_t num_vertices) {
  std::vector<const std::uint64_t*> pointers;
  for (const auto& b : bits) {
    if (b) check_bitmap(b->size(), num_vertices);
    pointers.push_back(b ? b->data() : nullptr);
  }
  return pointers;
}

BoundNarrowed* narrow_candidates(nb::object kept, std::uint32_t num_vertices,
                                 const std::vector<RelationArrays>& relations,
                                 const std::vector<Optional<std::uint64_t>>& given,
                                 const std::vector<Optional<std::uint64_t>>& begun,
                                 const std::vector<std::tuple<int, int, int, int>>& links, bool injective, bool degree,
                                 bool frequency, bool refine, std::uint64_t budget, unsigned threads) {
  check_relations(num_vertices, relations);
  if (given.size() > 64 || begun.size() != given.size()) throw std::invalid_argument("one filter per vertex, 64 at most");
  const auto first = to_bitmaps(given, num_vertices), start = to_bitmaps(begun, num_vertices);
  std::vector<PatternLink> wanted;
  for (const auto& [a, b, forward, backward] : links) {
    for (int v : {a, b}) check_range(v, given.size(), "a link names what is not there");
    for (int r : {forward, backward}) check_range(r, relations.size(), "a link names what is not there");
    wanted.push_back({a, b, forward, backward});
  }
  auto bound = std::make_unique<BoundNarrowed>(
      BoundNarrowed{std::move(kept), CsrStore(num_vertices, to_csrs(relations)), relations.size(), std::move(wanted), {}});
  {
    nb::gil_scoped_release release;
    bound->result = narrow(bound->store, first, start, bound->links, {injective, degree, frequency, refine, budget, threads});
  }
  return bound.release();  // Python owns it
}

// The different bitmaps by their number, in the memory of `self`.
nb::list bitmaps_of(nb::handle_t<BoundNarrowed> self) {
  Narrowed& result = nb::cast<BoundNarrowed&>(self).result;
  nb::list found;
  for (std::size_t v = 0; v < result.bits.size(); ++v)
    if (result.number[v] == static_cast<int>(found.size()))
      found.append(nb::cast(Out<std::uint64_t>(result.bits[v].data(), {result.bits[v].size()}, self)));
  return found;
}

// Per wanted (relation, from, to) the restricted relation's bounds and neighbours, numbered by the members of `all`.
nb::list restrict_relations(std::uint32_t num_vertices, const std::vector<RelationArrays>& relations,
                            In<std::uint64_t> all,
                            const std::vector<std::tuple<int, Optional<std::uint64_t>, Optional<std::uint64_t>>>& wanted,
                            unsigned threads) {
  check_relations(num_vertices, relations);
  check_bitmap(all.size(), num_vertices);
  const std::vector<Csr> csrs = to_csrs(relations);
  const auto data = [&](const Optional<std::uint64_t>& bits) -> const std::uint64_t* {
    if (!bits) return nullptr;
    check_bitmap(bits->size(), num_vertices);
    return bits->data();
  };
  const Numbering numbering(all.data(), (num_vertices + std::size_t{63}) / 64);
  const std::vector<std::uint32_t> members = numbering.members();
  nb::list result;
  for (const auto& [relation, from, to] : wanted) {
    check_range(relation, relations.size(), "a relation that is not there");
    RestrictedCsr csr;
    const std::uint64_t *rows = data(from), *elements = data(to);
    {
      nb::gil_scoped_release release;
      csr = restrict_csr(csrs[static_cast<std::size_t>(relation)], rows, elements, numbering, members, threads);
    }
    result.append(nb::make_tuple(to_numpy(std::move(csr.bounds)), to_numpy(std::move(csr.neighbors))));
  }
  return result;
}

SignatureShape shape_of(int label_bits, int num_bits) {
  if (num_bits < 64 || num_bits % 64 != 0 || label_bits < 1 || label_bits % 2 != 0 || label_bits + 2 > num_bits)
    throw std::invalid_argument("a signature has a multiple of 64 bits, an even number of them, but not all, for labels");
  return {label_bits, num_bits};
}

// side, offsets, neighbors, edge ids, edge labels
using SideArrays = std::tuple<std::uint32_t, In<std::int64_t>, In<std::uint32_t>, Optional<std::uint32_t>,
                              Optional<std::uint32_t>>;

auto build_signature_table(int label_bits, int num_bits, const std::vector<SideArrays>& sides,
                           In<std::int64_t> label_offsets, In<std::uint32_t> labels, In<std::uint32_t> rank,
                           unsigned threads) {
  const SignatureShape shape = shape_of(label_bits, num_bits);
  const auto n = static_cast<std::uint32_t>(rank.size());
  if (label_offsets.size() != n + std::size_t{1}) throw std::invalid_argument("labels do not fit the number of vertices");
  std::vector<SignatureSide> views;
  for (const auto& [side, offsets, neighbors, ids, edge_labels] : sides) {
    if (offsets.size() != n + std::size_t{1}) throw std::invalid_argument("an adjacency does not fit the number of vertices");
    views.push_back({side, offsets.data(), neighbors.data(), ids ? ids->data() : nullptr,
                     edge_labels ? edge_labels->data() : nullptr});
  }
  std::vector<std::uint64_t> table;
  {
    nb::gil_scoped_release release;
    table = build_signatures(shape, n, views, label_offsets.data(), labels.data(), rank.data(), threads);
  }
  return to_numpy(std::move(table));
}

// The signature of a pattern vertex: its labels, and one (side, edge label, neighbour's label) per neighbour.
auto make_signature(int label_bits, int num_bits, const std::vector<std::uint32_t>& labels,
                    const std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>& pairs) {
  const SignatureShape shape = shape_of(label_bits, num_bits);
  std::vector<std::uint64_t> words(shape.words(), 0);
  for (std::uint32_t label : labels) {
    const auto bit = static_cast<std::size_t>(shape.label_bit(label));
    words[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  for (const auto& [side, edge_label, neighbor_label] : pairs) {
    const auto bit = static_cast<std::size_t>(shape.group_bit(side, edge_label, neighbor_label));
    words[bit / 64] |= std::uint64_t{1} << (bit % 64) << (words[bit / 64] >> (bit % 64) & 1);
  }
  return words;
}

void filter_signatures(In<std::uint64_t> table, std::uint32_t num_vertices, const std::vector<std::uint64_t>& wanted,
                       Bits bits) {
  check_bitmap(bits.size(), num_vertices);
  if (table.size() != wanted.size() * num_vertices) throw std::invalid_argument("the table does not fit the signature");
  nb::gil_scoped_release release;
  filter_by_signature(table.data(), num_vertices, wanted, bits.data());
}

}  // namespace

void bind_filter(nb::module_& m) {
  m.def("bit_positions", [](In<std::uint64_t> words) {
    std::vector<std::uint32_t> positions;
    for (std::size_t w = 0; w < words.size(); ++w)
      for (std::uint64_t left = words.data()[w]; left != 0; left &= left - 1)
        positions.push_back(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left))));
    return to_numpy(std::move(positions));
  });
  nb::class_<BoundNarrowed>(m, "Narrowed")
      .def_prop_ro("first_sizes", [](const BoundNarrowed& self) { return self.result.refined.first_sizes; })
      .def_prop_ro("sizes", [](const BoundNarrowed& self) { return self.result.refined.sizes; })
      .def_prop_ro("fans", [](const BoundNarrowed& self) { return self.result.refined.fans; })
      .def_prop_ro("entries", [](const BoundNarrowed& self) { return self.result.refined.entries; })
      .def_prop_ro("overlaps", [](const BoundNarrowed& self) { return self.result.refined.overlaps; })
      .def_prop_ro("complete", [](const BoundNarrowed& self) { return self.result.refined.complete; })
      .def_prop_ro("numbers", [](const BoundNarrowed& self) { return self.result.number; })
      .def_prop_ro("bitmaps", &bitmaps_of);
  m.def("narrow", &narrow_candidates);
  m.def("restrict_relations", &restrict_relations);
  m.def("build_signatures", &build_signature_table);
  m.def("make_signature", &make_signature);
  m.def("filter_by_signature", &filter_signatures);
}

}  // namespace subiso
