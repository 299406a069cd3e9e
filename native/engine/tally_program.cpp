#include "engine/tally_program.hpp"

#include "engine/code_reader.hpp"

namespace subiso {
namespace {

class Reader : private CodeReader {
 public:
  Reader(const std::int64_t* code, std::size_t length, const Program& program, const ProgramLimits& limits)
      : CodeReader(code, length),
        program_(program),
        limits_(limits),
        num_levels_(static_cast<int>(program.only().levels.size())),
        num_sizes_(static_cast<int>(program.only().sizes.size())) {}

  TallyProgram tally() {
    if (program_.emit) fail("a program that emits rows has no tally");
    if (program_.leaves.size() > 1) fail("a program of several plans has no tally");
    if (!program_.only().parts.empty() || !program_.codegrees.empty()) fail("a program for a cut has no tally");
    TallyProgram t;
    t.wide = number(0, 2) != 0;
    if (t.wide && program_.only().local.wanted()) fail("a local search has no wide tally");
    for (int left = number(1, 1 << 16); left > 0; --left) t.columns.push_back(number(kNone, limits_.relations));
    for (int i = 0; i < num_levels_; ++i) {
      const int at = number(kNone, static_cast<int>(t.columns.size()));
      if (at != kNone && t.columns[static_cast<std::size_t>(at)] != kNone) fail("a vertex counts in a column of edges");
      t.vertices.push_back({at, word()});
    }
    for (int i = 0; i < num_levels_; ++i) t.edges.push_back(edges(t, i));
    for (int i = 0; i < num_sizes_; ++i) t.sure.push_back(sure(i));
    for (int left = number(0, 1 << 16); left > 0; --left) t.tail.push_back(tail_share(t));
    finish();
    return t;
  }

 private:
  int column(const TallyProgram& t, int relation) {
    const int found = number(0, static_cast<std::int64_t>(t.columns.size()));
    if (t.columns[static_cast<std::size_t>(found)] != relation) fail("a share stands in a column of another kind");
    return found;
  }
  // The list must be one that the vertex was drawn from: entries are looked for, and found.
  std::vector<EdgeShare> edges(const TallyProgram& t, int level) {
    std::vector<EdgeShare> shares;
    for (int left = number(0, 1 << 16); left > 0; --left) {
      const int earlier = number(0, level), relation = number(0, limits_.relations);
      const int at = column(t, relation);
      shares.push_back({earlier, relation, at, word()});
    }
    return shares;
  }
  std::vector<int> sure(int size) {
    std::vector<int> positions = numbers(num_levels_);
    if (positions.size() != program_.only().sizes[static_cast<std::size_t>(size)].surely)
      fail("a size names other sure elements than it has");
    return positions;
  }
  TailShare tail_share(const TallyProgram& t) {
    TailShare share;
    share.size = number(0, num_sizes_);
    share.from = number(kNone, num_levels_);
    share.relation = share.from == kNone ? kNone : number(0, limits_.relations);
    share.column = column(t, share.relation);
    for (int left = number(0, 1 << 20); left > 0; --left) {
      const std::int64_t coefficient = word();
      share.terms.push_back({coefficient, numbers(num_sizes_)});
    }
    return share;
  }

  const Program& program_;
  const ProgramLimits& limits_;
  const int num_levels_;
  const int num_sizes_;
};

}  // namespace

TallyProgram parse_tally(const std::int64_t* code, std::size_t length, const Program& program,
                         const ProgramLimits& limits) {
  return Reader(code, length, program, limits).tally();
}

}  // namespace subiso
