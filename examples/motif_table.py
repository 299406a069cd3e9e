"""Motifs: how often each connected shape of four vertices occurs, in a social-like and in a random graph.

python examples/motif_table.py
"""

import subiso as si

social = si.generators.watts_strogatz(2_000, 10, 0.1, seed=3)
random = si.generators.erdos_renyi(2_000, m=social.num_edges, seed=3)

print(si.motifs(social, 4, induced=True))

# Patterns are hashable, so two counts are compared shape by shape.
expected = si.motifs(random, 4, induced=True)
print(f"\n{'motif':16} {'small world':>12} {'random':>12}")
for pattern, count in si.motifs(social, 4, induced=True).items():
    print(f"{pattern.usual_name:16} {count:12,} {expected[pattern]:12,}")

triangles, wedges = (si.count(social, si.Pattern.named(name)) for name in ("triangle", "wedge"))
print(f"\nglobal clustering coefficient {3 * triangles / wedges:.3f}")
