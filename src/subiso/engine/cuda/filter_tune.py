"""Where filters run, host or device, and how they are launched there: pure decisions, and the reasons in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from subiso.engine.cuda.layout import WIDE
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.memory import room_on
from subiso.errors import UnsupportedError
from subiso.filter.candidates import Part
from subiso.filter.narrow import Beginning
from subiso.plan.problem import Link
from subiso.storage.layout import SLICED_VERTICES, RelationCsr

Place = Literal["auto", "host", "device"]
_HOST_START = 3e-4
"""Seconds of the host before it looks at anything, ..."""
_HOST_WORD = 1.5e-9
"""... for 64 vertices of one bitmap: copied, gone through, compared with the others, ..."""
_HOST_ELEMENT = 2e-8
"""... for an element of a list that filters read, ..."""
_HOST_PAIR = 8e-9
"""... and for one of a list that the candidate graph is made from."""
_DEVICE_START = 1.6e-3
"""Seconds for the launches, and for waiting twice until they are done; ..."""
_DEVICE_GRAPH = 1.3e-3
"""... the same for the candidate graph alone, ..."""
_DEVICE_ELEMENT = 1e-10
"""... and for an element. All measured on an H200 (bench/gpu/filters.py)."""
_LEAST_GAIN = 2e-3
"""Seconds that the device must save: between candidates that the host has at hand it can count at once."""
_COPY_BYTE = 2e-10
"""Seconds to bring a byte of the graph there, ..."""
_LOAD = 0.05
"""... and to load the kernels; either happens once."""


@dataclass(frozen=True)
class FilterWishes:
    """Overrides, for tests and ablations; None = by the rules below."""

    place: Place = "auto"
    """Where filters run."""
    rounds: int = 200
    """Of refinement at most; beyond, candidates are what is left by then."""
    batch: int = 5
    """Rounds that are launched before the host looks whether anything still changes."""
    blocks: int | None = None
    chunk: int | None = None
    """Words of a bitmap that a warp takes at a time, 32 at most."""
    tile: int = 1024
    """Numbers that a warp adds up in a prefix sum."""


@dataclass(frozen=True)
class FilterWork:
    """What filters have to look at."""

    words: float
    """Of 64 vertices, all bitmaps together."""
    elements: float
    """Of the lists of all candidates, for every link from both ends."""
    sliced: float
    """The same where the host has lists of one label."""

    @property
    def on_host(self) -> float:
        """Seconds."""
        return _HOST_START + self.words * _HOST_WORD + self.sliced * _HOST_ELEMENT

    @property
    def on_device(self) -> float:
        """Seconds, where the graph is there."""
        return _DEVICE_START + self.elements * _DEVICE_ELEMENT


def restricting_gain(elements: float) -> float:
    """Seconds that the device saves when it makes a candidate graph from lists of so many elements.

    >>> restricting_gain(1e4) < 0 < restricting_gain(1e6)
    True
    """
    return elements * (_HOST_PAIR - _DEVICE_ELEMENT) - _DEVICE_GRAPH


@dataclass(frozen=True)
class Chosen:
    """A place, and why."""

    on_device: bool
    why: str

    def __str__(self) -> str:
        return f"on the {'device' if self.on_device else 'host'}: {self.why}"


def filter_work(
    links: Sequence[Link],
    csrs: Sequence[RelationCsr],
    parts: Sequence[Sequence[Part]],
    begun: Beginning,
    num_vertices: int,
) -> FilterWork:
    """By labels and conditions alone: nothing else is known before filters have run."""
    known: dict[int, int] = {}

    def size(part: Part) -> int:
        if id(part.bits) not in known:
            known[id(part.bits)] = int(np.bitwise_count(part.bits).sum())
        return known[id(part.bits)]

    sizes = [min(map(size, mine), default=num_vertices) for mine in parts]
    elements = sliced = 0.0
    for k in links:
        for end, other, relation in ((k.a, k.b, k.forward), (k.b, k.a, k.backward)):
            if begun.filtered[end]:
                read = sizes[end] * csrs[relation].num_entries / max(num_vertices, 1)
                has_slice = num_vertices <= SLICED_VERTICES and 2 * sizes[other] < num_vertices
                elements += read
                sliced += read * sizes[other] / num_vertices if has_slice else read
    return FilterWork(num_vertices / 64 * sum(begun.filtered), elements, sliced)


def choose_place(
    work: FilterWork,
    csrs: Sequence[RelationCsr],
    machine: Description,
    wanted: Place = "auto",
    *,
    once: float = 0.0,
    lost: float = 0.0,
) -> Chosen:
    """Where filters run.

    It takes `once` seconds until graph and kernels are on the device; `lost` seconds have been spent on the host by
    earlier queries for want of them, so that they are fetched when that would have paid.
    """
    if wanted not in ("auto", "host", "device"):
        raise UnsupportedError(
            f"filters cannot run on {wanted!r}", hint='there are "auto", "host" and "device"'
        )
    if wanted == "host":
        return Chosen(False, "asked for")
    if any(csr.num_entries >= WIDE for csr in csrs):
        return Chosen(False, "some relation has 2**32 entries or more")
    if sum(csr.nbytes for csr in csrs) > room_on(machine):
        return Chosen(False, "the graph has no room on the device")
    if wanted == "device":
        return Chosen(True, "asked for")
    host, device = work.on_host, work.on_device
    gain = host - device
    said = f"{work.elements:,.3g} list elements, about {_ms(host)} on the host and {_ms(device)} there"
    if gain > _LEAST_GAIN and gain + lost >= once:
        return Chosen(True, said)
    if gain > _LEAST_GAIN:
        return Chosen(False, f"{said}, once graph and kernels are, which takes {_ms(once)}")
    return Chosen(
        False, said + (f"; it has them at hand for less than {_ms(_LEAST_GAIN)}" if gain > 0 else "")
    )


def fetching(missing: float, *, loaded: bool) -> float:
    """Seconds until so many bytes of the graph, and the kernels, are on the device.

    >>> fetching(0, loaded=True)
    0.0
    """
    return missing * _COPY_BYTE + (0.0 if loaded else _LOAD)


def pieces_of(words: int, bitmaps: int, machine: Description, wishes: FilterWishes) -> tuple[int, int]:
    """(words of a piece, blocks of eight warps): enough pieces for all warps, if there are so many words.

    >>> machine = Description("", "sm_90", multiprocessors=132)
    >>> pieces_of(2_000_000, 12, machine, FilterWishes()), pieces_of(300, 12, machine, FilterWishes())
    ((32, 1056), (1, 450))
    """
    warps = machine.multiprocessors * machine.warps_per_multiprocessor
    chunk = wishes.chunk or min(32, max(1, words * bitmaps // warps))
    pieces = -(-words // chunk) * bitmaps
    most = wishes.blocks or warps // 8
    return chunk, max(1, min(most, -(-pieces // 8)))


def _ms(seconds: float) -> str:
    """
    >>> _ms(0.00123)
    '1.23 ms'
    """
    return f"{1000 * seconds:.3g} ms"
