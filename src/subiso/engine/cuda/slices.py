"""Label CSR: where all candidates of a level carry a vertex label, only its slice of a list is read. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from subiso.engine.cuda.tables import EDGE, MAX_RELATIONS, NO_FILTER, Lowered
from subiso.filter.candidates import Bits
from subiso.filter.resolve import Resolved
from subiso.storage.layout import Layout


@dataclass(frozen=True)
class Sliced:
    """A lowered plan whose operations may name slices: relations after the query's own."""

    lowered: Lowered
    slices: tuple[tuple[int, int], ...] = ()
    """(relation, code of a vertex label), numbered from the number of the query's relations on."""


def slice_lists(lowered: Lowered, resolved: Resolved) -> Sliced:
    """The plan with lists of neighbours that carry a label, wherever a level's filter lets nothing else through."""
    if resolved.layout.graph.vertex_labels is None:
        return Sliced(lowered)
    labels = [
        label_within(np.bitwise_and.reduce([resolved.filters[f] for f in combined]), resolved.whole)
        for combined in lowered.filters
    ]
    tables = lowered.tables.copy()
    numbers: dict[tuple[int, int], int] = {}
    for level in range(int(tables["num_levels"]) + int(tables["num_sizes"]) + int(tables["num_sets"])):
        number = int(tables["levels"][level]["filter"])
        label = None if number == NO_FILTER else labels[number]
        if label is None:
            continue
        first = tables["first"][level]
        for i in range(int(first[0]), int(first[-1])):
            op = tables["ops"][i]
            if op["kind"] != EDGE:
                continue
            key = int(op["a"]), label
            place = numbers.setdefault(key, len(resolved.relations) + len(numbers))
            if place >= MAX_RELATIONS:
                return Sliced(lowered)
            op["a"] = place
    return Sliced(replace(lowered, tables=tables), tuple(numbers))


def label_within(filter_bits: Bits, layout: Layout) -> int | None:
    """The rarest label that all vertices of a bitmap carry; None where there is none.

    >>> from subiso.graph import Graph
    >>> from subiso.storage.layout import layout_of, pack_bits
    >>> layout = layout_of(Graph.from_edges([0, 1], [1, 2], vertex_labels=["x", ["x", "y"], "y"]))
    >>> masks = np.eye(3, dtype=bool)
    >>> [label_within(layout.bits(mask), layout) for mask in (masks[0], masks[0] | masks[1], masks[0] | masks[2])]
    [0, 0, None]
    """
    words = np.flatnonzero(filter_bits)
    if not len(words):
        return None
    word = int(filter_bits[words[0]])
    rank = 64 * int(words[0]) + (word & -word).bit_length() - 1
    labels = layout.graph.vertex_labels
    assert labels is not None, "asked for labelled graphs only"
    # Only what one of the vertices carries can be a label of all.
    codes = [labels.code_of(name) for name in labels.of(int(layout.vertex_at[rank]))]
    counts = labels.counts()
    fitting = [c for c in codes if c is not None and not (filter_bits & ~layout.label_bits(c)).any()]
    return min(fitting, key=lambda c: int(counts[c]), default=None)
