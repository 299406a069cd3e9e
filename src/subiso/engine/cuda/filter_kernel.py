"""The kernels of filters and candidate graphs as values, and the structures that they share with the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from subiso.engine.cuda.machine import entry_lines

ROUNDS = 8
"""Of refinement that are launched before the host looks (kRounds in kernels/filters.cuh)."""
MOST_VERTICES = 64
NO_VERTEX = 0xFFFFFFFF

Step = Literal[
    "sift",
    "round",
    "measure",
    "fans",
    "number",
    "gather",
    "count",
    "fill",
    "owners",
    "tiles",
    "carry",
    "write",
]
STEPS: tuple[Step, ...] = get_args(Step)
_KINDS: dict[Step, tuple[str, str]] = {
    **dict.fromkeys(("sift", "round", "measure", "fans"), ("filter", "Filter")),
    **dict.fromkeys(("number", "gather", "count", "fill"), ("restrict", "Restrict")),
    "owners": ("restrict", "Owners"),
    **dict.fromkeys(("tiles", "carry", "write"), ("scan", "Scan")),
}
_HEADERS = {"filter": "filters", "restrict": "restrict", "scan": "scan"}


@dataclass(frozen=True)
class FilterKernel:
    """One function of kernels/filters.cuh, restrict.cuh or scan.cuh."""

    step: Step
    threads: int = 256
    quick: bool = True
    slow: bool = False

    @property
    def name(self) -> str:
        return f"subiso_{_KINDS[self.step][0]}_{self.step}"

    @property
    def args_type(self) -> str:
        return f"subiso::{_KINDS[self.step][1]}Args"

    def text(self) -> str:
        """The translation unit.

        >>> print(FilterKernel("round").text())
        #include "filters.cuh"
        extern "C" __global__ void __launch_bounds__(256)
        subiso_filter_round(const __grid_constant__ subiso::FilterArgs args) {
          subiso::filter_round(args);
        }
        """
        room = _KINDS[self.step][0]
        entry = entry_lines(self, f"subiso::{room}_{self.step}(args);", self._bounds())
        return "\n".join([f'#include "{_HEADERS[room]}.cuh"', *entry])

    def _bounds(self) -> str:
        # Left alone, the compiler spills registers of the longer ones to have more warps.
        return f"{self.threads}, 5" if self.step in ("fans", "count") else str(self.threads)


def _type(pointers: str, words: str) -> np.dtype[np.void]:
    return np.dtype(
        [(name, np.uint64) for name in pointers.split()] + [(name, np.uint32) for name in words.split()]
    )


_PIECES = ("words", "chunk", "bitmaps")
PIECES = np.dtype([(name, np.uint32) for name in _PIECES])
VERTEX = _type("bits given", "first_part end_part first_ask first_again end_ask unused")
ASK = _type("bounds neighbors others", "other count")
REPORT = np.dtype(
    [
        ("changed", np.uint32, (ROUNDS + 1, MOST_VERTICES)),
        ("first_sizes", np.uint32, MOST_VERTICES),
        ("sizes", np.uint32, MOST_VERTICES),
        ("overlaps", np.uint64, MOST_VERTICES),
        ("differs", np.uint64, MOST_VERTICES),
        ("members", np.uint32),
        ("unused", np.uint32),
    ]
)
FILTER_ARGS = np.dtype(
    [
        *((name, np.uint64) for name in ("vertices", "parts", "asks", "table", "wanted", "report", "fans")),
        *((name, np.uint64) for name in ("all", "counts")),
        *((name, np.uint32) for name in ("num_vertices", "signature_words", "round", "first")),
        ("pieces", PIECES),
        ("force", np.uint32),
    ]
)
RESTRICTED = _type("bounds neighbors from to lengths new_bounds new_neighbors", "")
RESTRICT_ARGS = np.dtype(
    [
        *((name, np.uint64) for name in ("relations", "all", "before", "vertex_at", "members", "translated")),
        *((name, np.uint64) for name in ("filters", "new_filters")),
        *((name, np.uint32) for name in ("num_members", "num_filters", "filter_words")),
        ("pieces", PIECES),
    ]
)
OWNERS_ARGS = _type("bounds owners", "num_members unused")
SCAN_ARGS = _type("values sums tiles totals", "rows length tile long_from")
TILES = _type("", "sum longest next_longest above next_above first_long")
