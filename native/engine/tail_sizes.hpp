// The sizes of tail sets, evaluated for every vertex of the innermost loop. What the loop does not change is done once
// before it: whole sizes, and the fixed part of a set that is then intersected with the vertex's own list (held as a
// bitmap when the loop is long enough). Plans that end with the same loop share the sizes that they have in common.
//
// Once as much has been spent on such intersections as it would cost to count, for every vertex, how many members of
// the fixed part are next to it, that is done instead (codegrees): from then on a size is one look-up, for as long as
// the fixed part stays.
#pragma once
#include "engine/sets.hpp"
#include "engine/terms.hpp"

namespace subiso {

class TailSizes {
 public:
  // For sizes after the loop of `level`, which is at position `last`.
  TailSizes(const Inputs& in, Sets& sets, const Level& level, const std::vector<TailSize>& sizes, int last);

  // A loop over `length` candidates is about to run, in which this size is wanted; until as many calls of `end`.
  void begin(std::size_t size, std::size_t length);
  void end(std::size_t size);
  // Known to be zero for all vertices of the loop.
  bool nothing(std::size_t size) const { return parts_[size].nothing; }
  // The last level was just matched with v.
  std::uint64_t value(std::size_t size, std::uint32_t v) {
    Part& part = parts_[size];
    if (part.users == 1) return evaluate(size, v);
    if (part.evaluated != sets_.serial[last_]) {
      part.value = evaluate(size, v);
      part.evaluated = sets_.serial[last_];
    }
    return part.value;
  }
  // A codegree by now, for every vertex that the loop can come to.
  bool counted(std::size_t size) const {
    const Part& part = parts_[size];
    return (part.counted || part.kind == kLookUp) && part.maybe.empty();
  }
  // Once it is: the sums of its powers, up to `degree`, over vertices of the loop that the level takes.
  PowerSums sum_over(std::size_t size, Span vertices, std::size_t degree);
  // ... and what it is for one of them.
  std::uint64_t counted_at(std::size_t size, std::uint32_t v) {
    ++parts_[size].looked_up;
    return counts(size)[v] - parts_[size].less;
  }

 private:
  enum Kind { kFixed, kAgainstBase, kLookUp, kGeneral };
  struct Part {
    Kind kind = kGeneral;
    int users = 0;                // loops that are running with it
    bool nothing = false;
    std::uint64_t value = 0;      // of the vertex whose serial number is `evaluated`
    std::uint64_t evaluated = 0;
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
  std::uint64_t evaluate(std::size_t size, std::uint32_t v);
  void sort_distinct(Part& part, const TailSize& tail);
  std::uint64_t without_matched(const Part& part, std::uint32_t v, std::uint64_t size) const;
  std::uint64_t against_base(Part& part, std::uint32_t v);
  void renew(Part& part);
  bool worth_counting(Part& part) const;
  void count_codegrees(Part& part) const;
  Span counted_list(const Part& part, std::uint32_t member) const;
  // By vertex, once it is counted.
  const std::uint32_t* counts(std::size_t size) const {
    return parts_[size].kind == kLookUp ? sets_.codegrees(sizes_[size].table) : parts_[size].codegree.data();
  }

  const Inputs& in_;
  Sets& sets_;
  const Level& level_;
  const std::vector<TailSize>& sizes_;
  const int last_;
  std::vector<Part> parts_;
};

}  // namespace subiso
