"""Lowers a TwigPlan to the tables that kernels of schedule `pipeline` read (kernels/pipeline.cuh), and what else host
and kernels share there, as NumPy types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.layout import READS, offset_of
from subiso.engine.cuda.tables import MAX_EDGES, MAX_OPS, MAX_POSITIONS
from subiso.engine.twigs import COMPARISONS, Weight
from subiso.errors import UnsupportedError
from subiso.plan.hanging import MOST_RELATIONS, MOST_WEIGHTS, MOST_WITHOUT
from subiso.plan.twig_plan import HashJoin, PairTest, TwigPlan

MAX_STEPS = 63
_OPS = {"absent": 1, "above": 2, "below": 3, "distinct": 4, "compare": 5}  # Op::Kind in kernels/plan.cuh

HASH_TABLE = np.dtype(
    [("heads", np.uint64), ("pool", np.uint64), ("mask", np.uint32), ("stride", np.uint32)], align=True
)
JOIN_STEP = np.dtype(
    [
        ("table", HASH_TABLE),
        *((name, np.uint8) for name in ("first", "num_fresh", "num_keys", "edges")),
        ("keys", np.uint8, MAX_POSITIONS),
    ],
    align=True,
)
JOIN_WEIGHT = np.dtype(
    [
        ("values", np.uint64),
        ("bits", np.uint64),
        *((name, np.uint8) for name in ("position", "num_without", "num_relations", "unused")),
        ("relations", np.uint8, MOST_RELATIONS),
        ("without", np.uint8, MOST_WITHOUT),
    ],
    align=True,
)
JOIN_TABLES = np.dtype(
    [
        *((name, np.uint8) for name in ("num_positions", "num_probe", "num_steps", "probe_edges")),
        ("num_weights", np.uint8),
        ("column", np.uint8, MAX_POSITIONS),
        ("first_test", np.uint16, MAX_POSITIONS + 1),
        ("tests", np.dtype([(name, np.uint8) for name in ("kind", "a", "b", "c", "position")]), MAX_OPS),
        ("edges", np.dtype([(name, np.uint8) for name in ("source", "target", "relation")]), MAX_EDGES),
        ("steps", JOIN_STEP, MAX_STEPS),
        ("weights", JOIN_WEIGHT, MOST_WEIGHTS),
    ],
    align=True,
)
BUILD_ARGS = np.dtype([("table", HASH_TABLE), ("num_rows", np.uint64), ("first_key", np.uint64)], align=True)
JOIN_ARGS = np.dtype(
    [
        *READS,
        *((name, np.uint64) for name in ("control", "tables", "probe", "probe_stride")),
        *((name, np.uint64) for name in ("num_rows", "unit", "units", "states", "state_capacity")),
        *((name, np.uint64) for name in ("states_begin", "num_states", "extra_room", "least_turns")),
        *((name, np.uint64) for name in ("rows", "row_capacity", "translate")),
    ]
)
JOIN_CONTROL = np.dtype(
    {
        "names": [
            *("count_low", "count_high", "next", "stop", "full", "idle_warps", "rows"),
            *("taken", "saved", "extra", "units_left"),
        ],
        "formats": [np.uint64] * 3 + [np.uint32] * 3 + [np.uint64] + [np.uint32] * 4,
        "offsets": [0, 8, 128, offset_of("stop"), 260, 264, 384, 512, 516, 520, 524],
        "itemsize": 640,
    }
)
"""The count belongs to the run, all behind it to one launch."""


@dataclass(frozen=True)
class LoweredJoin:
    """What a kernel needs to know of a plan."""

    tables: NDArray[Any]
    """One element of JOIN_TABLES; where the hash tables lie is not known yet."""
    relations: frozenset[int]
    """Those that are looked at on the device."""
    edges: bool
    """Edge-isomorphism."""

    @property
    def state_words(self) -> int:
        """Of a saved state: its level, vertices and chains."""
        return 1 + self.lane_words

    @property
    def lane_words(self) -> int:
        """Of shared memory per lane."""
        return int(self.tables["num_positions"]) + int(self.tables["num_steps"])


def lower_twigs(plan: TwigPlan) -> LoweredJoin:
    """The tables of a plan; UnsupportedError where they are too small for it."""
    position = {v: p for p, v in enumerate(plan.order)}
    _at_most("vertices", len(position), MAX_POSITIONS)
    _at_most("joins", len(plan.joins), MAX_STEPS)
    tables = np.zeros((), JOIN_TABLES)
    tables["num_positions"], tables["num_steps"] = len(position), len(plan.joins)
    tables["num_probe"] = len(plan.probe.columns)
    tables["column"][: len(position)] = plan.order
    ends = _put_edges(tables, plan, position)
    matched = len(plan.probe.columns)
    for number, join in enumerate(plan.joins):
        _put_step(tables["steps"][number], join, position, matched)
        matched += len(join.fresh)
        tables["steps"][number]["edges"] = sum(end < matched for end in ends)
    tables["probe_edges"] = sum(end < len(plan.probe.columns) for end in ends)
    relations = _put_tests(tables, plan, position)
    relations |= {r for h in plan.hanging if h.without for r in h.relations}
    _at_most("relations", max(relations, default=0) + 1, 256)
    return LoweredJoin(tables, relations, bool(plan.entities))


def put_weight(entry: Any, weight: Weight, plan: TwigPlan, values: int, bits: int) -> None:
    """Fills an element of JOIN_WEIGHT; `values` and `bits` are addresses on the device."""
    position = {v: p for p, v in enumerate(plan.order)}
    entry["position"], entry["values"], entry["bits"] = position[weight.at], values, bits
    for h in weight.hanging:
        if h.without:
            entry["num_without"], entry["num_relations"] = len(h.without), len(h.relations)
            entry["without"][: len(h.without)] = [position[v] for v in h.without]
            entry["relations"][: len(h.relations)] = h.relations


def _put_step(step: Any, join: HashJoin, position: dict[int, int], first: int) -> None:
    step["first"], step["num_fresh"], step["num_keys"] = first, len(join.fresh), len(join.keys)
    step["keys"][: len(join.keys)] = [position[v] for v in join.keys]
    step["table"]["stride"] = 1 + len(join.build.columns)


def _put_edges(tables: Any, plan: TwigPlan, position: dict[int, int]) -> list[int]:
    """The pattern's edges by the position at which they are whole; those positions."""
    _at_most("pattern edges in edge-isomorphism", len(plan.entities), MAX_EDGES)
    edges = sorted(
        ((position[a], position[b], relation) for a, b, relation in plan.entities),
        key=lambda edge: max(edge[:2]),
    )
    for number, edge in enumerate(edges):
        tables["edges"][number] = edge
    return [max(edge[:2]) for edge in edges]


def _put_tests(tables: Any, plan: TwigPlan, position: dict[int, int]) -> frozenset[int]:
    """The tests by position, cheap ones first; the relations that they name."""
    tests: list[PairTest] = [t for join in plan.joins for t in join.tests]
    _at_most("conditions between vertices", len(tests), MAX_OPS)
    tests.sort(key=lambda t: (position[t.vertex], t.what == "absent", position[t.other]))
    relations = frozenset(t.first for t in tests if t.what == "absent")
    for number, t in enumerate(tests):
        numbers = _OPS[t.what], t.first, t.second, COMPARISONS.get(t.op, 0), position[t.other]
        tables["tests"][number] = numbers
    places = np.array([position[t.vertex] for t in tests], np.int64)
    tables["first_test"] = np.searchsorted(places, np.arange(MAX_POSITIONS + 1))
    return relations


def _at_most(what: str, found: int, limit: int) -> None:
    if found > limit:
        raise UnsupportedError(
            f"schedule pipeline takes at most {limit} {what}, this query has {found}",
            hint='use another schedule, or device="cpu"',
        )
