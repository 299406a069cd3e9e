"""Patterns whose cuts have several parts, and graphs to count them in."""

from __future__ import annotations

import numpy as np

import subiso as si
from subiso.engine.base import Params, Switches

CUTTING = Params(switches=Switches(decompose="always", sums=False))
BOWTIE = si.Pattern.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)])
PATTERNS = {
    "bowtie": BOWTIE,  # one part, squared
    "path": si.Pattern.path(6),  # at an edge
    "triangle with a path": si.Pattern.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5)]),
    "barbell": si.Pattern.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)]),
    "two squares": si.Pattern.from_edges([(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (4, 5), (5, 6), (3, 6)]),
    "theta": si.Pattern.from_edges([(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (0, 5), (5, 3)]),  # two hubs
    "directed": si.Pattern("(a)-->(b)-->(c)-->(a), (c)-->(d)-->(e)"),
    "labelled": si.Pattern("(a:A)--(b:B)--(c:A)--(d:B)--(e:A)--(c)"),
    "absent edge": si.Pattern("(a)--(b)--(c)--(a), (c)--(d)--(e)--(f), !(d)--(f)"),
}


def random_graph(seed: int, n: int = 18, m: int = 50) -> si.Graph:
    rng = np.random.default_rng(seed)
    labels = rng.choice(["A", "B"], n).tolist()
    return si.Graph.from_edges(
        *rng.integers(0, n, (2, m)), num_vertices=n, vertex_labels=labels, directed=seed % 2
    )
