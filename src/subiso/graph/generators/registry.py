"""The list of generators and what each of them takes, for the command line and the benchmarks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_origin, get_type_hints

from subiso.errors import GraphError
from subiso.graph.generators import models, planted, shapes
from subiso.graph.graph import Graph

GENERATORS: dict[str, Callable[..., Graph]] = {
    function.__name__: function
    for function in (
        models.rmat,
        models.erdos_renyi,
        models.barabasi_albert,
        models.watts_strogatz,
        models.random_regular,
        models.stochastic_block,
        models.planted_partition,
        planted.transactions,
        planted.planted_cliques,
        shapes.complete,
        shapes.complete_bipartite,
        shapes.cycle,
        shapes.path,
        shapes.star,
        shapes.wheel,
        shapes.grid,
        shapes.hypercube,
    )
}


@dataclass(frozen=True)
class Parameter:
    """One argument of a generator: `type` is the evaluated annotation, e.g. int or float | None."""

    name: str
    type: Any
    required: bool
    default: Any
    help: str


Named = str | Callable[..., Any]
"""A generator's name; or a function of a graph, whose first argument is that graph."""


def parameters(name: Named) -> list[Parameter]:
    """What the generator of that name takes, in order; of a function of a graph, what it takes beside the graph.

    >>> [(p.name, p.type.__name__, p.required) for p in parameters("grid")]
    [('rows', 'int', True), ('cols', 'int', True), ('periodic', 'bool', False)]
    """
    function = _function(name)
    types = get_type_hints(function)
    described = dict(re.findall(r"^    (\w+): (.+)$", function.__doc__ or "", flags=re.MULTILINE))
    return [
        Parameter(
            name=p.name,
            type=types[p.name],
            required=p.default is p.empty,
            default=None if p.default is p.empty else p.default,
            help=described.get(p.name, ""),
        )
        for p in inspect.signature(function).parameters.values()
        if isinstance(name, str) or p.name != "graph"
    ]


def summary(name: Named) -> str:
    """The first line of a generator's description.

    >>> summary("path")
    'A path of `n` vertices and n - 1 edges.'
    """
    return (_function(name).__doc__ or "").strip().splitlines()[0]


def generate(name: str, arguments: Mapping[str, Any] | None = None) -> Graph:
    """Calls a generator by name, as the command line and the benchmarks do.

    >>> generate("star", {"leaves": 3}).num_edges
    3
    >>> generate("star", {"leafs": 3})
    Traceback (most recent call last):
    subiso.errors.GraphError: star takes no argument 'leafs'
      hint: it takes leaves
    """
    return _find(name)(**_checked(name, arguments))


def call(
    function: Callable[..., Any], graph: Graph, arguments: Mapping[str, Any] | None = None, *, name: str = ""
) -> Any:
    """Calls a function of a graph with arguments by name, checked as those of a generator; `name` is for messages.

    >>> from subiso.graph.generators import path, random_labels
    >>> call(random_labels, path(3), {"k": 2, "seed": 1}).vertex_labels.names
    (0, 1)
    """
    return function(graph, **_checked(function, arguments, name))


def _checked(name: Named, arguments: Mapping[str, Any] | None, called: str = "") -> dict[str, Any]:
    given = dict(arguments or {})
    takes = parameters(name)
    known, called = [p.name for p in takes], called or (name if isinstance(name, str) else name.__name__)
    for key in given:
        if key not in known:
            raise GraphError(f"{called} takes no argument {key!r}", hint=f"it takes {', '.join(known)}")
    for p in takes:
        if p.type is bool and not isinstance(given.get(p.name, True), bool):
            raise GraphError(f"{p.name} must be true or false, not {given[p.name]!r}")
        # A list that a shell took the quotes off, or that has no brackets: what is taken says how it is written.
        if _takes_a_list(p.type) and isinstance(given.get(p.name), str):
            raise GraphError(f"{p.name} cannot be the text {given[p.name]!r}", hint=p.help)
        if p.required and p.name not in given:
            raise GraphError(f"{called} needs the argument {p.name!r}", hint=p.help)
    return given


def _takes_a_list(kind: Any) -> bool:
    return any(get_origin(part) is Sequence for part in (kind, *get_args(kind)))


def _function(name: Named) -> Callable[..., Any]:
    return _find(name) if isinstance(name, str) else name


def _find(name: str) -> Callable[..., Graph]:
    if name not in GENERATORS:
        raise GraphError(f"no generator is called {name!r}", hint=f"there are {', '.join(GENERATORS)}")
    return GENERATORS[name]
