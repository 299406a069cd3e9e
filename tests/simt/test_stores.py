"""Searches through every storage layout against the reference, on random edge-labelled directed graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_cases import FINE, canonical, describe, expected_rows, labelled_query, random_query
from shim import ShimMachine

from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.lookup import LookUpKernel, LookUps
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.memory import Cache, DeviceGraph
from subiso.engine.cuda.relations import relation_entries
from subiso.engine.cuda.search import Report
from subiso.engine.cuda.slices import slice_lists
from subiso.engine.cuda.storage import STORES, choose_storage, index_of, part_of, store_entries
from subiso.engine.cuda.tables import EDGE
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, Query, make_query
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved, resolve
from subiso.graph import Graph
from subiso.graph.generators import erdos_renyi, with_edge_labels, with_labels
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.storage.hash_pcsr import HashPcsr
from subiso.storage.lists import lists_of
from subiso.storage.statistics import statistics_of

ORDERS = ("forward", "reverse", "random")
OTHERS = tuple(name for name in STORES if name != "csr")
# One number of warps per block: it is in the kernel's text, and every text is compiled.
WISHES = (
    Wishes(blocks=1, warps_per_block=2, tau=0, row_capacity=64, chunk=1),
    Wishes(blocks=3, warps_per_block=2, tau=0, row_capacity=80, chunk=2, edges=False, arena_words=40),
    Wishes(blocks=2, warps_per_block=2, tau=1000, pool_capacity=7, row_capacity=66, edges=False),
)


def check(query: Query, seed: int) -> None:
    """Counted and listed through every store, by one schedule and in one order each, rotating with the seed."""
    wanted = expected_rows(query)
    for i, storage in enumerate(OTHERS):
        order, schedule = ORDERS[(seed + i) % 3], ("fine", "stack")[(seed + i // 2) % 2]
        wishes = WISHES[(seed + 2 * i) % len(WISHES)]
        engine = CudaEngine(ShimMachine(order, seed=seed), wishes, schedule=schedule, storage=storage)
        what = f"{storage} {schedule} {order} {wishes} {describe(query, seed)}"
        assert engine.count(query, FINE).count == len(wanted), what
        if engine.last is not None:
            assert engine.last.kernel.store == storage
        rows = [tuple(r) for batch in engine.stream(query, Params(batch_rows=20)) for r in batch.tolist()]
        assert canonical(query, rows) == wanted, what


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mode", MODES)
def test_labelled_queries(mode: str, seed: int) -> None:
    check(labelled_query(seed, mode), seed)


@pytest.mark.parametrize("seed", range(8))
def test_queries_of_all_kinds(seed: int) -> None:
    """Masks, several labels, undirected graphs: relations that are no label's edges."""
    check(random_query(seed, MODES[seed % 4]), seed)


def test_codegrees_through_a_store() -> None:
    """Schedule `wedge` is the same search, so it reads through any store too."""
    graph = with_edge_labels(erdos_renyi(30, m=140, seed=2), 2, seed=1)
    query = make_query(graph, Pattern("(a)-[:0]-(b), (b)-[:0]-(c), (c)-[:0]-(d), (d)-[:0]-(a)"))
    wishes = Wishes(blocks=2, warps_per_block=2, slots=64)
    counts = {
        name: CudaEngine(ShimMachine(), wishes, schedule="wedge", storage=name).count(query).count
        for name in ("csr", "interval_pcsr")
    }
    assert counts["csr"] == counts["interval_pcsr"] == len(expected_rows(query))


def resolved_query(seed: int) -> Resolved:
    return resolve(labelled_query(seed, "monomorphism"))


def entries_of(graph: DeviceGraph, resolved: Resolved, storage: str, kept: list[Any]) -> list[Any]:
    if storage == "csr":
        return relation_entries(graph, resolved, Wishes(), kept, wide=False)
    return store_entries(graph, resolved, storage, kept)


@pytest.mark.parametrize("storage", STORES)
def test_look_ups_find_every_list(storage: str) -> None:
    """All vertices in all relations: the device's lengths are the lists' own, those of missing vertices zero."""
    for seed in range(10):
        resolved = resolved_query(seed)
        machine = ShimMachine(ORDERS[seed % 3], seed=seed)
        graph, kept = DeviceGraph(Cache(machine), resolved.layout), []  # type: ignore[var-annotated]
        entries = entries_of(graph, resolved, storage, kept)
        n, count = len(resolved.layout.all_ranks), len(resolved.csrs)
        vertices = np.tile(resolved.layout.all_ranks, count)
        relations = np.repeat(np.arange(count, dtype=np.uint32), n)
        kernel = LookUpKernel(storage, threads=64)
        ups = LookUps(machine, kernel, entries, vertices, relations, blocks=2, touch=True)
        wanted = np.concatenate([csr.lengths for csr in resolved.csrs])
        assert ups.each().tolist() == wanted.tolist()
        assert ups.run() == wanted.sum()


def test_chains_of_groups_on_the_device() -> None:
    """Few and small groups: every look-up follows a chain."""
    resolved = resolved_query(3)
    csr = max(resolved.csrs, key=lambda csr: np.count_nonzero(csr.lengths))
    machine = ShimMachine()
    graph, kept = DeviceGraph(Cache(machine), resolved.layout), []  # type: ignore[var-annotated]
    for theta, groups in ((2, 0.1), (3, 0.3), (16, 0.01)):
        index = HashPcsr(lists_of(csr), theta, groups)
        part = part_of(graph, index, kept)
        everyone = resolved.layout.all_ranks
        ups = LookUps(
            machine, LookUpKernel("hash_pcsr", threads=64), [part], everyone, np.zeros_like(everyone)
        )
        assert ups.each().tolist() == csr.lengths.tolist()


def test_what_auto_chooses() -> None:
    """Plain where offsets are few or small beside the lists; else by intervals and sizes."""
    dense = resolve(make_query(erdos_renyi(50, m=400, seed=1), Pattern.clique(3)))
    assert choose_storage(dense).why.startswith("its offsets (0.0 MB) are small beside the lists")
    labelled = with_edge_labels(erdos_renyi(400, m=500, seed=1, directed=True), 3, "zipf", seed=1)
    sparse = resolve(make_query(labelled, Pattern("(a)-[:2]->(b)-[:1]->(c)")))
    assert choose_storage(sparse).why == "its offsets are few (0.0 MB)"
    random = choose_storage(sparse, small=0)
    assert random.name == "interval_pcsr"
    assert random.why == "364 lists are 30 intervals, instead of 0.0 MB of offsets"
    n = 1000
    rows = Graph.from_edges(np.arange(n), np.full(n, n), directed=True, edge_labels=np.arange(n) // 100)
    ordered = resolve(make_query(rows, Pattern("(a)-[:2]->(b)<-[:2]-(c)")))
    assert choose_storage(ordered, small=0).name == "interval_pcsr"
    assert choose_storage(ordered, small=0).why.startswith("101 lists are 2 intervals")
    assert choose_storage(ordered, "compressed") == choose_storage(ordered, "compressed", small=0)
    assert choose_storage(ordered, "hash_pcsr", wide=True).name == "csr"
    with pytest.raises(UnsupportedError, match="there is no storage 'pcsr'"):
        choose_storage(ordered, "pcsr")


def test_auto_without_structure() -> None:
    """Labels at random: few intervals cannot be, so groups where they are much smaller than offsets, else keys."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 40, 600)
    graph = Graph.from_edges(
        *rng.integers(0, 200, (2, 600)), num_vertices=20_000, directed=True, edge_labels=labels
    )
    query = make_query(
        graph, Pattern(", ".join(f"(a)-[:{i}]->(b{i})" for i in range(12))), mode="homomorphism"
    )
    assert choose_storage(resolve(query), small=0).name == "hash_pcsr"
    ends, labels = rng.integers(0, 400, (2, 1200)), rng.integers(0, 12, 1200)
    crowded = Graph.from_edges(*ends, num_vertices=400, directed=True, edge_labels=labels)
    query = make_query(crowded, Pattern("(a)-[:1|2|3]->(b)"), mode="homomorphism")
    assert choose_storage(resolve(query), small=0).name == "compressed"


def test_labels_share_one_label_csr() -> None:
    """Relations that are one label's edges are slices of the same arrays; others have arrays of their own."""
    resolved = resolve(
        make_query(
            Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], directed=True, edge_labels=list("XYXY")),
            Pattern("(a)-[:X]->(b), (b)-[:Y]->(c), (c)-[:X|Y]->(d)"),
        )
    )
    named = {
        r.fit.key: index_of(resolved.layout, r, csr, "label_csr")
        for r, csr in zip(resolved.relations, resolved.csrs, strict=True)
        if r.direction == "out" and r.fit is not None
    }
    assert named[(0,)].neighbors is named[(1,)].neighbors
    assert named[(0, 1)].neighbors is not named[(0,)].neighbors


def test_hash_groups_are_half_full() -> None:
    """Groups of 16 pairs, one per 8 lists: 16 bytes per list, an eighth of what GSI gives them."""
    resolved = resolve(make_query(erdos_renyi(4000, m=9000, seed=1), Pattern("(a)--(b)")))
    (csr,) = set(resolved.csrs)
    index = index_of(resolved.layout, resolved.relations[0], csr, "hash_pcsr")
    assert isinstance(index, HashPcsr)
    assert index.groups.nbytes / np.count_nonzero(csr.lengths) == pytest.approx(16, rel=0.05)


def test_vertex_labels_cut_lists_short() -> None:
    """With a label CSR only neighbours that carry the label are looked at; the count stays the same."""
    graph = with_labels(erdos_renyi(60, m=500, seed=1), 4, seed=1)
    query = make_query(graph, Pattern("(a:0)--(b:1)--(c:2)--(a), (c)--(d:3)"))
    wanted, tasks = len(expected_rows(query)), {}
    for storage in ("csr", "label_csr"):
        wishes = Wishes(blocks=1, warps_per_block=2, edges=False, tau=0, measure=True)
        engine = CudaEngine(ShimMachine(), wishes, schedule="fine", storage=storage)
        assert engine.count(query, FINE).count == wanted
        assert isinstance(engine.last, Report)
        tasks[storage] = engine.last.tasks
    assert 0 < tasks["label_csr"] < tasks["csr"] / 2


@pytest.mark.parametrize("storage", ["label_csr", "interval_pcsr"])
def test_plans_compiled_in(storage: str) -> None:
    graph = with_labels(with_edge_labels(erdos_renyi(40, m=400, seed=1, directed=True), 2, seed=1), 2, seed=1)
    query = make_query(graph, Pattern("(a:0)-[:0]->(b:1)-[:1]->(c:0), (a)-[:1]->(c)"))
    wishes = Wishes(blocks=2, warps_per_block=2, fixed=True)
    engine = CudaEngine(ShimMachine(fixed=True), wishes, schedule="fine", storage=storage)
    assert engine.count(query, FINE).count == len(expected_rows(query))
    assert isinstance(engine.last, Report) and engine.last.kernel.tables is not None


def test_slices_of_a_plan() -> None:
    """Every edge operation of a level whose candidates carry a label names a slice, and nothing else changes."""
    graph = with_labels(erdos_renyi(60, m=500, seed=1), 4, seed=1)
    resolved = resolve(make_query(graph, Pattern("(a:0)--(b:1)--(c)--(a)")))
    plan = make_plan(resolved.problem, statistics_of(graph), counting=False)
    lowered = lower_plan(plan, 100)
    sliced = slice_lists(lowered, resolved)
    assert {label for _, label in sliced.slices} <= {0, 1} and sliced.slices
    before, after = lowered.tables["ops"]["a"], sliced.lowered.tables["ops"]["a"]
    changed = before != after
    assert changed.any() and (lowered.tables["ops"]["kind"][changed] == EDGE).all()
    named = [sliced.slices[a - len(resolved.relations)] for a in after[changed].tolist()]
    assert [relation for relation, _ in named] == before[changed].tolist()
    unlabelled = resolve(make_query(erdos_renyi(9, m=20, seed=1), Pattern.clique(3)))
    assert slice_lists(lowered, unlabelled).lowered is lowered


def test_plain_kernels_do_not_know_the_others() -> None:
    """Who reads a plain CSR compiles nothing more than before."""
    assert "stores.cuh" not in SearchKernel().text()
    assert "stores.cuh" in SearchKernel(store="label_csr").text()


def test_a_search_without_offsets() -> None:
    """Through an index no list bounds are sent to the device: only what the index has, and the pool's edges."""
    graph = with_edge_labels(erdos_renyi(3000, m=1000, seed=1, directed=True), 2, seed=1)
    query = make_query(graph, Pattern("(a)-[:0]->(b)-[:1]->(c)-[:0]->(d)"))
    used = {}
    for storage in ("csr", "compressed"):
        engine = CudaEngine(
            ShimMachine(), Wishes(blocks=1, warps_per_block=2), schedule="fine", storage=storage
        )
        engine.count(query, FINE)
        used[storage] = engine.caches[0].used
    assert used["compressed"] < used["csr"] / 2
