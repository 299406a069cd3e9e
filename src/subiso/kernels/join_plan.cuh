// Joins as kernels read them: steps with their hash tables, tests and weights (engine/cuda/pipeline_tables.py fills them),
// what launches share, and a launch's arguments.
#pragma once
#include "checks.cuh"
#include "join_table.cuh"

namespace subiso {

inline constexpr int kMaxSteps = 63;

// What a fresh vertex is asked, given the one at an earlier position.
struct JoinTest {
  Op op;
  u8 position;
};

struct JoinStep {
  HashTable table;
  u8 first;      // the position of its first fresh vertex
  u8 num_fresh;
  u8 num_keys;
  u8 edges;      // edge-isomorphism: that many pattern edges lie within the positions up to this step's
  u8 keys[kMaxPositions];  // positions
};

// A factor of every match: the ways to go on below the vertex at a position, where those that lead to one of some other
// matched vertices do not count.
struct JoinWeight {
  const u64* values;       // by vertex
  const u64* bits;         // vertices that a way may lead to, of those in all these lists
  u8 position;
  u8 num_without;
  u8 num_relations;
  u8 unused;
  u8 relations[4];
  u8 without[8];           // positions
};

struct JoinTables {
  u8 num_positions, num_probe, num_steps;
  u8 probe_edges, num_weights;
  u8 column[kMaxPositions];           // position -> column of a row that leaves
  u16 first_test[kMaxPositions + 1];  // tests of position p: from first_test[p] to first_test[p + 1]
  JoinTest tests[kMaxOps];
  EdgeTable edges[kMaxEdges];
  JoinStep steps[kMaxSteps];
  JoinWeight weights[kMaxPositions];

  SUBISO_DEVICE EdgeTable edge(int i) const { return edges[i]; }
};

struct JoinControl {
  Total total;             // of the whole run; everything else belongs to one launch
  alignas(128) u64 next;   // the first row that nobody has taken
  alignas(128) u32 stop;
  u32 full;                // the output is
  u32 idle_warps;
  alignas(128) u64 rows;   // places of the output that were given out
  alignas(128) u32 taken;  // states
  u32 saved;
  u32 extra;               // states that were split off
  u32 units_left;          // warps that had rows left when the output was full
};

template <class Store>
struct JoinArgs {
  Reads<Store> reads;
  JoinControl* control;
  const JoinTables* tables;
  const u32* probe;      // columns, `probe_stride` apart
  u64 probe_stride;
  u64 num_rows;
  u64 unit;              // rows that a warp takes at a time
  u64* units;            // per warp: the rows it has left
  u32* states;           // a ring: word w of state s at states[w * state_capacity + s]
  u64 state_capacity;
  u64 states_begin, num_states;
  u64 extra_room;        // states that may be split off
  u64 least_turns;       // before a warp gives its work back
  u32* rows;             // the output
  u64 row_capacity;
  const u32* translate;  // rank -> what leaves
};

}  // namespace subiso
