"""Switches of schedule `levels` arrive in its launches: every one changes what it says it changes (SIMT shim)."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from levels_cases import wishes
from numpy.typing import NDArray
from shim import ShimMachine
from test_levels import PLAIN

from subiso.engine import reference
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels_kernel import LevelsKernel
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.pool import NO_ORIGIN
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")

Launches = list[tuple[LevelsKernel, NDArray[Any]]]

ENDS = [*itertools.combinations(range(7), 2)]
QUERY = make_query(
    Graph.from_edges(
        *np.array([*ENDS, *ENDS[::2]]).T,
        edge_labels=np.array(["X"] * len(ENDS) + ["Y"] * len(ENDS[::2]), dtype=object),
        parallel="keep",
    ),
    Pattern("(a)-[:X]-(b)-[:X]-(c)-[:Y]-(a), (c)-[:X]-(d)-[:X]-(e)"),
    mode="homomorphism",
)
"""A triangle with a tail; of its last vertex two lists may have candidates, one of them of a rare label."""
COUNT = reference.count(QUERY).count


@dataclass
class Recording(ShimMachine):
    """Remembers what was launched."""

    launches: Launches = field(default_factory=list)

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        if isinstance(kernel, LevelsKernel):
            self.launches.append((kernel, args.copy()))
        super().launch(kernel, blocks, shared, args)


def launched(**switches: object) -> Launches:
    """What a count of QUERY launches."""
    machine = Recording()
    assert CudaEngine(machine, wishes(**switches), schedule="levels").count(QUERY, PLAIN).count == COUNT > 0
    return machine.launches


def outputs(launches: Launches) -> set[str]:
    return {kernel.output for kernel, _ in launches if kernel.step == "join" and kernel.output != "total"}


def joins(name: str) -> Callable[[Launches], set[Any]]:
    """What joins are told."""
    return lambda launches: {args[name].item() for kernel, args in launches if kernel.step == "join"}


def lists(launches: Launches) -> set[bool]:
    """Whether rows are told which list their candidates come from."""
    return {int(args["only"]) != NO_ORIGIN for kernel, args in launches if kernel.step == "link"}


def columns(launches: Launches) -> list[int]:
    return [int(args["num_slots"]) for kernel, args in launches if kernel.step == "link"]


def balanced(launches: Launches) -> set[bool]:
    """Whether rows of a table are told apart by their length."""
    return {int(args["multiprocessors"]) > 0 for kernel, args in launches if kernel.step == "offsets"}


CASES: dict[str, tuple[dict[str, object], Callable[[Launches], Any], Any, Any]] = {
    "prealloc": ({"output": "prealloc"}, outputs, {"pairs"}, {"buffer"}),
    "twice": ({"output": "twice"}, outputs, {"pairs"}, {"counts", "write"}),
    "rarest": ({"first": "rarest"}, lists, {False}, {True}),
    "cache": ({"cache": False}, joins("cache"), {1}, {0}),
    "reused": ({"operands": "reused"}, joins("reuse"), {0}, {1}),
    "live": ({"live": False}, columns, [1, 2, 1, 1], [1, 2, 3, 4]),
    "balance": ({"balance": False}, balanced, {True}, {False}),
}
"""A switch, what to look at, what is there by default and with the switch."""


@pytest.mark.parametrize("name", CASES)
def test_every_switch_arrives(name: str) -> None:
    switch, look, by_default, wanted = CASES[name]
    assert look(launched()) == by_default
    assert look(launched(**switch)) == wanted
