// The sizes of the tail's sets, evaluated for every vertex of the innermost loop. What the loop does not change is done
// once before it: whole sizes, and the fixed part of a set that is then intersected with the vertex's own list (held
// as a bitmap when the loop is long enough).
//
// Once as much has been spent on such intersections as it would cost to count, for every vertex, how many members of
// the fixed part are next to it, that is done instead (codegrees): from then on a size is one look-up, for as long as
// the fixed part stays.
#pragma once
#include "engine/sets.hpp"

namespace subiso {

class InnerTail {
 public:
  InnerTail(const Inputs& in, Sets& sets);

  // The loop over the last level is about to run over `length` candidates; false when it cannot count anything.
  bool begin(std::size_t length);
  // The last level was just matched with v.
  void evaluate(std::uint32_t v, std::uint64_t* sizes);
  void end();
  // The only size is a codegree by now: its sum over the vertices.
  bool all_counted() const {
    return parts_.size() == 1 && parts_[0].counted && in_.program.sizes[0].distinct.empty();
  }
  std::uint64_t sum_over(Span vertices);
  // ... and what it is for one of them.
  std::uint64_t counted(std::uint32_t v) {
    ++parts_[0].looked_up;
    return parts_[0].codegree[v] - in_.program.sizes[0].surely;
  }

 private:
  enum Kind { kFixed, kAgainstBase, kGeneral };
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
  };

  Part classify(const TailSize& tail) const;
  std::uint64_t against_base(Part& part, std::uint32_t v);
  void renew(Part& part);
  bool worth_counting(Part& part) const;
  void count_codegrees(Part& part) const;
  Span counted_list(const Part& part, std::uint32_t member) const;

  const Inputs& in_;
  Sets& sets_;
  const int last_;
  std::vector<Part> parts_;
};

}  // namespace subiso
