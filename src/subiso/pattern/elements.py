"""What a pattern is made of: labels, edges, masks and comparisons. All frozen, hashable, picklable."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np

from subiso.errors import PatternError

Label = int | str
Constant = bool | int | float | str
Operator = Literal["<", "<=", ">", ">=", "==", "!="]
Alternatives = frozenset[Label]

MAX_VERTICES = 64
OPERATORS: tuple[Operator, ...] = ("<", "<=", ">", ">=", "==", "!=")
FLIPPED: dict[str, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class PatternEdge:
    """One edge, or one anti-edge, between two vertices of a pattern.

    Not directed means "an edge in either direction" on a directed graph; such an edge is kept with
    ``source <= target``. ``labels`` are alternatives; None is any label.

    >>> PatternEdge(0, 1, directed=True, labels=frozenset({"PAYS"}))
    PatternEdge(source=0, target=1, directed=True, labels=frozenset({'PAYS'}), name=None, mask=None)
    """

    source: int
    target: int
    directed: bool
    labels: Alternatives | None = None
    name: str | None = None
    mask: Mask | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Mask:
    """A boolean array by vertex or by edge; equal and hashed by content, read-only.

    >>> Mask([True, False]) == Mask(np.array([True, False]))
    True
    """

    array: np.ndarray[Any, np.dtype[np.bool_]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "array", _frozen_bools(self.array))

    @cached_property
    def digest(self) -> bytes:
        """Sixteen bytes that stand for length and content."""
        from hashlib import blake2b  # loads OpenSSL, which most patterns never need

        state = blake2b(self.array.size.to_bytes(8, "little"), digest_size=16)
        state.update(np.packbits(self.array).data)
        return state.digest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mask):
            return NotImplemented
        return self.array is other.array or self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __len__(self) -> int:
        return int(self.array.size)

    def __and__(self, other: Mask) -> Mask:
        if len(self) != len(other):
            raise PatternError(f"masks of different lengths cannot be combined: {len(self)} and {len(other)}")
        return Mask(self.array & other.array)

    def __repr__(self) -> str:
        return f"Mask({int(np.count_nonzero(self.array))} of {self.array.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Mask, (self.array,))


_TABLES = ("pandas", "polars", "pyarrow", "cudf", "modin", "dask")  # libraries


def _frozen_bools(values: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if type(values).__module__.partition(".")[0] in _TABLES:
        # As long as the graph is large, so nobody would notice that it says something of others.
        raise PatternError(
            "a mask stands in the order of the graph, a column of a table in that of its rows",
            hint="for edges pass np.asarray(column)[graph.edge_rows], kept with keep_rows=True and beside labels or "
            "columns; for vertices bring the table into the order of graph.ids, then pass np.asarray(column)",
        )
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise PatternError(f"a mask must be a boolean array: {error}") from None
    if array.dtype != np.bool_ or array.ndim != 1:
        raise PatternError(
            f"a mask must be one-dimensional and boolean, not {array.dtype} of shape {array.shape}",
            hint="compare first, for example where(a=ages > 30)",
        )
    # An array that nobody can write to any more may be shared; everything else is copied once.
    if array.flags.writeable or array.base is not None:
        array = array.copy()
        array.flags.writeable = False
    return cast("np.ndarray[Any, np.dtype[np.bool_]]", array)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a vertex (``owner`` is its index) or of an edge (``owner`` is its name)."""

    owner: int | str
    column: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left op right``, where right is another column or a constant.

    >>> Comparison(Column(0, "time"), "<", Column(1, "time"))
    Comparison(left=Column(owner=0, column='time'), op='<', right=Column(owner=1, column='time'))
    """

    left: Column
    op: Operator
    right: Column | Constant

    def __post_init__(self) -> None:
        if self.op not in OPERATORS:
            raise PatternError(f"unknown comparison {self.op!r}", hint="one of " + " ".join(OPERATORS))
        if not isinstance(self.right, Column):
            object.__setattr__(self, "right", clean_constant(self.right))


def clean_constant(value: Any) -> Constant:
    """A plain Python constant, from NumPy scalars too; NaN and other types are refused."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, bool | int | float | str):
        raise PatternError(f"a column can be compared with a number, a string or a bool, not {value!r:.80}")
    if isinstance(value, float) and math.isnan(value):
        raise PatternError("a comparison with NaN is never true")
    if isinstance(value, int) and value.bit_length() > 1000:
        raise PatternError(f"an integer of {value.bit_length()} bits is too large to compare with")
    return value


def clean_label(value: Any) -> Label:
    """A label as str or plain int.

    >>> clean_label(np.int64(3)), clean_label("Person")
    (3, 'Person')
    """
    if type(value) is str:
        return value
    if type(value) is int:
        number = value
    elif isinstance(value, str):
        return str(value)
    elif isinstance(value, bool | np.bool_ | float | np.floating):
        raise PatternError(f"a label is an integer or a string, not {value!r}")
    else:
        try:
            number = operator.index(value)
        except TypeError:
            raise PatternError(f"a label is an integer or a string, not {value!r:.80}") from None
    if not -(2**63) <= number < 2**64:
        raise PatternError("an integer label must fit into 64 bits")
    return number


def clean_alternatives(values: Iterable[Any]) -> Alternatives:
    """A set of labels of which one must be there; none at all could never match."""
    labels = frozenset([clean_label(value) for value in values])
    if not labels:
        raise PatternError("an empty set of labels matches nothing", hint="use None for any label")
    return labels


def label_key(label: Label) -> tuple[int, int, str]:
    """Sorts integers before strings."""
    return (1, 0, label) if isinstance(label, str) else (0, label, "")


def labels_key(labels: Alternatives | None) -> tuple[tuple[int, int, str], ...]:
    """Sorts sets of alternatives; None comes first."""
    return () if labels is None else tuple(sorted(map(label_key, labels)))


_PLAIN: dict[int, PatternEdge] = {}


def plain_edge(source: int, target: int, directed: bool) -> PatternEdge:
    """The edge without labels, name or mask, from a shared table: patterns are built by the thousand."""
    if not directed and source > target:
        source, target = target, source
    key = source << 8 | target << 1 | directed
    edge = _PLAIN.get(key)
    if edge is None:
        edge = _PLAIN[key] = PatternEdge(source, target, directed)
    return edge
