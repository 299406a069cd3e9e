// The passes over the graph, one per file; each adds the sums it is for. `basis` runs those that motifs of k vertices need.
#pragma once
#include <vector>

#include "motifs/crew.hpp"
#include "motifs/sums.hpp"

namespace subiso::motifs {

// Triangles at every list entry: those of the edge between the list's vertex and the neighbour.
using EdgeTriangles = std::vector<u32>;

EdgeTriangles edge_triangles(const SimpleGraph& graph, Crew& crew, Sums& sums);                                // triangles.cpp
void add_degree_sums(const SimpleGraph& graph, const EdgeTriangles& triangles, int k, Crew& crew, Sums& sums);  // degrees.cpp
void add_four_cycles(const SimpleGraph& graph, Crew& crew, Sums& sums);                                        // cycles.cpp
void add_cycles(const SimpleGraph& graph, const EdgeTriangles& triangles, Crew& crew, Sums& sums);             // cycles.cpp
void add_common_neighbors(const SimpleGraph& graph, const EdgeTriangles& triangles, Crew& crew, Sums& sums);   // common.cpp
void add_cliques(const SimpleGraph& graph, int largest, Crew& crew, Sums& sums);                               // cliques.cpp

Sums basis(const SimpleGraph& graph, int k, Crew& crew);

}  // namespace subiso::motifs
