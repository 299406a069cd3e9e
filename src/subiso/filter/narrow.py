"""Runs the filters over the candidates of a query: which ones, in which order, and what they leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from subiso import _native
from subiso.engine.query import Query
from subiso.errors import QueryError
from subiso.filter.candidate_graph import Restrict, Restricted, Wanted, restrict_on_host
from subiso.filter.candidates import Bits, Part, intersected
from subiso.filter.signature import SHAPE, SignatureTable, filter_by_signature, signature_table
from subiso.plan.problem import Link
from subiso.storage.layout import RelationCsr, layout_of

if TYPE_CHECKING:
    from subiso.filter.resolve import Resolved

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
    bitmaps: Sequence[Bits] = field(default=(), repr=False, compare=False)
    native: Callable[[], Any] | None = field(default=None, repr=False, compare=False)
    """Gives what the host counts between candidates with (native/candidates); None where no filter ran."""
    restrict: Restrict = field(default=restrict_on_host, repr=False, compare=False)
    """Makes the candidate graph, where the candidates are."""
    where: str = field(default="", compare=False)
    """Where the filters ran and why, if that was a question."""
    here: bool = field(default=True, compare=False)
    """They ran on the host."""


Slices = Callable[[], tuple[Sequence[Link], Sequence[RelationCsr]]]
"""Gives links that read shorter lists to the same effect, and these lists, numbered on from the csrs."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What filters are asked: to narrow the candidates that labels and conditions (`parts`) leave."""

    query: Query
    links: Sequence[Link]
    csrs: Sequence[RelationCsr]
    parts: Sequence[Sequence[Part]]
    filters: Sequence[str] | None = None
    """Those to run; None: as fits."""
    slices: Slices | None = None
    """Shorter lists that may be read instead."""
    threads: int = 0
    """At most; 0 for no limit."""
    over: Callable[[], bool] | None = None
    """Asked now and then by filters that may take long: whether candidates are good enough as they are."""
    signature: tuple[int, int] = SHAPE
    """Bits of a vertex's signature, and those of them for its labels."""

    @property
    def signatures(self) -> SignatureTable:
        return signature_table(self.query.graph, *self.signature, threads=self.threads)

    @cached_property
    def begun(self) -> Beginning:
        """What is asked on whole lists."""
        return begin(replace(self, slices=None))

    @property
    def read(self) -> list[RelationCsr]:
        """The relations whose lists are looked at, each once."""
        numbers = {r for link in self.links for r in (link.forward, link.backward)}
        return list(dict.fromkeys(self.csrs[r] for r in sorted(numbers)))


Narrower = Callable[[Asked], Narrowed]


@dataclass(frozen=True)
class Beginning:
    """What is asked of candidates, before any of them is looked at."""

    used: tuple[str, ...]
    """The filters; () where no pattern vertex has candidates."""
    plain_fans: tuple[tuple[float, float], ...]
    """Those of the whole graph."""
    filtered: tuple[bool, ...]
    """Per pattern vertex whether it gets candidates, all vertices to begin with if nothing is known of it."""
    links: Sequence[Link]
    """As filters read them: they may name lists of one label."""
    lists: Sequence[RelationCsr]
    """The relations, and after them those lists."""


def begin(asked: Asked) -> Beginning:
    """Which filters run, for whom, and what they read."""
    query, links, csrs, parts, filters = asked.query, asked.links, asked.csrs, asked.parts, asked.filters
    check_filters(filters)
    n = query.graph.num_vertices
    mean = [csr.num_entries / max(n, 1) for csr in csrs]
    plain_fans = tuple([(mean[forward], mean[backward]) for _, _, forward, backward in links])
    known = [bool(mine) for mine in parts]
    if not any(known):
        return Beginning((), plain_fans, tuple(known), links, csrs)
    # Where most vertices have candidates, the others get all vertices as theirs. Anchored queries come in thousands,
    # and look at their anchors' neighbours only.
    if filters is not None or (2 * sum(known) >= len(known) and not query.anchors):
        known = [True] * len(known)
    # On lists of one label, counting neighbours is already what "frequency" does, so filters that are asked for by name
    # read whole ones.
    read, more = (links, ()) if asked.slices is None or filters is not None else asked.slices()
    lists = (*csrs, *more)
    counts = [csr.num_entries for csr in lists]
    entries = sum([counts[forward] + counts[backward] for _, _, forward, backward in read])
    return Beginning(_chosen(filters, entries), plain_fans, tuple(known), read, lists)


def nothing_narrowed(begun: Beginning, n: int) -> Narrowed:
    """No pattern vertex has candidates."""
    sizes = (float(n),) * len(begun.filtered)
    return Narrowed(sizes, sizes, begun.plain_fans, (), (), numbers=((),) * len(sizes))


def narrow(asked: Asked) -> Narrowed:
    """Narrows the candidates on the host."""
    query, threads, n = asked.query, asked.threads, asked.query.graph.num_vertices
    wanted = begin(asked)
    if not any(wanted.filtered):
        return nothing_narrowed(wanted, n)
    used, bits = wanted.used, intersected(asked.parts)
    begun: list[Bits | None] = [None] * len(bits)
    if any(mine and b is None for mine, b in zip(wanted.filtered, bits, strict=True)):
        everyone = layout_of(query.graph).everyone
        begun = [everyone if b is None else None for b in bits]
    if "signature" in used:
        begun = [b if b is None else b.copy() for b in map(_either, begun, bits)]
        filter_by_signature(query, begun, asked.signatures)
    native = native_narrowed(n, query.injective, wanted.links, wanted.lists, bits, begun, used, threads)
    first = (
        [n if b is None else int(np.bitwise_count(b).sum()) for b in bits] if "signature" in used else None
    )
    sizes = tuple(map(float, native.sizes))
    entries = native.entries[::2] if "refine" in used else None
    numbers = tuple([() if number < 0 else (number,) for number in native.numbers])
    return Narrowed(
        tuple(map(float, first or native.first_sizes)),
        sizes,
        merged(native.fans, wanted.plain_fans) if "refine" in used else wanted.plain_fans,
        tuple(native.overlaps),
        used,
        native.complete,
        reading_of(wanted, sizes, n) if entries is None else float(sum(entries)),
        numbers,
        tuple(native.bitmaps),
        lambda: native,
        partial(_restrict, asked, wanted, numbers),
    )


def _restrict(
    asked: Asked,
    begun: Beginning,
    numbers: Sequence[tuple[int, ...]],
    resolved: Resolved,
    wanted: Sequence[Wanted],
) -> Restricted:
    """On the host, from the lists of one label that filters have read."""
    found: dict[Wanted, RelationCsr] = {}
    for link, read in zip(asked.links, begun.links, strict=True):
        at, to = (numbers[v][0] if numbers[v] else -1 for v in (link.a, link.b))
        if read.forward != link.forward:
            found[link.forward, at, to] = begun.lists[read.forward]
        if read.backward != link.backward:
            found[link.backward, to, at] = begun.lists[read.backward]
    return restrict_on_host(resolved, wanted, found)


def native_narrowed(
    n: int,
    injective: bool,
    links: Sequence[Link],
    csrs: Sequence[RelationCsr],
    bits: Sequence[Bits | None],
    begun: Sequence[Bits | None],
    used: Sequence[str],
    threads: int = 0,
) -> Any:
    """Runs the filters that count neighbours (native/filter/narrow.hpp), and holds what they leave."""
    return _native.narrow(
        (csrs, bits, begun),
        n,
        [(csr.bounds, csr.neighbors) for csr in csrs],
        bits,
        begun,
        links,
        injective,
        "degree" in used,
        "frequency" in used,
        "refine" in used,
        _MOST_REFINING,
        threads,
    )


def reading_of(begun: Beginning, sizes: Sequence[float], n: int) -> float:
    """List elements that a candidate graph is made from, were all lists of mean length."""
    return sum(sizes[k.a] * begun.lists[k.forward].num_entries / max(n, 1) for k in begun.links)


def _either(first: Bits | None, second: Bits | None) -> Bits | None:
    return second if first is None else first


def merged(fans: Sequence[float], plain: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
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


def _chosen(filters: Sequence[str] | None, work: int) -> tuple[str, ...]:
    """Those asked for, or all that are worth their time: signatures where lists are long, since they read none."""
    if filters is not None:
        return tuple(name for name in FILTERS if name in filters)
    return FILTERS if work > _LONG_LISTS else tuple(name for name in FILTERS if name != "signature")
