"""The same answers as NetworkX on a small graph: embeddings, induced matches, labels.

python examples/against_networkx.py
"""

import networkx as nx
from networkx.algorithms import isomorphism

import subiso as si

club = nx.karate_club_graph()
g = si.Graph.from_networkx(club, vertex_label="club")
print(g)

PATTERNS = {"triangle": nx.cycle_graph(3), "square": nx.cycle_graph(4), "house": nx.house_graph()}
for name, graph in PATTERNS.items():
    pattern = si.Pattern.from_networkx(graph)
    ours = si.count(g, pattern, unique=False)
    matcher = isomorphism.GraphMatcher(club, graph)
    theirs = sum(1 for _ in matcher.subgraph_monomorphisms_iter())
    assert ours == theirs, (name, ours, theirs)
    print(f"{name:9} {ours:6} embeddings, as NetworkX finds")

induced = si.match(g, si.Pattern.path(4), induced=True, unique=False).to_numpy()
matcher = isomorphism.GraphMatcher(club, nx.path_graph(4))
expected = {tuple(sorted(m, key=m.get)) for m in matcher.subgraph_isomorphisms_iter()}
assert {tuple(row) for row in induced.tolist()} == expected
print(f"induced paths of four: the same {len(expected)} rows")

print("triangles of one faction", si.count(g, '(a:"Mr. Hi")--(b:"Mr. Hi")--(c:"Mr. Hi")--(a)'))
print("of the other            ", si.count(g, "(a:Officer)--(b:Officer)--(c:Officer)--(a)"))
