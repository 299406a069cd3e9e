"""Random graphs with every feature a Graph can have, for Hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from subiso.graph import Graph

WORDS = st.text("abcdefXYZ_.é漢", min_size=1, max_size=6)
HARD_WORDS = st.text('ab ,"\n\té漢;', min_size=1, max_size=6)
INTS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)


@st.composite
def graphs(
    draw: Any,
    *,
    directed: bool | None = None,
    ids: tuple[str, ...] = ("none", "int", "text"),
    words: Any = WORDS,
    vertex_labels: tuple[str, ...] = ("none", "int", "text"),
    edge_labels: tuple[str, ...] = ("none", "int", "text"),
    gaps: bool = False,
    vertex_columns: bool = False,
    edge_columns: bool = False,
    isolated: bool = True,
    loops: bool = True,
    parallel: bool = True,
) -> Graph:
    """A graph of up to 12 vertices; `gaps` lets some labels be missing."""
    n = draw(st.integers(0 if isolated else 2, 12))
    count = draw(st.integers(0 if isolated else 1, 24)) if n else 0
    ends = st.lists(st.integers(0, max(n - 1, 0)), min_size=count, max_size=count)
    src, dst = np.array(draw(ends), np.int64), np.array(draw(ends), np.int64)
    if not loops:
        keep = src != dst
        src, dst = src[keep], dst[keep]
    if not isolated:
        path = np.arange(n)
        src, dst = np.concatenate([src, path[:-1]]), np.concatenate([dst, path[1:]])
    m = len(src)
    kind = draw(st.sampled_from(ids))
    names: Any = None
    if kind == "int":
        names = np.array(draw(st.lists(INTS, min_size=n, max_size=n, unique=True)), np.int64)
    elif kind == "text":
        names = np.empty(n, object)
        names[:] = draw(st.lists(words, min_size=n, max_size=n, unique=True))
    return Graph.from_edges(
        src,
        dst,
        num_vertices=n,
        directed=draw(st.booleans()) if directed is None else directed,
        ids=names if n else None,
        vertex_labels=_labels(draw, vertex_labels, n, words, gaps),
        edge_labels=_labels(draw, edge_labels, m, words, gaps),
        vertex_columns=_columns(draw, n) if vertex_columns else None,
        edge_columns=_columns(draw, m) if edge_columns else None,
        loops="keep" if loops else "error",
        parallel="keep" if parallel else "merge",
    )


def _labels(draw: Any, kinds: tuple[str, ...], size: int, words: Any, gaps: bool) -> Any:
    kind = draw(st.sampled_from(kinds))
    if kind == "none" or size == 0:
        return None
    one = st.integers(0, 300) if kind == "int" else words
    if kind == "several":
        return draw(st.lists(st.lists(words, max_size=3), min_size=size, max_size=size))
    if gaps:
        one = st.none() | one
    found = draw(st.lists(one, min_size=size, max_size=size))
    return None if all(label is None for label in found) else found


def _columns(draw: Any, size: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(["time", "weight", "ok", "amount x"]), unique=True)):
        kinds = {"time": (INTS, np.int64), "ok": (st.booleans(), np.bool_)}
        values, dtype = kinds.get(name, (FLOATS, np.float64))
        found[name] = np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype)
    return found
