"""The device's part of `python -m bench.storage`: look-ups by a kernel that does nothing else, and whole queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import subiso as si
from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.layout import CSR
from subiso.engine.cuda.lookup import LookUpKernel, LookUps
from subiso.engine.cuda.machine import Machine, upload
from subiso.engine.cuda.memory import Cache, DeviceGraph
from subiso.engine.cuda.relations import NO_HUB
from subiso.engine.cuda.storage import STORES, part_of
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.storage.plain_csr import PlainCsr

if TYPE_CHECKING:
    from bench.storage import Case, Workload

ON_DEVICE = {
    "csr": "csr",
    "compressed": "compressed",
    "label_csr": "label_csr",
    "hash_pcsr": "hash_pcsr",
    "hash_tight": "hash_pcsr",
    "interval_pcsr": "interval_pcsr",
}
"""The bench's names -> stores of kernels."""
_FEW = 20_000
"""Look-ups by a single warp."""
_REPEATS = 5
_TIMEOUT = 1.0

Milliseconds = Callable[[], float]
Table = tuple[str, Sequence[str], list[list[str]]]


def device_tables(
    machine: Machine, cases: Sequence[Case], milliseconds: Milliseconds, queries: int = 10, size: int = 6
) -> Iterator[Table]:
    """Tables of device times; `milliseconds` says how long the runs since the last call took there."""
    head = ("graph", *ON_DEVICE)
    for one_warp, who in ((False, "on the device"), (True, "by one warp alone")):
        for workload, words in (("hits", "every list once"), ("everyone", "every vertex in every label")):
            rows = [
                [
                    case.name,
                    *looked_up(machine, case, getattr(case, workload), milliseconds, one_warp=one_warp),
                ]
                for case in cases
            ]
            figure = " (GENEVA's figure 8)" if one_warp and workload == "everyone" else ""
            yield f"Picoseconds per look-up {who}, {words}{figure}", head, rows
    rows = [[case.name, *searched(machine, case, milliseconds, queries, size)] for case in cases]
    title = f"Milliseconds of {queries} random-walk queries of {size} vertices (GSI's table 4, in kind)"
    yield title, ("graph", *STORES, "embeddings"), rows


def looked_up(
    machine: Machine, case: Case, workload: Workload, milliseconds: Milliseconds, *, one_warp: bool = False
) -> Iterator[str]:
    """Of every layout, the time of a look-up; the sum of all lengths is checked."""
    parts = list(workload.vertices)
    vertices = np.concatenate(list(workload.vertices.values()))
    relations = np.repeat(
        np.arange(len(parts), dtype=np.uint32), [len(v) for v in workload.vertices.values()]
    )
    order = np.random.default_rng(0).permutation(len(vertices))[: _FEW if one_warp else None]
    vertices, relations = vertices[order], relations[order]
    expected: int | None = None
    for name, store in ON_DEVICE.items():
        kept: list[Any] = []
        graph = DeviceGraph(Cache(machine), case.stores["csr"].order)
        entries = [entry(graph, case.stores[name].part(*part), kept) for part in parts]
        kernel = LookUpKernel(store, threads=32 if one_warp else 256)
        ups = LookUps(machine, kernel, entries, vertices, relations, blocks=1 if one_warp else None)
        found = ups.run()  # compiles
        expected = found if expected is None else expected
        assert found == expected, (name, found, expected)
        milliseconds()
        times = []
        for _ in range(_REPEATS):
            ups.run()
            times.append(milliseconds())
        yield f"{1e9 * min(times) / len(vertices):,.0f}"


def entry(graph: DeviceGraph, index: Any, kept: list[Any]) -> Any:
    """A relation as its store reads it."""
    if not isinstance(index, PlainCsr):
        return part_of(graph, index, kept)
    bounds = np.empty(2 * len(index.offsets) - 1, np.uint32)
    bounds[::2], bounds[1::2] = index.offsets, index.offsets[1:]  # nobody asks for what is above here
    lists = [upload(graph.cache.machine, array) for array in (bounds, index.neighbors)]
    kept += lists
    found: Any = np.zeros((), CSR)
    found["bounds"], found["neighbors"], found["first_hub"] = lists[0].address, lists[1].address, NO_HUB
    return found


def searched(
    machine: Machine, case: Case, milliseconds: Milliseconds, count: int, size: int
) -> Iterator[str]:
    """Of every store, the device's time for all queries together; their counts are checked against each other."""
    patterns = si.random_queries(case.graph, count, size, edges="visited", seed=1)
    queries = [make_query(case.graph, pattern) for pattern in patterns]
    expected: dict[int, int] = {}
    for store in STORES:
        engine = CudaEngine(machine, Wishes(fixed=False), schedule="stack", storage=store)
        outcomes = [engine.count(query, Params(timeout=_TIMEOUT)) for query in queries]  # compiles
        ended = {i: outcome.count for i, outcome in enumerate(outcomes) if outcome.stopped_by is None}
        for i, found in ended.items():
            assert found == expected.setdefault(i, found), (store, i, found, expected[i])
        milliseconds()
        for i in ended:
            engine.count(queries[i], Params(timeout=_TIMEOUT))
        yield f"{milliseconds():,.2f}" + ("" if len(ended) == count else f" ({count - len(ended)} stopped)")
    yield f"{sum(expected.values()):,}"
