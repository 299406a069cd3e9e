// Random walks down a counting program: one vertex per level, drawn with a known probability, then the tail. What the
// tail counts, divided by the probability of the way there, is on average the whole count.
#pragma once
#include <utility>

#include "engine/edge_assignment.hpp"
#include "engine/inner_tail.hpp"
#include "generate/rng.hpp"

namespace subiso {

// How the vertices of a level are drawn: in proportion to `weight` (null: all alike), or, where the level runs
// over a neighbour list, by the sums of the entries' weights along every list: a draw is then a binary search.
struct LevelWeights {
  const double* weight = nullptr;  // by vertex
  const double* sums = nullptr;    // by entry of the level's relation, see sum_lists; comes before `weight`
};

struct WalkWeights {
  const double* seeds = nullptr;     // running sums of the seeds' weights
  std::vector<LevelWeights> levels;  // [0] is not looked at
};

// For every list of the relation the running sums of its entries' weights, which are those of the vertices times the
// entries' own factors (null: none); `totals` gets the lists' sums. `threads` at most, 0: no limit.
void sum_lists(Csr csr, std::uint32_t num_vertices, const double* weight, const float* factor, double* sums,
               double* totals, unsigned threads);

struct WalkTally {
  double work = 0;        // elements looked at, and some for every step
  double reached = 0;     // sum over the walks of the ways to the innermost level that each stands for
  bool overflow = false;  // a tail's polynomial left its range
};

class Walker {
 public:
  Walker(const Inputs& in, const WalkWeights& weights);

  // The estimate of one walk. `u`, in [0, 1), picks the seed, and what is left of it the second vertex; everything
  // else comes from `draws`.
  double walk(double u, generate::Draws& draws);
  // What the walks since the last call came to; sums start anew, so that they do not depend on earlier walks.
  WalkTally take_tally() { return std::exchange(tally_, {}); }

 private:
  struct Draw {
    std::size_t index;
    double probability;  // 0: nothing can be drawn
  };

  // u becomes what is left of it, again in [0, 1).
  std::size_t draw_seed(double& u, double& probability) const;
  // Prepares drawing from the candidates of a level, then draws.
  void prepare(int level, Span candidates);
  Draw draw(double u) const;
  bool take(int level, std::uint32_t v);
  void compute_sets(const Level& l);
  double tail(std::uint32_t v);
  double cost_of(const SetExpression& e) const;

  const Inputs& in_;
  const Leaf& plan_;
  const WalkWeights& weights_;
  const int last_;
  Sets sets_;
  EdgeAssignment edges_;
  InnerTail tail_;
  std::vector<std::uint64_t> sizes_;

  // The list that is drawn from: running sums, less what comes before it.
  Span candidates_{};
  const double* sums_ = nullptr;  // null: all candidates alike
  double before_ = 0;
  double total_ = 0;
  std::vector<double> scratch_;

  WalkTally tally_;
};

}  // namespace subiso
