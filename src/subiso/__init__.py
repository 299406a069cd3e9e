"""subiso: find, count and watch patterns in graphs. This file is the public surface, loaded as it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subiso import errors as errors
    from subiso.api import cliques, count, exists, explain, match
    from subiso.census import motifs, triads
    from subiso.chance import significance
    from subiso.engine.base import Switches
    from subiso.engine.estimate import Estimate
    from subiso.errors import SubisoError, TimeoutReached
    from subiso.formats import read, write
    from subiso.graph import Graph, generators
    from subiso.graph.generators import rewire
    from subiso.pattern import Pattern, connected_patterns
    from subiso.queries import random_queries, read_queries, write_queries
    from subiso.result.matches import Matches

__version__ = "0.1.0"

_HOME = {
    "Graph": "subiso.graph",
    "Pattern": "subiso.pattern",
    "connected_patterns": "subiso.pattern",
    "read": "subiso.formats",
    "write": "subiso.formats",
    "count": "subiso.api",
    "match": "subiso.api",
    "exists": "subiso.api",
    "motifs": "subiso.census",
    "triads": "subiso.census",
    "significance": "subiso.chance",
    "rewire": "subiso.graph.generators",
    "cliques": "subiso.api",
    "explain": "subiso.api",
    "Estimate": "subiso.engine.estimate",
    "Switches": "subiso.engine.base",
    "Matches": "subiso.result.matches",
    "SubisoError": "subiso.errors",
    "TimeoutReached": "subiso.errors",
    "errors": "subiso.errors",
    "generators": "subiso.graph.generators",
    "random_queries": "subiso.queries",
    "read_queries": "subiso.queries",
    "write_queries": "subiso.queries",
}
_MODULES = ("errors", "generators")

__all__ = [
    "Estimate",
    "Graph",
    "Matches",
    "Pattern",
    "SubisoError",
    "Switches",
    "TimeoutReached",
    "cliques",
    "connected_patterns",
    "count",
    "errors",
    "exists",
    "explain",
    "generators",
    "match",
    "motifs",
    "random_queries",
    "read",
    "read_queries",
    "rewire",
    "significance",
    "triads",
    "write",
    "write_queries",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'subiso' has no attribute {name!r}")
    module = import_module(_HOME[name])
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
