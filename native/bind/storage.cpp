// Binds native/storage: the order of share sets, look-ups in the storage layouts, cores, other orders of the vertices.
#include <stdexcept>

#include "bind/relations.hpp"
#include "storage/cores.hpp"
#include "storage/indexes.hpp"
#include "storage/ordered.hpp"
#include "storage/share_sets.hpp"

namespace subiso {
namespace {

using Words = In<std::uint32_t>;

Out<std::uint32_t> share_order_array(In<std::int64_t> offsets, Words items, In<std::int64_t> weights,
                                     std::uint32_t num_partitions, std::uint32_t window) {
  if (offsets.size() != weights.size() + 1) throw std::invalid_argument("one weight per set");
  if (offsets.data()[0] != 0 || offsets.data()[weights.size()] != static_cast<std::int64_t>(items.size()))
    throw std::invalid_argument("offsets must lead from 0 to the number of items");
  for (std::size_t s = 0; s < weights.size(); ++s)
    if (offsets.data()[s] > offsets.data()[s + 1]) throw std::invalid_argument("offsets must not fall");
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items.data()[i] >= num_partitions) throw std::invalid_argument("an item is no partition");
  const ShareSets sets{offsets.data(), items.data(), weights.data(), static_cast<std::uint32_t>(weights.size()),
                       num_partitions};
  std::vector<std::uint32_t> order;
  {
    nb::gil_scoped_release release;
    order = share_order(sets, window);
  }
  return to_numpy(std::move(order));
}

template <class Index>
std::uint64_t look_up(const Index& index, Words vertices) {
  nb::gil_scoped_release release;
  return look_up_all(index, vertices.data(), vertices.size());
}

using Lists = In<std::int64_t>;  // bounds

std::uint32_t checked_size(const Lists& bounds, const Words& neighbors) {
  if (bounds.size() % 2 == 0) throw std::invalid_argument("bounds have two numbers per vertex and one more");
  const auto n = static_cast<std::uint32_t>(bounds.size() / 2);
  check_relations(n, {{bounds, neighbors}});
  return n;
}

nb::tuple peel_arrays(Lists bounds, Words neighbors) {
  const std::uint32_t n = checked_size(bounds, neighbors);
  Cores cores;
  {
    nb::gil_scoped_release release;
    cores = peel({bounds.data(), neighbors.data()}, n);
  }
  return nb::make_tuple(to_numpy(std::move(cores.order)), to_numpy(std::move(cores.numbers)));
}

nb::tuple in_order_arrays(Lists bounds, Words neighbors, Words members) {
  const std::uint32_t n = checked_size(bounds, neighbors);
  std::vector<bool> seen(n);
  for (std::size_t i = 0; i < members.size(); ++i) {
    check_range(members.data()[i], n, "a member is no vertex");
    if (seen[members.data()[i]]) throw std::invalid_argument("a member comes twice");
    seen[members.data()[i]] = true;
  }
  OrderedCsr csr;
  {
    nb::gil_scoped_release release;
    csr = in_order({bounds.data(), neighbors.data()}, n, members.data(), members.size());
  }
  return nb::make_tuple(to_numpy(std::move(csr.bounds)), to_numpy(std::move(csr.neighbors)));
}

nb::tuple without_thin_edges_arrays(Lists bounds, Words neighbors, std::uint32_t least, int rounds, unsigned threads) {
  checked_size(bounds, neighbors);
  OrderedCsr csr{{bounds.data(), bounds.data() + bounds.size()}, {neighbors.data(), neighbors.data() + neighbors.size()}};
  {
    nb::gil_scoped_release release;
    csr = without_thin_edges(std::move(csr), least, rounds, threads);
  }
  return nb::make_tuple(to_numpy(std::move(csr.bounds)), to_numpy(std::move(csr.neighbors)));
}

}  // namespace

void bind_storage(nb::module_& m) {
  m.def("share_order", &share_order_array, nb::arg("offsets"), nb::arg("items"), nb::arg("weights"),
        nb::arg("num_partitions"), nb::arg("window"));
  m.def("peel", &peel_arrays);
  m.def("in_order", &in_order_arrays);
  m.def("without_thin_edges", &without_thin_edges_arrays);
  // The sums of the lengths of many vertices' lists, for benchmarks; storage/*.py makes the arrays and vouches for them.
  m.def("look_up_plain", [](Words offsets, Words vertices) { return look_up(PlainIndex{offsets.data()}, vertices); });
  m.def("look_up_compressed", [](Words keys, Words offsets, Words vertices) {
    return look_up(CompressedIndex{keys.data(), offsets.data(), keys.size()}, vertices);
  });
  m.def("look_up_hash", [](Words groups, std::uint32_t num_groups, std::uint32_t theta, Words vertices) {
    return look_up(HashIndex{groups.data(), num_groups, theta}, vertices);
  });
  m.def("look_up_interval", [](Words renamed, Words intervals, Words offsets, Words vertices) {
    return look_up(IntervalIndex{renamed.data(), intervals.data(), offsets.data(), intervals.size() / 2 - 1}, vertices);
  });
  m.def("look_up_label", [](Words first, Words directory, std::uint32_t label, Words vertices) {
    return look_up(LabelIndex{first.data(), directory.data(), label}, vertices);
  });
  m.def("look_up_scan", [](Words offsets, Words labels, std::uint32_t label, Words vertices) {
    return look_up(ScanIndex{offsets.data(), labels.data(), label}, vertices);
  });
}

}  // namespace subiso
