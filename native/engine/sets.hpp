// Evaluates set expressions for the vertices matched so far: one worker's scratch memory and the operations on it.
#pragma once
#include <memory>

#include "engine/inputs.hpp"

namespace subiso {

// A growing array whose contents need not survive growth.
class Scratch {
 public:
  std::uint32_t* room(std::size_t size) {
    if (size > capacity_) {
      capacity_ = size + size / 2;
      data_ = std::make_unique_for_overwrite<std::uint32_t[]>(capacity_);
    }
    return data_.get();
  }

 private:
  std::unique_ptr<std::uint32_t[]> data_;
  std::size_t capacity_ = 0;
};

class Sets {
 public:
  explicit Sets(const Inputs& in);

  std::uint32_t match[kMaxLevels];
  // Changes whenever a vertex is matched at the position, and so whenever any earlier position changes.
  std::uint64_t serial[kMaxLevels] = {};

  void bind(int position, std::uint32_t v) {
    match[position] = v;
    serial[position] = ++clock_;
  }

  // By vertex: how many elements of the table's base have it in their list.
  const std::uint32_t* codegrees(int table) const { return tables_[static_cast<std::size_t>(table)].count.data(); }
  void compute_codegrees(int table);

  // The elements of a source within the bounds; operands and filter are not looked at.
  Span slice(const SetExpression& e) const;
  void compute(int set);
  // Everything that is to be computed when the level's position is matched.
  void compute_at(const Level& level) {
    for (int set : level.sets) compute(set);
    for (int table : level.codegrees) compute_codegrees(table);
  }
  std::size_t size_of(const TailSize& tail) { return without_matched(tail, count(tail.expression)); }
  // `size` elements meet the tail's expression: how many without the matched vertices among them?
  std::size_t without_matched(const TailSize& tail, std::size_t size) const;

  std::size_t count(const SetExpression& e);
  bool contains(const SetExpression& e, std::uint32_t v) const;
  // The elements; they lie in `room` or in the graph, until the next call with the same room.
  Span elements(const SetExpression& e, Scratch& room) { return evaluate(e, room); }

  // Cuts a sorted list to > match[p] (p in lower) and < match[p] (p in upper).
  Span trim(Span s, const std::vector<int>& lower, const std::vector<int>& upper) const;
  // The operand's list; the part at or below the lower bounds may be cut off.
  Span list_of(const Operand& o, const std::vector<int>& lower) const;

 private:
  // Fills lists_ with the source's list and the positive operands', shortest first; how many there are.
  std::size_t gather(const SetExpression& e);
  // Intersects the first `n` lists; the result lies in `target` (or is the only list itself).
  Span intersect_all(const Span* lists, std::size_t n, Scratch& target);
  Span evaluate(const SetExpression& e, Scratch& target);

  struct Codegrees {
    std::vector<std::uint32_t> count;  // by vertex; zero for all but `ends`
    std::vector<std::uint32_t> ends;
  };

  const Inputs& in_;
  std::uint64_t clock_ = 0;
  std::vector<Scratch> buffers_;
  std::vector<Span> spans_;
  std::vector<Codegrees> tables_;
  std::vector<Span> lists_;  // room for the longest expression
  Scratch spare_;     // the other half of a chain of intersections
  Scratch unnamed_;   // sets of the tail that only their sizes are wanted of, and bases of tables
};

}  // namespace subiso
