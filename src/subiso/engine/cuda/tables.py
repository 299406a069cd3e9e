"""The tables of a plan that kernels read (kernels/plan.cuh): their layout and limits, what they say, their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subiso.errors import UnsupportedError

MAX_POSITIONS = 32
MAX_SIZES = 8
MAX_SETS = 24
MAX_LEVELS = MAX_POSITIONS + MAX_SIZES + MAX_SETS
MAX_OPS = 2048
MAX_OPS_PER_LEVEL = 255
MAX_TERMS = 32
MAX_FACTORS = 6
MAX_EDGES = 64
MAX_RELATIONS = 256
NO_FILTER = 255
MAX_BITS = 80
"""A tail's polynomial stays below 2**80, so that 2**47 of them fit into a total."""

EDGE, NO_EDGE, IS_ABOVE, IS_BELOW, DISTINCT, COMPARE, IN_SET = range(7)

TABLES = np.dtype(
    [
        ("num_levels", np.uint8),
        ("num_sizes", np.uint8),
        ("num_terms", np.uint8),
        ("num_sets", np.uint8),
        ("column", np.uint8, MAX_POSITIONS),
        ("first_set", np.uint8, MAX_POSITIONS + 1),
        (
            "levels",
            np.dtype(
                [(name, np.uint8) for name in ("filter", "lowest", "measured", "surely", "edges", "table")],
                align=True,
            ),
            MAX_LEVELS,
        ),
        ("first", np.uint16, (MAX_LEVELS, MAX_POSITIONS + 1)),
        ("ops", np.dtype([(name, np.uint8) for name in ("kind", "a", "b", "c")], align=True), MAX_OPS),
        (
            "terms",
            np.dtype(
                [("coefficient", np.int32), ("count", np.uint8), ("factors", np.uint8, MAX_FACTORS)],
                align=True,
            ),
            MAX_TERMS,
        ),
        (
            "edges",
            np.dtype([(name, np.uint8) for name in ("source", "target", "relation")], align=True),
            MAX_EDGES,
        ),
    ],
    align=True,
)

TailKind = Literal["count", "sizes", "rows"]


ALL, ABOVE, BELOW = range(3)


@dataclass(frozen=True)
class Wedges:
    """Codegrees of the seed: neighbours of its neighbours, and where both lists are read relative to it."""

    base_relation: int
    base: int
    end_relation: int
    end: int
    from_ends: bool = False
    """Level 1 takes the ends of the wedges."""


@dataclass(frozen=True)
class Lowered:
    """What a kernel needs to know of a plan, and what the host does with its answer."""

    tables: NDArray[Any]
    """One element of TABLES."""
    tail: TailKind
    num_levels: int
    filters: tuple[tuple[int, ...], ...]
    """Combinations of the problem's candidate filters, by the number that the tables use."""
    coefficient: int = 1
    divisor: int = 1
    """A count is the kernel's total * coefficient / divisor."""
    edges: bool = False
    """Edge-isomorphism."""
    num_sets: int = 0
    """Sets that the search keeps."""
    wedges: Wedges | None = None
    """The codegrees that the search needs of every seed."""
    narrow: bool = False
    """The tail's polynomial and its terms stay within 64 bits."""

    @property
    def stack_levels(self) -> int:
        """Levels of the search stack: the last one's candidates are never kept, unless sizes hang below them."""
        return self.num_levels if self.tail == "sizes" or self.num_levels == 1 else self.num_levels - 1


@dataclass(frozen=True)
class FirstList:
    """A list of the seed that holds the vertices of level 1, where it is read, and the operation that names it."""

    relation: int
    bound: int
    origin: int


def first_lists(lowered: Lowered) -> list[FirstList]:
    """None where level 1 takes its vertices from a kept set or from the ends of wedges."""
    begin, end = (int(i) for i in lowered.tables["first"][1][:2])
    ops = lowered.tables["ops"][begin:end]
    kinds = set(ops["kind"].tolist())
    bound = ABOVE if IS_ABOVE in kinds else BELOW if IS_BELOW in kinds else ALL
    return [FirstList(int(op["a"]), bound, i) for i, op in enumerate(ops) if op["kind"] == EDGE]


def cut_short(lowered: Lowered, num_levels: int) -> Lowered:
    """The plan that lists partial matches of the first positions, as ranks in matching order."""
    tables = lowered.tables.copy()
    tables["num_levels"], tables["num_sizes"], tables["num_terms"], tables["num_sets"] = num_levels, 0, 0, 0
    tables["column"] = 0
    tables["column"][:num_levels] = range(num_levels)
    return Lowered(tables, "rows", num_levels, lowered.filters, edges=lowered.edges)


def initializer(tables: NDArray[Any]) -> str:
    """The tables as C++ text: nested braces, without the zeros at the end of an array.

    >>> t = np.zeros((), TABLES)
    >>> t["num_levels"], t["column"][1] = 2, 1
    >>> initializer(t)
    '{2,0,0,0,{0,1},{},{},{},{},{},{}}'
    """
    return _braces(tables)


def _braces(value: Any) -> str:
    if getattr(value, "dtype", None) is not None and value.dtype.names:
        if value.shape == ():
            return "{" + ",".join(_braces(value[name]) for name in value.dtype.names) + "}"
    elif np.ndim(value) == 0:
        return str(int(value))
    items = list(value)
    while items and not np.any(np.frombuffer(np.ascontiguousarray(items[-1]).tobytes(), np.uint8)):
        items.pop()
    return "{" + ",".join(_braces(item) for item in items) + "}"


def at_most(what: str, found: int, limit: int) -> None:
    """UnsupportedError where a table is too small.

    >>> at_most("vertices", 33, 32)
    Traceback (most recent call last):
    subiso.errors.UnsupportedError: the CUDA engine takes at most 32 vertices, this query has 33
    hint: use device="cpu"
    """
    if found > limit:
        raise UnsupportedError(
            f"the CUDA engine takes at most {limit} {what}, this query has {found}", hint='use device="cpu"'
        )
