// The sizes of the tail's sets, evaluated for every vertex of the innermost loop. What the loop does not change is done
// once before it: whole sizes, and the fixed part of a set that is then intersected with the vertex's own list (held
// as a bitmap when the loop is long enough).
//
// Once as much has been spent on such intersections as it would cost to count, for every vertex, how many members of
// the fixed part are next to it, that is done instead (codegrees): from then on a size is one look-up, for as long as
// the fixed part stays.
#pragma once
#include "engine/sets.hpp"
#include "engine/terms.hpp"

namespace subiso {

class InnerTail {
 public:
  // For the innermost of `loops`, which is at position `last`.
  InnerTail(const Inputs& in, Sets& sets, const Loops& loops, int last);

  // The loop over the last level is about to run over `length` candidates; false when it cannot count anything.
  bool begin(std::size_t length);
  // The last level was just matched with v.
  void evaluate(std::uint32_t v, std::uint64_t* sizes);
  void end();
  // The only size is a codegree by now, and the level takes every vertex but matched ones.
  bool all_counted() const {
    return summable_ && (parts_[0].counted || parts_[0].kind == kLookUp) && parts_[0].maybe.empty();
  }
  PowerSums sum_over(Span vertices);
  // ... and what it is for one of them.
  std::uint64_t counted(std::uint32_t v) {
    ++parts_[0].looked_up;
    return counts()[v] - parts_[0].less;
  }

 private:
  enum Kind { kFixed, kAgainstBase, kLookUp, kGeneral };
  struct Part {
    Kind kind = kGeneral;
    SetExpression fixed;            // kAgainstBase: without the bound that the innermost vertex sets
    bool bounded_below = false;     // elements must be above the innermost vertex
    bool bounded_above = false;     // ... or below it
    int relation = kNone;
    Span base;
    bool in_bitmap = false;
    std::vector<std::uint64_t> bits;
    // Codegrees
    bool countable = false;
    int depends = 0;           // the last position that the fixed part depends on
    std::uint64_t stamp = 0;   // of that position, when the fields below were set
    std::uint64_t spent = 0;   // elements looked at since then
    std::uint64_t price = 0;   // elements that counting would look at; 0 = not known yet
    bool counted = false;
    bool eager = false;        // counting paid off for the last fixed part: do not wait with the next
    std::uint64_t looked_up = 0;
    std::vector<std::uint32_t> codegree;  // by vertex; zero for all but `touched`
    std::vector<std::uint32_t> touched;
    std::uint64_t size = 0;  // kFixed
    // kAgainstBase, kLookUp: matched vertices that are elements for every vertex of the loop (they are taken out), and
    // positions of those that are if they are joined to it.
    std::uint64_t less = 0;
    std::vector<int> maybe;
  };

  Part classify(const TailSize& tail) const;
  void sort_distinct(Part& part, const TailSize& tail);
  std::uint64_t without_matched(const Part& part, std::uint32_t v, std::uint64_t size) const;
  std::uint64_t against_base(Part& part, std::uint32_t v);
  void renew(Part& part);
  bool worth_counting(Part& part) const;
  void count_codegrees(Part& part) const;
  Span counted_list(const Part& part, std::uint32_t member) const;
  // By vertex, once all_counted.
  const std::uint32_t* counts() const {
    return parts_[0].kind == kLookUp ? sets_.codegrees(loops_.sizes[0].table) : parts_[0].codegree.data();
  }

  const Inputs& in_;
  Sets& sets_;
  const Loops& loops_;
  const int last_;
  const std::size_t degree_;  // of the polynomial
  const bool summable_;  // a polynomial in one size, and a level that takes all but matched vertices
  std::vector<Part> parts_;
};

}  // namespace subiso
