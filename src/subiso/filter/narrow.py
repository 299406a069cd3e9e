"""Runs the filters over the candidates of a query: which ones, in which order, and what they leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from subiso import _native
from subiso.engine.query import Query
from subiso.errors import QueryError
from subiso.filter.candidates import Bits
from subiso.filter.signature import filter_by_signature, signature_table
from subiso.plan.problem import Link
from subiso.storage.layout import RelationCsr, pack_bits

FilterName = Literal["degree", "frequency", "signature", "refine"]
FILTERS: tuple[FilterName, ...] = get_args(FilterName)
_MOST_REFINING = 200_000_000  # neighbours looked at; beyond, refinement may cost more than it saves
_LONG_LISTS = 20_000_000
"""Neighbours of all candidates, from which on a few words of signature per candidate are looked at first."""


@dataclass(frozen=True)
class Narrowed:
    """What the filters left, as Problem wants it."""

    before: tuple[float, ...]
    """Candidates per pattern vertex by labels, masks, comparisons and anchors alone."""
    sizes: tuple[float, ...]
    fans: tuple[tuple[float, float], ...]
    overlaps: tuple[int, ...]
    used: tuple[str, ...]
    """The filters, in the order they ran."""
    complete: bool = True
    """Refinement came to its fixed point."""
    reading: float = 0.0
    """List elements that are looked at when a candidate graph is made."""
    numbers: tuple[tuple[int, ...], ...] = ()
    """Per pattern vertex the number of its bitmap; () for every vertex. Equal bitmaps have one number."""
    bitmaps: tuple[Bits, ...] = field(default=(), repr=False, compare=False)
    native: Any = field(default=None, repr=False, compare=False)
    """What candidate graphs are made from; None where no filter ran."""


def narrow(
    query: Query,
    links: Sequence[Link],
    csrs: Sequence[RelationCsr],
    bits: Sequence[Bits | None],
    filters: Sequence[str] | None = None,
    slices: Callable[[], tuple[Sequence[Link], Sequence[RelationCsr]]] | None = None,
    threads: int = 0,
) -> Narrowed:
    """Narrows the candidates that labels and conditions leave (None: every vertex). None for `filters`: as fits.

    `slices` gives links that read shorter lists to the same effect, and these lists, numbered on from the csrs. So many
    `threads` at most; 0 for no limit.
    """
    check_filters(filters)
    n = query.graph.num_vertices
    mean = [len(csr.neighbors) / max(n, 1) for csr in csrs]
    plain_fans = tuple((mean[link.forward], mean[link.backward]) for link in links)
    known = sum([b is not None for b in bits])
    if known == 0:
        sizes = (float(n),) * len(bits)
        return Narrowed(sizes, sizes, plain_fans, (), (), numbers=((),) * len(bits))
    # On lists of one label, counting neighbours is already what "frequency" does, so filters that are asked for by name
    # read whole ones.
    read, more = (links, ()) if slices is None or filters is not None else slices()
    lists = (*csrs, *more)
    entries = sum([len(lists[k.forward].neighbors) + len(lists[k.backward].neighbors) for k in read])
    used = _chosen(filters, entries)
    begun: list[Bits | None] = [None] * len(bits)
    if known < len(bits) and (filters is not None or (2 * known >= len(bits) and not query.anchors)):
        # Where most vertices have candidates, the others get all vertices as theirs. Anchored queries come in
        # thousands, and look at their anchors' neighbours only.
        everything = pack_bits(np.ones(n, np.bool_))
        begun = [everything if b is None else None for b in bits]
    if "signature" in used:
        begun = [b if b is None else b.copy() for b in map(_either, begun, bits)]
        filter_by_signature(query, begun, signature_table(query.graph, threads=threads))
    arrays = [(csr.bounds, csr.neighbors) for csr in lists]
    native = _native.narrow(
        (lists, bits, begun),
        n,
        arrays,
        bits,
        begun,
        read,
        query.injective,
        "degree" in used,
        "frequency" in used,
        "refine" in used,
        _MOST_REFINING,
        threads,
    )
    first = (
        [n if b is None else int(np.bitwise_count(b).sum()) for b in bits] if "signature" in used else None
    )
    sizes = tuple(map(float, native.sizes))
    if "refine" in used:
        reading = float(sum(native.entries[::2]))
    else:
        reading = sum(sizes[k.a] * len(lists[k.forward].neighbors) / max(n, 1) for k in read)
    return Narrowed(
        tuple(map(float, first or native.first_sizes)),
        sizes,
        _merged(native.fans, plain_fans) if "refine" in used else plain_fans,
        tuple(native.overlaps),
        used,
        native.complete,
        reading,
        tuple([() if number < 0 else (number,) for number in native.numbers]),
        tuple(native.bitmaps),
        native,
    )


def _either(first: Bits | None, second: Bits | None) -> Bits | None:
    return second if first is None else first


def _merged(fans: list[float], plain: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """The fans of both ends of every link, those of the graph where none is known."""
    return tuple(
        (ahead if ahead >= 0 else mean[0], back if back >= 0 else mean[1])
        for ahead, back, mean in zip(fans[::2], fans[1::2], plain, strict=True)
    )


def check_filters(filters: Sequence[str] | None) -> None:
    """Refuse filters that are not there."""
    for name in filters or ():
        if name not in FILTERS:
            raise QueryError(f"unknown filter {name!r}", hint="the filters are " + ", ".join(FILTERS))


def _chosen(filters: Sequence[str] | None, work: float) -> tuple[str, ...]:
    """Those asked for, or all that are worth their time: signatures where lists are long, since they read none."""
    if filters is not None:
        return tuple(name for name in FILTERS if name in filters)
    return FILTERS if work > _LONG_LISTS else tuple(name for name in FILTERS if name != "signature")
