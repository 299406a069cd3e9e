// What local counts want of a program: which vertices and edges of every match that is counted get a share of it, and in
// which column of the tally. Python lowers a plan's Tally to integers (engine/lower.py); parse_tally reads and checks it.
#pragma once
#include "engine/program.hpp"

namespace subiso {

// A matched vertex counts `times` in a column.
struct VertexShare {
  int column = kNone;
  std::int64_t times = 0;
};

// The edge from an earlier position to a level's own vertex, which is in the earlier one's list of the relation.
struct EdgeShare {
  int earlier;
  int relation;
  int column;
  std::int64_t times;
};

// Every element of a tail set, or the edge to it from a matched vertex, gets the polynomial's value.
struct TailShare {
  int size;
  int column;
  int from;      // kNone: the element itself
  int relation;  // of the edge, read at `from`
  std::vector<Term> terms;
};

struct TallyProgram {
  std::vector<int> columns;  // per column: kNone counts by vertex, otherwise by entry of this relation
  bool wide = false;         // 128 bits for each count instead of 64
  std::vector<VertexShare> vertices;          // by level
  std::vector<std::vector<EdgeShare>> edges;  // by level
  std::vector<std::vector<int>> sure;         // by tail size: positions whose vertices are known to be elements
  std::vector<TailShare> tail;
  bool wanted() const { return !columns.empty(); }
};

// Throws std::invalid_argument when the code is malformed or does not fit the program.
TallyProgram parse_tally(const std::int64_t* code, std::size_t length, const Program& program,
                         const ProgramLimits& limits);

}  // namespace subiso
