// Binds the random walks of native/engine.
#include "engine/sample.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <stdexcept>

#include "bind/run.hpp"

namespace subiso {
namespace {

using Weights = std::optional<In<double>>;

// weight by vertex, sums by entry of the level's relation
using LevelArrays = std::pair<Weights, Weights>;

WalkWeights to_weights(const Inputs& in, In<double> seeds, const std::vector<LevelArrays>& levels, std::size_t width) {
  if (seeds.size() != in.num_seeds || seeds.size() == 0) throw std::invalid_argument("one sum per seed, and some seed");
  const double total = seeds.data()[seeds.size() - 1];
  if (!(total > 0) || !std::isfinite(total)) throw std::invalid_argument("the seeds' weights have no sum");
  if (levels.size() != in.program.levels.size()) throw std::invalid_argument("one pair of weights per level");
  WalkWeights weights{seeds.data(), {}, width};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& [weight, sums] = levels[i];
    const Source& source = in.program.levels[i].expression.source;
    if (weight && weight->size() != in.store.num_vertices()) throw std::invalid_argument("one weight per vertex");
    if (sums && (source.kind != Source::kList || sums->size() != in.store.num_entries(source.relation)))
      throw std::invalid_argument("the sums do not fit the level's relation");
    weights.levels.push_back({weight ? weight->data() : nullptr, sums ? sums->data() : nullptr});
  }
  return weights;
}

nb::tuple sample(const BoundRun& self, In<double> seeds, const std::vector<LevelArrays>& levels, std::size_t width,
                 std::uint64_t seed, std::uint64_t first, std::size_t blocks, std::size_t size, int threads) {
  const Inputs& in = self.run->inputs();
  if (in.program.emit) throw std::invalid_argument("only counting programs are sampled");
  if (width < 1 || size < 1 || threads < 1) throw std::invalid_argument("width, size and threads must be positive");
  const WalkWeights weights = to_weights(in, seeds, levels, width);
  std::vector<Block> done;
  {
    nb::gil_scoped_release release;
    done = sample_blocks(in, weights, seed, first, blocks, size, threads);
  }
  std::vector<double> mean, work, nonzero;
  bool overflow = false;
  for (const Block& block : done) {
    mean.push_back(block.mean);
    work.push_back(block.work);
    nonzero.push_back(block.nonzero);
    overflow |= block.overflow;
  }
  return nb::make_tuple(to_numpy(std::move(mean)), to_numpy(std::move(work)), to_numpy(std::move(nonzero)), overflow);
}

nb::tuple sum_lists_arrays(In<std::int64_t> bounds, In<std::uint32_t> neighbors, In<double> weight) {
  if (bounds.size() != 2 * weight.size() + 1) throw std::invalid_argument("one weight per vertex");
  std::vector<double> sums(neighbors.size()), totals(weight.size());
  {
    nb::gil_scoped_release release;
    sum_lists({bounds.data(), neighbors.data()}, static_cast<std::uint32_t>(weight.size()), weight.data(), sums.data(),
              totals.data());
  }
  return nb::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(totals)));
}

}  // namespace

void bind_sample(nb::module_& m) {
  m.def("sum_lists", &sum_lists_arrays);
  // (mean, work, walks that counted something) by block, and whether a count overflowed
  m.def("sample", &sample, nb::arg("run"), nb::arg("seeds"), nb::arg("levels"), nb::arg("width"), nb::arg("seed"),
        nb::arg("first"), nb::arg("blocks"), nb::arg("size"), nb::arg("threads"));
}

}  // namespace subiso
