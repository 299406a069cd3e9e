// The passes over the graph, a file per kind; each adds the sums it is for. `basis` runs those that the wanted sums need.
#pragma once
#include <initializer_list>
#include <vector>

#include "motifs/crew.hpp"
#include "motifs/sums.hpp"

namespace subiso::motifs {

// A set of sums, a bit for each.
using Wanted = u64;
static_assert(kSums <= 64);
constexpr Wanted mask(std::initializer_list<Sum> sums) {
  Wanted bits = 0;
  for (const Sum sum : sums) bits |= Wanted{1} << sum;
  return bits;
}

// Triangles at list entries: those of the edge between the list's vertex and the neighbour.
using EdgeTriangles = std::vector<u32>;

// triangle_sums.cpp
void add_triangle_sums(const SimpleGraph& graph, Wanted wanted, Crew& crew, Sums& sums);
// triangles.cpp: at the entries of upper lists, or at both ends of every edge.
EdgeTriangles edge_triangles(const SimpleGraph& graph, bool both_ends, Crew& crew, Sums& sums);
void add_after_triangles(const SimpleGraph& graph, const EdgeTriangles& triangles, Crew& crew, Sums& sums);
// books.cpp
void add_books(const SimpleGraph& graph, Wanted wanted, Crew& crew, Sums& sums);
// degrees.cpp: without triangles, those that degrees are enough for.
void add_degree_sums(const SimpleGraph& graph, Wanted wanted, Crew& crew, Sums& sums);
void add_edge_sums(const SimpleGraph& graph, const EdgeTriangles& triangles, Wanted wanted, Crew& crew, Sums& sums);
// cycles.cpp: triangles only where the sums over them are wanted.
void add_cycles(const SimpleGraph& graph, const EdgeTriangles& triangles, Wanted wanted, Crew& crew, Sums& sums);
// common.cpp
void add_common_neighbors(const SimpleGraph& graph, const EdgeTriangles& triangles, Crew& crew, Sums& sums);
// cliques.cpp: of four vertices, and of five if that is the largest.
void add_cliques(const SimpleGraph& graph, int largest, Crew& crew, Sums& sums);

Sums basis(const SimpleGraph& graph, Wanted wanted, Crew& crew);

}  // namespace subiso::motifs
