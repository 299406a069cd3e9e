// Motifs of three or four vertices with the colours of their vertices: a tally of (shape, colours).
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "motifs/crew.hpp"
#include "motifs/sums.hpp"
#include "motifs/tally.hpp"

namespace subiso::motifs {

// In the order of plan/colored.py, which has the edges of each: positions are those of the colours in a key.
enum Shape : u32 { kWedge, kTriangle, kPath, kClaw, kCycle, kTailed, kDiamond, kClique, kShapes };

// Keys are the least that symmetries of their shape make of them. `color[v]` is below `colors`, which is at most kMostColors.
Tally tally_colored(const SimpleGraph& graph, const u32* color, u32 colors, int k, Crew& crew);

}  // namespace subiso::motifs
