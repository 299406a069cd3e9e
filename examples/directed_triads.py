"""Connectome-like triads: three-neuron circuits in a directed graph of excitatory and inhibitory neurons.

python examples/directed_triads.py
"""

import subiso as si

# 600 neurons of two kinds in a skewed directed graph; some synapses go both ways.
wiring = si.generators.barabasi_albert(600, 8, seed=5)
src, dst = wiring.edge_endpoints()
flip = (src * 7 + dst * 13) % 5 < 2  # some synapses point at the older neuron, some at the younger
g = si.Graph.from_edges(
    [*src[~flip], *dst[flip], *src[::6]],
    [*dst[~flip], *src[flip], *dst[::6]],
    num_vertices=wiring.num_vertices,
    directed=True,
    vertex_labels=["inhibitory" if v % 5 == 0 else "excitatory" for v in range(wiring.num_vertices)],
)
print(g)

TRIADS = {
    "feed-forward": "(a)-->(b)-->(c), (a)-->(c)",
    "feedback loop": "(a)-->(b)-->(c)-->(a)",
    "chain": "(a)-->(b)-->(c)",
    "fan-in": "(a)-->(b)<--(c)",
    "fan-out": "(a)<--(b)-->(c)",
    "mutual pair out": "(a)<-->(b)-->(c)",
}
# Induced: these edges and no others between the three, so that no triple is counted under two names.
counts = si.count(g, list(TRIADS.values()), induced=True)
for name, count in zip(TRIADS, counts, strict=True):
    print(f"{name:16} {count:8,}")

# DotMotif's notation is a second way to write a pattern: !> forbids an edge.
oneway = si.Pattern.from_dotmotif("A -> B\nB -> C\nA -> C\nB !> A\nC !> B\nC !> A")
assert si.count(g, oneway) == counts[0]

lateral = si.Pattern("(x:excitatory)-->(i:inhibitory)-->(y:excitatory), !(y)-->(x)")
print(f"lateral inhibition: {si.count(g, lateral):,} circuits, for example")
for row in si.match(g, lateral, order="sorted", limit=2):
    print("  ", row)
