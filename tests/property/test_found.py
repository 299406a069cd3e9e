"""Instances that once gave wrong answers, as the property tests printed them."""

from __future__ import annotations

import random

import pytest
from tests.property.engines import PLAIN, random_params, reference_rows
from tests.property.instances import Instance

from subiso.engine import cpu
from subiso.engine.base import Params, Switches

GRAPH = {"num_vertices": 4, "directed": False, "loops": "keep", "parallel": "merge"}
FOUND = {
    # A self loop counted as a neighbour below its own vertex.
    "triangle at a self loop": Instance(
        [0, 0, 1], [0, 1, 1], GRAPH, "(a)--(b), (c)--(a), (c)--(b)", options={"unique": True}
    ),
    # Inclusion and exclusion forgot the absent loop, and with it that a and c cannot be exchanged.
    "absent self loop beside an absent edge": Instance(
        [0, 0, 0, 1],
        [0, 1, 2, 2],
        GRAPH,
        "(a)--(b), (b)--(c), !(a)--(c), !(c)--(c)",
        vertex_masks={"a": [True, True, True, False]},
        options={"unique": False},
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    query = FOUND[name].query()
    expected = len(reference_rows(query))
    chance = random.Random(0)
    ways = [Params(), PLAIN, Params(switches=Switches(expand="always"))]
    for params in [*ways, *(random_params(chance) for _ in range(50))]:
        assert cpu.count(query, params).count == expected, params
