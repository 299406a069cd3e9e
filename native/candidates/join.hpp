// One step of an elimination: joins the factors of a variable, and sums over its values.
#pragma once
#include <cstdint>
#include <vector>

#include "candidates/eliminate.hpp"
#include "candidates/factor.hpp"

namespace subiso {

// Raised inside an elimination, and turned into a status where that ends.
struct Failure {
  Elimination status;
};

Times multiplied(Times x, Times y);  // Failure on overflow

class Join {
 public:
  // Whether a row over these variables fits into a key; `sizes` has the number of values of each variable.
  static bool fits(const std::vector<int>& variables, const std::vector<std::uint32_t>& sizes);

  // `own` are the factors of variable v, `scope` their other variables; `checked` are over variables of the scope alone.
  Join(int v, const std::vector<int>& scope, const std::vector<std::uint32_t>& sizes, const std::vector<Factor>& own,
       const std::vector<Factor>& checked, const Limits& limits);

  // By value of v how often it counts.
  void run(const std::vector<Times>& weight);

  std::uint64_t steps() const { return steps_; }  // rows looked at
  // What was found: for no variable, for one (by value), for several.
  Times total() const { return total_; }
  const std::vector<Times>& single() const { return single_; }
  Factor factor() const;

 private:
  // A factor's rows by the value of v.
  struct Bucket {
    const Factor* factor;
    int column;
    std::vector<std::uint32_t> offsets;
    std::vector<std::uint32_t> order;
  };
  // A factor that is looked up as soon as all of its variables have values.
  struct Check {
    std::vector<int> variables;
    RowMap map;
    std::size_t ready = 0;  // after how many buckets
  };

  int bits_of(int variable) const;
  Bucket sorted(const Factor& f, int v) const;
  Check check_of(const Factor& f, int v) const;
  std::uint64_t packed(const std::vector<int>& variables) const;
  // Goes through the rows of the buckets that agree with each other.
  void join(std::size_t i, std::uint32_t x, Times times);
  Times checked(std::size_t known, Times times) const;
  void emit(Times times);
  void look() const;  // Failure where a limit is reached

  const Limits limits_;
  const std::vector<int>& scope_;
  const std::vector<std::uint32_t>& sizes_;
  std::vector<Bucket> buckets_;
  std::vector<Check> checks_;
  std::vector<std::uint32_t> value_;  // variable -> value, or none
  RowMap rows_;
  std::vector<Times> single_;
  Times total_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace subiso
