"""Seeded graph generators at native speed.

A seed gives the same graph on every platform and for every number of threads.

>>> from subiso.graph.generators import rmat, with_labels
>>> g = with_labels(rmat(8, seed=1), ["Person", "Firm"], "zipf", seed=1)
>>> g.num_vertices
256
"""

from subiso.graph.generators.labels import random_labels, with_edge_labels, with_labels
from subiso.graph.generators.models import (
    barabasi_albert,
    erdos_renyi,
    planted_partition,
    random_regular,
    rmat,
    stochastic_block,
    watts_strogatz,
)
from subiso.graph.generators.planted import planted_cliques, transactions
from subiso.graph.generators.registry import GENERATORS, Parameter, call, generate, parameters, summary
from subiso.graph.generators.rewire import rewire
from subiso.graph.generators.shapes import (
    complete,
    complete_bipartite,
    cycle,
    grid,
    hypercube,
    path,
    star,
    wheel,
)

__all__ = [
    "GENERATORS",
    "Parameter",
    "barabasi_albert",
    "call",
    "complete",
    "complete_bipartite",
    "cycle",
    "erdos_renyi",
    "generate",
    "grid",
    "hypercube",
    "parameters",
    "path",
    "planted_cliques",
    "planted_partition",
    "random_labels",
    "random_regular",
    "rewire",
    "rmat",
    "star",
    "stochastic_block",
    "summary",
    "transactions",
    "watts_strogatz",
    "wheel",
    "with_edge_labels",
    "with_labels",
]
