// One worker's local counts: gives the vertices and edges of every match that was counted their share, the matched ones
// when their subtree is done, those of the tail's sets in the innermost loop.
//
// The share of a tail set's element is a polynomial in the other sets' sizes (the derivative of the tail's own). It is
// added element by element, or once for the whole innermost loop when the set stays the same, or only noted at the
// vertex when the set is nothing but its neighbour list (tally_store.hpp).
#pragma once
#include "engine/marked_base.hpp"
#include "engine/sets.hpp"
#include "engine/tally_store.hpp"

namespace subiso {

// The lists that tail shares are deferred to, in the order of the shares that can be.
std::vector<DeferredList> deferred_lists(const Inputs& in);

inline Weight weight_of(const std::vector<Term>& terms, const std::uint64_t* sizes) {
  Weight sum = 0;
  for (const Term& term : terms) {
    Weight product = static_cast<Weight>(static_cast<Count>(term.coefficient));
    for (int factor : term.factors) product *= sizes[factor];
    sum += product;
  }
  return sum;
}

class Tally {
 public:
  Tally(const Inputs& in, Sets& sets, const TallyStore& store, int worker);

  TallySink& sink() { return sink_; }

  // The vertex at the level had `part` matches below it; they go to it and to its edges to earlier positions.
  void subtree(int level, Count part);

  // Elements of the tail's sets get shares; without, sizes are all that the innermost loop needs.
  bool scatters() const { return !program_.tail.empty(); }
  // The innermost loop begins. Then, for every vertex it matches: sizes of all tail sets, and their elements' shares.
  void begin();
  void evaluate(std::uint64_t* sizes);
  void share(const std::uint64_t* sizes);
  void end();

 private:
  enum Kind { kSizeOnly, kDeferred, kFixed, kMarked, kGeneral };
  struct Share {
    const TailShare* what;
    int deferred = kNone;  // column of the weights
    Weight pending = 0;    // kFixed: since the loop began
    enum Place { kSearch, kInBase, kInList } place = kSearch;  // kMarked: where an edge's entry is known from
  };
  struct Part {
    Kind kind = kSizeOnly;
    std::vector<Share> shares;
    Scratch room;
    Span elements;
    MarkedBase marked;  // kMarked: what the loop does not change; the set is its intersection with the vertex's list
    SetExpression fixed;
    Span list;
    std::vector<std::uint32_t> matched;  // those among the elements that the match uses elsewhere
  };
  // Where the list of an earlier vertex was last looked at; vertices come in increasing order, so it is near.
  struct Cursor {
    std::uint64_t serial = 0;
    const std::uint32_t* at = nullptr;
    const std::uint32_t* end = nullptr;
  };

  bool make_marked(Part& part, const SetExpression& e) const;
  void evaluate_marked(Part& part, const SetExpression& e);
  void scatter_marked(const Part& part, const Share& share, Weight weight);
  void note_matched(std::size_t size);
  void scatter(const TailShare& share, Span elements, Weight weight);
  void add_one(const TailShare& share, std::uint32_t element, Weight weight);
  std::size_t find(Cursor& cursor, const EdgeShare& edge, std::uint32_t v) const;

  const Inputs& in_;
  const TallyProgram& program_;
  Sets& sets_;
  const int last_;
  TallySink sink_;
  std::vector<Part> parts_;
  std::vector<std::vector<Cursor>> cursors_;
};

}  // namespace subiso
