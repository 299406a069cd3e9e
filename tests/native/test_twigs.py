"""Twigs in native code against plain Python: narrowing, rows in batches of any size, several threads, stops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from subiso import _native
from subiso.engine.query import make_query
from subiso.engine.twigs import TwigMatcher
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.hanging import hanging
from subiso.plan.joins import join_twigs
from subiso.plan.twig_plan import Hanging, Leaf, PairTest, TwigScan


def matcher(seed: int, threads: int = 1, n: int = 300, pattern: Pattern | None = None) -> TwigMatcher:
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(
        *rng.integers(0, n, (2, 4 * n)),
        num_vertices=n,
        directed=True,
        vertex_labels=rng.integers(0, 3, n),
        loops="keep",
    )
    pattern = pattern or Pattern("(a:0)-->(b:1), (a)--(c:2), (a)-->(d:1)")
    return TwigMatcher(resolve(make_query(graph, pattern)), threads)


def candidates(m: TwigMatcher, vertex: int) -> set[int]:
    return set(_native.bit_positions(m.bits[vertex]).tolist())


def neighbors(m: TwigMatcher, v: int, relation: int) -> set[int]:
    bounds, entries = m.arrays[relation]
    return set(entries[bounds[2 * v] : bounds[2 * v + 2]].tolist())


def expected(m: TwigMatcher, scan: TwigScan) -> set[tuple[int, ...]]:
    slots = [scan.root, *(leaf.vertex for leaf in scan.leaves)]
    rows = set()
    for root in candidates(m, scan.root):
        lists = [
            candidates(m, leaf.vertex).intersection(*(neighbors(m, root, r) for r in leaf.relations))
            for leaf in scan.leaves
        ]
        for leaves in itertools.product(*lists):
            at = dict(zip(slots, (root, *leaves), strict=True))
            if all(_holds(m, t, at[t.vertex], at[t.other]) for t in scan.tests):
                rows.add(tuple(at[v] for v in scan.columns))
    return rows


def _holds(m: TwigMatcher, t: PairTest, x: int, other: int) -> bool:
    return {
        "above": x > other,
        "below": x < other,
        "distinct": x != other,
        "absent": x not in neighbors(m, other, t.first),
    }[t.what]


def listed(m: TwigMatcher, scan: TwigScan, batch: int) -> list[tuple[int, ...]]:
    source, rows = m.scan(scan), []
    out = np.empty(batch * len(scan.columns), np.uint32)
    while found := source.columns(out, batch, batch):
        rows += [tuple(r) for r in out.reshape(-1, batch)[:, :found].T.tolist()]
    assert source.progress() == 1.0
    return rows


TESTS = (
    PairTest("distinct", 3, 1),
    PairTest("above", 2, 0),
    PairTest("absent", 3, 2, 0),
    PairTest("below", 3, 0),
)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("batch", [1, 50, 257, 5000])
@pytest.mark.parametrize("tests", [(), TESTS])
def test_rows_are_those_of_a_plain_product(threads: int, batch: int, tests: tuple[PairTest, ...]) -> None:
    m = matcher(batch, threads)
    links = m.resolved.problem.links
    relations = {link.b: link.forward for link in links}
    leaves = tuple(Leaf(v, (relations[v],)) for v in (1, 2, 3))
    scan = TwigScan(0, leaves, (2, 0, 3, 1), tests, rows=1e9)
    rows = listed(m, scan, batch)
    assert len(rows) == len(set(rows))
    assert set(rows) == expected(m, scan) != set()


def test_leaves_in_several_lists_and_lone_roots() -> None:
    m = matcher(1, pattern=Pattern("(a:0)-->(b), (b)-->(a), (b)--(c:1)"))
    twig = next(t for t in m.measure(prune=False).twigs if len(t.leaves[0].relations) == 2)
    scan = TwigScan(twig.root, twig.leaves, twig.vertices)
    assert set(listed(m, scan, 64)) == expected(m, scan)
    lone = TwigScan(0, (), (0,))
    assert {v for (v,) in listed(m, lone, 7)} == candidates(m, 0)


def test_records_leave_room_for_a_chain() -> None:
    m = matcher(2)
    plan = join_twigs(m.resolved.problem, *_parts(m.measure()))
    out = np.full(4000, 77, np.uint32)
    rows = m.scan(plan.probe).records(out, 50)
    width = 1 + len(plan.probe.columns)
    table = out.reshape(-1, width)
    assert set(table[:rows, 0].tolist()) == {77}
    assert {tuple(r) for r in table[:rows, 1:].tolist()} <= expected(m, plan.probe)


def _parts(measured):  # type: ignore[no-untyped-def]
    return measured.twigs, measured.rows, measured.sizes


@pytest.mark.parametrize("threads", [1, 3])
def test_narrowing_keeps_just_what_a_twig_has(threads: int) -> None:
    m, plain = matcher(3, threads), matcher(3)
    measured = m.measure(most_rows=1e9)
    (twig,) = measured.twigs
    scan = TwigScan(twig.root, twig.leaves, twig.vertices)
    rows = expected(plain, scan)
    assert measured.rows == (float(len(rows)),)
    for column, vertex in enumerate(twig.vertices):
        assert candidates(m, vertex) == {row[column] for row in rows}
        assert measured.sizes[vertex] == len(candidates(m, vertex))


def test_large_twigs_are_split_down_to_links() -> None:
    m = matcher(4)
    small = m.measure(most_rows=1)
    assert [len(t.leaves) for t in small.twigs] == [1, 1, 1]
    assert {t.root for t in small.twigs} == {0}


def test_a_stopped_scan_ends() -> None:
    m = matcher(5)
    plan = join_twigs(m.resolved.problem, *_parts(m.measure()))
    source = m.scan(plan.probe)
    source.stop()
    assert source.columns(np.empty(4000, np.uint32), 1000, 1000) == 0


def test_what_does_not_fit_is_refused() -> None:
    m = matcher(6)
    bits = m.bits[:2]
    with pytest.raises(ValueError, match="a relation that is not there"):
        _native.narrow_twig(m.num_vertices, m.arrays, bits, [[99]], True, 1)
    with pytest.raises(ValueError, match="every leaf need a bitmap"):
        _native.narrow_twig(m.num_vertices, m.arrays, bits, [[0], [0]], True, 1)
    scan = TwigScan(0, (Leaf(1, (0,)),), (0, 1))
    with pytest.raises(ValueError, match="do not fit the array"):
        m.scan(scan).columns(np.empty(10, np.uint32), 8, 8)
    with pytest.raises(ValueError, match="a test names what is not there"):
        _native.make_twig_scan(None, m.num_vertices, m.arrays, bits, [[0]], [(0, 0, 1, 0, 0, 0)], [], 1, 1)


@pytest.mark.parametrize("threads", [1, 3])
def test_weights_are_numbers_of_ways(threads: int) -> None:
    pattern = Pattern("(a:0)--(b:1), (b)-->(c:2)")
    m, plain = matcher(7, threads, pattern=pattern), matcher(7, pattern=pattern)
    found = hanging(m.resolved.problem)
    assert [(h.vertex, h.at) for h in found] == [(0, 1), (1, 2)]
    (weight,) = m.weigh(found)
    expected_ways = {h.vertex: h for h in found}
    for root in range(m.num_vertices):
        ways = _ways(plain, 2, root, expected_ways)
        assert weight.values[root] == ways
        assert (root in candidates(m, 2)) == (ways > 0)
    assert weight.most == weight.values.max() > 3


def _ways(m: TwigMatcher, at: int, root: int, below: dict[int, Hanging]) -> int:
    """How often all that hangs from a pattern vertex can be matched below a data vertex."""
    if root not in candidates(m, at):
        return 0
    ways = 1
    for h in below.values():
        if h.at == at:
            near = candidates(m, h.vertex).intersection(*(neighbors(m, root, r) for r in h.relations))
            fits = [x for x in near if all(_holds(m, t, x, root) for t in h.tests)]
            ways *= sum(_ways(m, h.vertex, x, below) for x in fits)
    return ways
