"""Network motifs: is the feed-forward loop more frequent in a regulatory network than its degrees explain?

python examples/feed_forward_loops.py
"""

import numpy as np

import subiso as si

# 400 genes, 900 random regulations, and 120 loops in which x regulates y and z, and y regulates z.
rng = np.random.default_rng(7)
background = si.generators.erdos_renyi(400, m=900, seed=7, directed=True)
src, dst = background.edge_endpoints()
x, y, z = rng.permuted(np.tile(np.arange(400), (120, 1)), axis=1)[:, :3].T
g = si.Graph.from_edges(
    np.concatenate([src, x, x, y]),
    np.concatenate([dst, y, z, z]),
    num_vertices=400,
    directed=True,
)
print(g)

# All triples of genes by how they regulate each other; "030T" is the feed-forward loop, "030C" the feedback loop.
census = si.triads(g)
print(
    f"of {sum(census.values()):,} triples, {census['030T']} are feed-forward and {census['030C']} feedback loops"
)

# The same counts in 200 random networks in which every gene regulates, and is regulated by, as many as here.
table = si.significance(g, 3, directions=True, induced=True, samples=200, seed=1)
print(table)

loop = table["030T"]
print(f"\nfeed-forward loops: {loop.count}, by chance {loop.mean:.1f} ± {loop.std:.1f}, z = {loop.z:.0f}")
assert loop.z > 10 and abs(table["030C"].z) < 4
