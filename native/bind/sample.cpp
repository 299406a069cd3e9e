// Binds the random walks of native/engine.
#include "engine/sample.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <stdexcept>

#include "bind/run.hpp"
#include "storage/codegrees.hpp"

namespace subiso {
namespace {

using Weights = std::optional<In<double>>;

// weight by vertex, sums by entry of the level's relation
using LevelArrays = std::pair<Weights, Weights>;

WalkWeights to_weights(const Inputs& in, In<double> seeds, const std::vector<LevelArrays>& levels) {
  if (seeds.size() != in.num_seeds || seeds.size() == 0) throw std::invalid_argument("one sum per seed, and some seed");
  const double total = seeds.data()[seeds.size() - 1];
  if (!(total > 0) || !std::isfinite(total)) throw std::invalid_argument("the seeds' weights have no sum");
  if (levels.size() != in.program.only().levels.size()) throw std::invalid_argument("one pair of weights per level");
  WalkWeights weights{seeds.data(), {}};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& [weight, sums] = levels[i];
    const Source& source = in.program.only().levels[i].expression.source;
    if (weight && weight->size() != in.store.num_vertices()) throw std::invalid_argument("one weight per vertex");
    if (sums && (source.kind != Source::kList || sums->size() != in.store.num_entries(source.relation)))
      throw std::invalid_argument("the sums do not fit the level's relation");
    weights.levels.push_back({weight ? weight->data() : nullptr, sums ? sums->data() : nullptr});
  }
  return weights;
}

nb::tuple sample(const BoundRun& self, In<double> seeds, const std::vector<LevelArrays>& levels, std::uint64_t seed,
                 std::uint64_t first, std::size_t blocks, std::size_t size, int threads) {
  const Inputs& in = self.run->inputs();
  if (in.program.emit || !in.program.only().parts.empty() || in.program.leaves.size() > 1 || !in.program.codegrees.empty())
    throw std::invalid_argument("only counting programs without cuts are sampled");
  if (size < 1 || threads < 1) throw std::invalid_argument("size and threads must be positive");
  const WalkWeights weights = to_weights(in, seeds, levels);
  std::vector<Block> done;
  {
    nb::gil_scoped_release release;
    done = sample_blocks(in, weights, seed, first, blocks, size, threads);
  }
  std::vector<double> mean, work, nonzero, reached;
  bool overflow = false;
  for (const Block& block : done) {
    mean.push_back(block.mean);
    work.push_back(block.work);
    nonzero.push_back(block.nonzero);
    reached.push_back(block.reached);
    overflow |= block.overflow;
  }
  return nb::make_tuple(to_numpy(std::move(mean)), to_numpy(std::move(work)), to_numpy(std::move(nonzero)),
                        to_numpy(std::move(reached)), overflow);
}

nb::tuple sum_lists_arrays(In<std::int64_t> bounds, In<std::uint32_t> neighbors, In<double> weight,
                           const std::optional<In<float>>& factor, unsigned threads) {
  if (bounds.size() != 2 * weight.size() + 1) throw std::invalid_argument("one weight per vertex");
  if (factor && factor->size() != neighbors.size()) throw std::invalid_argument("one factor per entry");
  std::vector<double> sums(neighbors.size()), totals(weight.size());
  {
    nb::gil_scoped_release release;
    sum_lists({bounds.data(), neighbors.data()}, static_cast<std::uint32_t>(weight.size()), weight.data(),
              factor ? factor->data() : nullptr, sums.data(), totals.data(), threads);
  }
  return nb::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(totals)));
}

using ListArrays = std::pair<In<std::int64_t>, In<std::uint32_t>>;

Out<std::uint32_t> edge_codegrees_array(const ListArrays& edges, const ListArrays& at_first, const ListArrays& at_second,
                                        bool mirrored, unsigned threads) {
  const std::size_t bounds = edges.first.size();
  if (at_first.first.size() != bounds || at_second.first.size() != bounds)
    throw std::invalid_argument("the relations differ in their number of vertices");
  const auto csr = [](const ListArrays& a) { return Csr{a.first.data(), a.second.data()}; };
  std::vector<std::uint32_t> result;
  {
    nb::gil_scoped_release release;
    result = edge_codegrees(csr(edges), csr(at_first), csr(at_second), static_cast<std::uint32_t>(bounds / 2), mirrored,
                            threads);
  }
  return to_numpy(std::move(result));
}

}  // namespace

void bind_sample(nb::module_& m) {
  m.def("sum_lists", &sum_lists_arrays, nb::arg("bounds"), nb::arg("neighbors"), nb::arg("weight"),
        nb::arg("factor") = nb::none(), nb::arg("threads") = 0);
  m.def("edge_codegrees", &edge_codegrees_array);
  // (mean, work, walks that counted something, ways to the innermost level) by block, and whether a count overflowed
  m.def("sample", &sample, nb::arg("run"), nb::arg("seeds"), nb::arg("levels"), nb::arg("seed"),
        nb::arg("first"), nb::arg("blocks"), nb::arg("size"), nb::arg("threads"));
}

}  // namespace subiso
