"""Random walks: right on average for every mode and condition, the same for every number of threads."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from tests.property.instances import FEATURES, dense_instance

from subiso import _native
from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.query import MODES, Query, make_query
from subiso.engine.ways import Way, ways_to_walk
from subiso.errors import PatternError
from subiso.filter.resolve import resolve
from subiso.graph import Graph, generators
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.storage.codegrees import edge_codegrees
from subiso.storage.layout import layout_of
from subiso.storage.relation import Relation
from subiso.storage.statistics import statistics_of

PARAMS = Params(threads=2)


def ways(query: Query) -> list[Way]:
    return list(ways_to_walk(resolve(query), statistics_of(query.graph), PARAMS))


def check_mean(query: Query, blocks: int = 150) -> int:
    """Every way's mean is the count, up to 4.5 standard errors; gives the count."""
    exact = cpu.count(query, PARAMS).count
    if resolve(query).hopeless:
        return exact
    for i, way in enumerate(ways(query)):
        found = way.walks.blocks(5, i << 40, blocks, 64, 2)
        means = found.mean / way.divisor
        assert not found.overflow and np.isfinite(means).all()
        assert (found.nonzero.sum() > 0) == (means.sum() > 0)
        error = means.std(ddof=1) / np.sqrt(blocks)
        assert abs(means.mean() - exact) <= 4.5 * error + 1e-9 * exact, (i, exact, means.mean(), error)
    return exact


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("mode", MODES)
def test_walks_are_right_on_average(mode: str, feature: str) -> None:
    found = 0
    for seed in range(6):
        chance = random.Random(seed)
        instance = dense_instance(seed, mode, feature, n=20, density=0.4, k=chance.choice([2, 3, 4, 5]))
        try:
            found += check_mean(instance.query()) > 0
        except PatternError:
            continue  # contradicts itself
        except AssertionError:
            print(instance.code())
            raise
    assert found >= 1


@pytest.mark.parametrize("name", ["triangle", "house", "5cycle", "prism", "K5", "W4", "gem", "4star"])
@pytest.mark.parametrize("unique", [True, False])
def test_walks_on_a_skewed_graph(name: str, unique: bool) -> None:
    graph = generators.rmat(scale=9, edge_factor=8, seed=1)
    assert check_mean(make_query(graph, Pattern.named(name), unique=unique), blocks=300) > 0


def test_a_block_is_the_same_whoever_runs_it() -> None:
    graph = generators.rmat(scale=8, edge_factor=8, seed=2)
    walks = ways(make_query(graph, Pattern.named("house")))[0].walks
    one = walks.blocks(9, 0, 40, 32, 1)
    for threads in (2, 5):
        for field, other in zip(one[:4], walks.blocks(9, 0, 40, 32, threads)[:4], strict=True):
            assert field.tolist() == other.tolist()
    later = walks.blocks(9, 30, 10, 32, 3)
    assert later.mean.tolist() == one.mean[30:].tolist()
    assert walks.blocks(10, 0, 40, 32, 1).mean.tolist() != one.mean.tolist()


def test_patterns_longer_than_any_count_fits() -> None:
    """Sixty steps of a walk: the probability of one is far below what a double holds."""
    graph = generators.cycle(70)
    path = Pattern.path(60)
    for way in ways(make_query(graph, path)):
        found = way.walks.blocks(1, 0, 4, 16, 1)
        assert np.isfinite(found.mean).all() and np.isfinite(found.reached).all()


@pytest.mark.parametrize(("directed", "loops"), [(False, "drop"), (True, "drop"), (False, "keep")])
def test_codegrees_of_edges(directed: bool, loops: str) -> None:
    chance = np.random.default_rng(3)
    src, dst = chance.integers(0, 60, (2, 500))
    layout = layout_of(Graph.from_edges(src, dst, directed=directed, loops=loops, num_vertices=60))
    sides = ("out", "in", "any") if directed else ("any",)
    for names in [(a, b, c) for a in sides for b in sides for c in sides]:
        edges, first, second = (Relation(name) for name in names)
        csr, lists = layout.relation(edges), []
        for relation in (first, second):
            own = layout.relation(relation)
            ends = own.bounds[::2]
            lists.append([set(own.neighbors[a:b].tolist()) for a, b in itertools.pairwise(ends)])
        starts = csr.bounds[::2]
        expected = [
            len(lists[0][u] & lists[1][v])
            for u in range(60)
            for v in csr.neighbors[starts[u] : starts[u + 1]].tolist()
        ]
        assert edge_codegrees(layout, edges, first, second).tolist() == expected


def test_sums_along_lists() -> None:
    csr = layout_of(generators.rmat(scale=6, edge_factor=4, seed=1)).relation(Relation("any"))
    n = len(csr.bounds) // 2
    weight = np.linspace(0.5, 2.0, n)
    factor = np.arange(len(csr.neighbors), dtype=np.float32)
    for factors in (None, factor):
        sums, totals = _native.sum_lists(csr.bounds, csr.neighbors, weight, factors)
        entries = weight[csr.neighbors] * (1.0 if factors is None else factors)
        for v in range(n):
            begin, end = csr.bounds[2 * v], csr.bounds[2 * v + 2]
            np.testing.assert_allclose(sums[begin:end], np.cumsum(entries[begin:end]))
            assert totals[v] == (sums[end - 1] if end > begin else 0)


def test_weights_that_do_not_fit_are_refused() -> None:
    graph = generators.rmat(scale=5, edge_factor=4, seed=1)
    query = make_query(graph, Pattern.named("4path"))
    resolved = resolve(query)
    plan = make_plan(resolved.problem, statistics_of(graph), counting=True)
    run, n = cpu.prepare([plan], resolved, PARAMS), graph.num_vertices
    seeds, levels = np.arange(1.0, n + 1), [(None, None)] * len(plan.order)

    def sample(seeds: object = seeds, levels: object = levels, size: int = 4) -> object:
        return _native.sample(run, seeds, levels, 1, 0, 2, size, 1)

    assert len(sample()[0]) == 2  # type: ignore[index]
    wrong = [np.ones(3), np.zeros(n), np.full(n, np.inf)]
    for bad in wrong:
        with pytest.raises(ValueError, match="seed"):
            sample(seeds=bad)
    for bad_levels in (levels[1:], [(np.ones(3), None), *levels[1:]], [*levels[:-1], (None, np.ones(3))]):
        with pytest.raises(ValueError, match=r"weight|sums"):
            sample(levels=bad_levels)
    with pytest.raises(ValueError, match="positive"):
        sample(size=0)
    with pytest.raises(ValueError, match="entry"):
        csr = resolved.csrs[0]
        _native.sum_lists(csr.bounds, csr.neighbors, np.ones(n), np.ones(3, np.float32))
