// What a search is compiled with, and what it is given: settings, initial pools, arguments.
#pragma once
#include "codegrees.cuh"
#include "share.cuh"
#include "tally.cuh"

namespace subiso {

enum class Tail { kCount, kSizes, kRows };

// What is compiled in; everything else is an argument.
template <Tail kTailKind, bool kEdgesOn = false, bool kMeasureOn = false, u32 kBatchSize = 32, bool kShareOn = true,
          u32 kPeriodSteps = 8, u32 kLeastGift = 32, bool kSetsOn = false, int kStopLevel = kMaxPositions,
          int kDetectLevel = kMaxPositions, Team kTeamKind = Team::kNone, bool kNarrowOn = false, bool kTallyOn = false>
struct Config {
  static constexpr Tail kTail = kTailKind;
  static constexpr bool kEdges = kEdgesOn;         // edge-isomorphism
  static constexpr bool kMeasure = kMeasureOn;     // count steps and tasks
  static constexpr u32 kBatch = kBatchSize;        // partial matches whose candidates are dealt together
  static constexpr bool kShare = kShareOn;         // hand work over
  static constexpr u32 kPeriod = kPeriodSteps;     // steps between two looks at the others
  static constexpr u32 kLeast = kLeastGift;        // tasks of the current level that are worth a letter
  static constexpr bool kSets = kSetsOn;           // schedule `stack`: keep sets
  static constexpr int kStop = kStopLevel;         // deeper levels are not handed over
  static constexpr int kDetect = kDetectLevel;     // deeper down nothing is handed over
  static constexpr Team kTeam = kTeamKind;         // seed by seed, with a table of codegrees
  static constexpr bool kRefill = !kSets && kTeam == Team::kNone && kBatch == kWarp;  // go up where lanes would be idle
  static constexpr bool kWatchful = kShare && kTail == Tail::kSizes && kTeam == Team::kNone;  // sizes may take long: look
  static constexpr bool kNarrow = kNarrowOn;       // a polynomial's value and its terms fit into 64 bits
  static constexpr bool kTally = kTallyOn;         // local counts
  // Candidates of the last level that a warp counts in one go; more are worth sharing. Sizes below them are work of their
  // own. Teams share nothing: there it is those of one entry, so that a stop is heeded.
  static constexpr u32 kPiece = kTeam != Team::kNone ? 1024 : kTail == Tail::kSizes ? 256 : 2048;
  // Turns after which a warp that counts sizes looks whether somebody waits for a part of its piece.
  static constexpr u32 kLong = 16;
};

template <bool kNarrow>
struct ValueOf {
  using Type = Wide;
};
template <>
struct ValueOf<true> {
  using Type = i64;
};

struct NoCounts {};
template <Team kTeam>
struct CountsOf {
  using Type = NoCounts;
};
template <>
struct CountsOf<Team::kWarp> {
  using Type = HashedCounts;
};
template <>
struct CountsOf<Team::kBlock> {
  using Type = DenseCounts;
};

// The initial pool: `rows` partial matches of `width` vertices, position by position, `capacity` apart. Warps take
// units of it; sizes of units fall into classes, so that a unit of rows with long lists is a small one.
struct Pool {
  struct Class {
    u64 row, unit;     // the first ones
    u64 size;          // rows of a unit
  };
  const u32* vertices;
  const u32* seconds;  // of edges: width 2, the second vertices stand here, and rows count from the end
  const u64* grown;    // rows, written by an earlier kernel; null: `rows` says it
  u64 rows;
  u64 capacity;
  u32 width;
  u32 origin;          // of edges: the operation of level 1 whose list they are
  u64 last_unit;       // units from here on are somebody else's
  Class classes[4];    // those after the last have units and rows beyond all others
};

// Levels of a plan from which on lanes are filled from above: in shorter searches there is hardly anything above.
inline constexpr int kDeep = 5;

template <class Store>
struct SearchArgs {
  Reads<Store> reads;
  ShareArgs share;
  SetArgs sets;
  CodegreeArgs codegrees;
  const Tables* tables;
  Pool seeds;            // always there, width 1
  Pool pool;             // width 0: none; not used when it did not hold all rows
  u32* rows;             // Tail::kRows
  u64 row_capacity;
  u64 row_stride, column_stride;
  const u32* translate;  // rank -> what leaves; null: the rank
  u64 keep;              // when the output is full: save the stacks for the next launch
  const TallyTables* tally;
};

// Levels of the stack that a plan needs: all but the last, whose candidates are never kept, unless sizes hang below it.
template <Tail kTail>
SUBISO_DEVICE constexpr int stack_levels(int num_levels) {
  return kTail == Tail::kSizes || num_levels == 1 ? num_levels : num_levels - 1;
}

}  // namespace subiso
