"""Counts per vertex, per edge and per role: clustering coefficients, k-trusses, and features for learning.

python examples/local_counts.py
"""

import networkx
import numpy as np

import subiso as si

g = si.generators.watts_strogatz(2_000, 10, 0.1, seed=3)

# The clustering coefficient of a vertex: closed wedges around it, out of all.
triangles = si.count(g, si.Pattern.clique(3), per="vertex")
wedges = si.count(g, "(a)--(b), (b)--(c)", per="role")["b"]  # in the middle of how many
clustering = np.divide(triangles, wedges, out=np.zeros(g.num_vertices), where=wedges > 0)
print(f"{triangles.sum() // 3:,} triangles, mean clustering coefficient {clustering.mean():.3f}")
expected = networkx.clustering(g.to_networkx())
assert np.allclose(clustering, [expected[v] for v in range(g.num_vertices)])
print("the same as NetworkX's")

# The k-truss: drop edges in fewer than k - 2 triangles until all are in enough.
k, kept = 4, g
while True:
    support = si.count(kept, si.Pattern.clique(3), per="edge")
    if (support >= k - 2).all():
        break
    source, target = (ends[support >= k - 2] for ends in kept.edge_endpoints())
    kept = si.Graph.from_edges(source, target, num_vertices=g.num_vertices)
print(f"{k}-truss: {kept.num_edges:,} of {g.num_edges:,} edges")
assert kept.num_edges == networkx.k_truss(g.to_networkx(), k).number_of_edges()

# Features of the vertices for a model: in how many subgraphs of each shape of four vertices each is.
motifs = si.motifs(g, 4, per="vertex", induced=True)
features = np.stack(list(motifs.values()), axis=1)
print(f"\n{'motif':16} {'vertex 0':>9} {'mean':>9}")
for pattern, column in zip(motifs, features.T, strict=True):
    print(f"{pattern.usual_name:16} {column[0]:9,} {column.mean():9.1f}")
