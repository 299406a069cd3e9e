"""Payment rings: money that goes round in a circle of 3 to 5 accounts, found among ordinary payments.

The graph is generated (seeded), with some rings hidden in it: the truth to compare with.

    python examples/payment_rings.py [--device cuda]
"""

import argparse

import numpy as np

import subiso as si

parser = argparse.ArgumentParser(description="Rings of payments in a generated transaction graph.")
parser.add_argument("--device", default="cpu", help='where to search: "cpu", "cuda", "auto"')
device = parser.parse_args().device

g = si.generators.transactions(5_000, 60_000, rings=12, seed=7)
print(f"{g.num_edges:,} payments between {g.num_vertices:,} accounts")

amount, time, truth = (g.edge_columns[name] for name in ("amount", "time", "ring"))
worthwhile = amount >= 8  # a mask: one bool per payment


def rings(k: int) -> np.ndarray:
    """Edge ids of the cycles of k payments, one row each."""
    names = "abcde"[:k]
    text = ", ".join(f"({x})-[e{x}]->({y})" for x, y in zip(names, names[1:] + names[0], strict=True))
    pattern = si.Pattern(text).where(edge=worthwhile)
    return si.match(g, pattern, columns=[f"e{x}" for x in names], unique=True, device=device).to_numpy()


def in_time(edges: np.ndarray) -> np.ndarray:
    """The rings whose payments follow each other within a day and a half, whichever comes first."""
    when = time[edges]
    first = when.argmin(axis=1)
    order = (first[:, None] + np.arange(edges.shape[1])) % edges.shape[1]
    turned = np.take_along_axis(when, order, axis=1)
    return edges[(np.diff(turned, axis=1) > 0).all(axis=1) & (np.ptp(turned, axis=1) <= 36 * 3600)]


found = set()
print("length               cycles  in time")
for k in (3, 4, 5):
    cycles = rings(k)
    likely = in_time(cycles)
    print(f"{k:6}  {len(cycles):19,}  {len(likely):7}")
    found |= {int(ring) for row in truth[likely] for ring in set(row.tolist()) if len(set(row.tolist())) == 1}
planted = set(truth.tolist()) - {-1}
print(f"{len(found & planted)} of {len(planted)} hidden rings found")

# Kinds of accounts as labels: money that leaves an exchange for people and comes back.
print("length  through an exchange, else people")
for k in (3, 4, 5):
    people = "".join(f"-->({x}:person)" for x in "bcde"[: k - 1])
    print(f"{k:6}  {si.count(g, f'(a:exchange){people}-->(a)', device=device):19,}")

# The same as text, with a label and with comparisons in place of the mask.
busy = si.Pattern("(a:business)-[e]->(b)-[f]->(c)-[g]->(a)").where(
    "e.amount >= 8", "f.amount >= 8", "g.amount >= 8"
)
print(f"{si.count(g, busy, device=device)} cycles of three pass through a business (once for each business)")
