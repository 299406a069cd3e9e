// The sizes of the tail's sets, evaluated for every vertex of the innermost loop. What the loop does not change is done
// once before it: whole sizes, and the fixed part of a set that is then intersected with the vertex's own list (held
// as a bitmap when the loop is long enough).
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
    std::uint64_t size = 0;  // kFixed
  };

  Part classify(const TailSize& tail) const;
  std::uint64_t against_base(Part& part, std::uint32_t v) const;

  const Inputs& in_;
  Sets& sets_;
  const int last_;
  std::vector<Part> parts_;
};

}  // namespace subiso
