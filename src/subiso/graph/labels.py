"""Vertex and edge labels: names as codes. Built by Graph, read by filters and engines."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from subiso.errors import GraphError
from subiso.graph.arrays import Array, Values, column, read_only, whole_numbers
from subiso.graph.encode import encode_arrow_text, encode_integers, encode_objects

Label = int | str
NONE = 0xFFFFFFFF
"""No vertex, no label."""

_SEVERAL = (list, tuple, set, frozenset, np.ndarray)


@dataclass(frozen=True, eq=False)
class _Names:
    """What vertex and edge labels share: names, and the way from a name to its code."""

    names: tuple[Label, ...]
    """The label of each code: all ints, or all strings; sorted."""
    codes: Array
    """uint32; NONE where there is no label."""
    _code_of: dict[Label, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", tuple(self.names))
        put(self, "codes", read_only(np.ascontiguousarray(self.codes, np.uint32)))
        found: dict[Label, int] = {str(name): code for code, name in enumerate(self.names)}
        found.update((name, code) for code, name in enumerate(self.names))
        put(self, "_code_of", found)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.names, self.codes)

    def code_of(self, name: Label) -> int | None:
        """The code of a label, None when nothing has it. The text "3" finds the label 3, and back."""
        code = self._code_of.get(name)
        return self._code_of.get(str(name)) if code is None else code

    def counts(self) -> Array:
        """How many vertices (edges) have each label, by code."""
        there = self.codes[self.codes != NONE] if (self.codes == NONE).any() else self.codes
        return np.bincount(there, minlength=len(self.names))


@dataclass(frozen=True, eq=False)
class VertexLabels(_Names):
    """The labels of all vertices: none, one or several each.

    >>> labels = make_vertex_labels(["cat", None, ["dog", "cat"]], 3)
    >>> labels.names, labels.offsets.tolist(), labels.codes.tolist()
    (('cat', 'dog'), [0, 1, 1, 3], [0, 0, 1])
    >>> labels.code_of("dog"), labels.code_of("cow"), labels.mask("cat").tolist(), labels.of(2)
    (1, None, [True, False, True], ('cat', 'dog'))
    """

    offsets: Array | None = None
    """None: one code per vertex. Else int64[n + 1]: v has codes[offsets[v]:offsets[v + 1]], sorted."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.offsets is not None:
            object.__setattr__(self, "offsets", read_only(np.ascontiguousarray(self.offsets, np.int64)))

    def __reduce__(self) -> tuple[Any, ...]:
        return VertexLabels, (self.names, self.codes, self.offsets)

    def __len__(self) -> int:
        return len(self.codes) if self.offsets is None else len(self.offsets) - 1

    def mask(self, name: Label) -> Array:
        """bool[n]: which vertices have the label (none of them, when it is unknown)."""
        code = self.code_of(name)
        if code is None:
            return np.zeros(len(self), bool)
        has: Array = self.codes == code
        if self.offsets is None:
            return has
        found = np.zeros(len(self), bool)
        found[np.searchsorted(self.offsets, np.flatnonzero(has), side="right") - 1] = True
        return found

    def of(self, vertex: int) -> tuple[Label, ...]:
        """The labels of one vertex."""
        if self.offsets is None:
            code = int(self.codes[vertex])
            return () if code == NONE else (self.names[code],)
        return tuple(self.names[code] for code in self.codes[self.offsets[vertex] : self.offsets[vertex + 1]])


@dataclass(frozen=True, eq=False)
class EdgeLabels(_Names):
    """The label of every edge, by edge id.

    >>> labels = make_edge_labels([7, 5, None, 7], 4)
    >>> labels.names, labels.codes.tolist()[:2], labels.counts().tolist(), labels.code_of("5")
    ((5, 7), [1, 0], [1, 2], 0)
    """

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: Array) -> EdgeLabels:
        """The labels of the given rows, in that order."""
        return EdgeLabels(self.names, self.codes[rows])


def make_vertex_labels(labels: Any, num_vertices: int, index_of: Any = None) -> VertexLabels | None:
    """Labels from an array, a list (also of lists), or a dict from id to label(s); `index_of` finds an id."""
    if labels is None:
        return None
    if isinstance(labels, Mapping):
        labels = _spread(labels, num_vertices, index_of)
    if isinstance(labels, VertexLabels):
        found = labels
    else:
        labels = _flat_or_nested(labels)
        found = (
            _several(labels) if isinstance(labels, list) else VertexLabels(*encode(labels, "vertex_labels"))
        )
    if len(found) != num_vertices:
        raise GraphError(
            f"vertex_labels has {len(found):,} entries for {num_vertices:,} vertices",
            hint="one entry per vertex, None for no label; num_vertices= counts vertices without edges too",
        )
    return found


def make_edge_labels(labels: Any, num_rows: int) -> EdgeLabels | None:
    """Labels from an array with one entry per row."""
    if labels is None:
        return None
    found = labels if isinstance(labels, EdgeLabels) else EdgeLabels(*encode(labels, "edge_labels"))
    if len(found) != num_rows:
        raise GraphError(f"edge_labels has {len(found):,} entries for {num_rows:,} edges")
    return found


def encode(labels: Any, what: str) -> tuple[tuple[Label, ...], Array]:
    """Labels, one or none per row, as sorted names and codes. Integers stay so, mixed ones become text."""
    values = column(labels, what)
    if values.arrow is not None:
        names, codes = encode_arrow_text(values.arrow)
        return tuple(names), codes
    if values.array.dtype.kind == "b":
        values = Values(values.array.astype(np.uint8), values.missing)
    numbers = whole_numbers(values, what, allow_missing=True)
    if numbers is not None:
        found, codes = encode_integers(numbers.array, numbers.missing)
        return tuple(found.tolist()), codes
    return _encode_mixed(values.objects(), what)


def _encode_mixed(items: list[Any], what: str) -> tuple[tuple[Label, ...], Array]:
    kinds = set(map(type, items)) - {type(None)}
    allowed = (str, int, np.integer, np.str_, np.bool_)
    if not all(issubclass(kind, allowed) for kind in kinds):
        row, item = next((r, i) for r, i in enumerate(items) if i is not None and not isinstance(i, allowed))
        raise GraphError(
            f"{what}, row {row}: {item!r} is a {type(item).__name__}", hint="labels are integers or strings"
        )
    integers = not any(issubclass(kind, str) for kind in kinds)
    items = [None if item is None else int(item) if integers else str(item) for item in items]
    names, codes = encode_objects(items)
    return tuple(names), codes


def _flat_or_nested(labels: Any) -> Any:
    """A list when some vertex has a collection of labels, otherwise a column."""
    if isinstance(labels, list | tuple):
        return (
            list(labels)
            if any(isinstance(item, _SEVERAL) for item in labels)
            else column(labels, "vertex_labels")
        )
    values = column(labels, "vertex_labels")
    if values.arrow is None and values.array.dtype.kind == "O":
        items = values.array.tolist()
        if any(isinstance(item, _SEVERAL) for item in items):
            return items
    return values


def _several(items: list[Any]) -> VertexLabels:
    lists = [() if item is None else tuple(item) if isinstance(item, _SEVERAL) else (item,) for item in items]
    owner = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
    names, codes = encode([name for each in lists for name in each], "vertex_labels")
    order = np.lexsort((codes, owner))
    owner, codes = owner[order], codes[order]
    keep = codes != NONE
    keep[1:] &= (owner[1:] != owner[:-1]) | (codes[1:] != codes[:-1])
    owner, codes = owner[keep], codes[keep]
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=len(lists)), out=offsets[1:])
    if lists and np.diff(offsets).max(initial=0) > 1:
        return VertexLabels(names, codes, offsets)
    single = np.full(len(lists), NONE, np.uint32)
    single[owner] = codes
    return VertexLabels(names, single)


def _spread(labels: Mapping[Hashable, Any], num_vertices: int, index_of: Any) -> list[Any]:
    spread: list[Any] = [None] * num_vertices
    where = index_of(list(labels), "vertex_labels") if labels else ()
    for vertex, value in zip(where, labels.values(), strict=True):
        spread[vertex] = value
    return spread
