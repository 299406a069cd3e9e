"""The host's side of the CUDA engine without a device: tables, tuning, memory budget, messages."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from subiso.engine.cuda import engine_on, why_not
from subiso.engine.cuda.device import parse_device
from subiso.engine.cuda.kernel import SearchKernel, fixed_tables
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.machine import Description, OutOfMemory
from subiso.engine.cuda.memory import Cache
from subiso.engine.cuda.tables import Lowered, cut_short
from subiso.engine.cuda.tune import Needs, Wishes, tune
from subiso.engine.query import make_query
from subiso.errors import SubisoError, UnsupportedError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.storage.statistics import statistics_of

H200 = Description("H200", "sm_90", 132, memory=150 << 30)


def lowered(
    pattern: Pattern | str, *, counting: bool = True, max_degree: int = 100, **options: object
) -> Lowered:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(*rng.integers(0, 200, (2, 1500)), num_vertices=200, directed=False)
    problem = resolve(make_query(graph, pattern, **options)).problem
    return lower_plan(make_plan(problem, statistics_of(graph), counting=counting), max_degree)


# ---- tables


def test_a_triangle() -> None:
    """Two levels below the seed, each with a list and a bound at every earlier position."""
    found = lowered(Pattern.clique(3))
    assert (found.tail, found.num_levels, found.stack_levels, found.divisor) == ("count", 3, 2, 1)
    kinds = found.tables["ops"]["kind"][:6].tolist()
    assert kinds == [2, 0, 2, 0, 2, 0]  # above, edge
    assert found.tables["first"][2][:4].tolist() == [2, 4, 6, 6]


def test_tails_of_sizes() -> None:
    """A diamond is a polynomial of one size over the edges; a wedge needs list lengths only."""
    diamond = lowered(Pattern.diamond())
    assert (diamond.tail, diamond.num_levels, int(diamond.tables["num_sizes"])) == ("sizes", 2, 1)
    star = lowered(Pattern.star(3))
    assert (star.tail, star.num_levels) == ("sizes", 1)
    assert star.tables["levels"][1]["measured"] == 1


def test_rows_name_their_columns() -> None:
    found = lowered(Pattern.path(4), counting=False)
    assert sorted(found.tables["column"][:4].tolist()) == [0, 1, 2, 3]
    short = cut_short(found, 2)
    assert (short.tail, short.num_levels, short.tables["column"][:2].tolist()) == ("rows", 2, [0, 1])


def test_a_polynomial_that_might_overflow_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="at most 80 bits of a counting tail"):
        lowered(Pattern.star(6), max_degree=1 << 20)


def test_large_patterns_run_from_tables() -> None:
    assert fixed_tables(lowered(Pattern.path(20), counting=False)) is None
    with pytest.raises(UnsupportedError, match="at most 32 vertices, this query has 33"):
        lowered(Pattern.path(33), counting=False)


def test_the_text_of_a_fixed_plan() -> None:
    found = lowered(Pattern.clique(3))
    text = SearchKernel(tables=fixed_tables(found)).text()
    assert "struct Source { static constexpr Tables tables = {3,0,0,0,{},{},{{255," in text
    assert "FixedPlan<Source>" in text
    assert len(text.splitlines()) <= 10


# ---- tuning


def test_deep_stacks_take_fewer_warps() -> None:
    small, large = (tune(H200, Needs(stack_levels=n, num_seeds=1000)) for n in (2, 31))
    assert small.blocks > large.blocks
    for config in (small, large):
        per_multiprocessor = config.blocks // H200.multiprocessors
        assert per_multiprocessor * (config.shared_bytes + 1024) <= H200.shared_per_multiprocessor
        assert config.shared_bytes <= H200.shared_per_block


def test_a_pool_is_grown_from_few_seeds_only() -> None:
    few = tune(H200, Needs(stack_levels=2, num_seeds=1000, num_edges=10**6))
    many = tune(H200, Needs(stack_levels=2, num_seeds=10**6, num_edges=10**7))
    assert few.grow and few.pool_capacity >= 8 * few.blocks * few.warps_per_block
    assert not many.grow and many.pool_capacity == 0
    assert not tune(H200, Needs(stack_levels=2, num_seeds=10, num_edges=100), Wishes(tau=0)).grow


def test_search_memory_stays_small() -> None:
    """Counting takes under 1 GB beside the graph, whatever the pattern."""
    for levels in range(1, 33):
        config = tune(H200, Needs(stack_levels=levels, num_seeds=10**7, num_edges=10**9))
        warps = config.blocks * config.warps_per_block
        assert 2 * warps * config.mail_bytes + 8 * config.pool_capacity < 1 << 29


# ---- memory


@dataclass
class FakeBuffer:
    nbytes: int
    address: int = 1


@dataclass
class FakeMachine:
    room: int
    description: Description = field(default_factory=lambda: Description("fake", "sm_90", 1, memory=1000))
    taken: int = 0

    def allocate(self, nbytes: int) -> FakeBuffer:
        if self.taken + nbytes > self.room:
            raise OutOfMemory(nbytes)
        return FakeBuffer(nbytes)

    def write(self, buffer: FakeBuffer, array: NDArray[np.generic], offset: int = 0) -> None: ...


def test_the_oldest_copy_leaves_first() -> None:
    cache = Cache(FakeMachine(10_000), budget=250)  # type: ignore[arg-type]
    made: list[str] = []

    def get(key: str) -> object:
        return cache.get(key, 100, lambda: made.append(key) or key)

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key)
    assert made == ["a", "b", "c", "b"]
    assert cache.used == 200


def test_a_graph_that_does_not_fit() -> None:
    machine = FakeMachine(50)
    cache = Cache(machine, budget=1000)  # type: ignore[arg-type]
    with pytest.raises(SubisoError, match=r"does not fit on fake: a part of it needs 100 bytes"):
        cache.get("a", 100, lambda: machine.allocate(100))


# ---- devices


def test_device_names() -> None:
    assert parse_device("cuda:2") == (2,)
    for bad in ("gpu", "cuda:", "cuda:x", "cuda0"):
        with pytest.raises(UnsupportedError, match="unknown device"):
            parse_device(bad)


def test_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    reason = why_not("cuda:7")
    assert reason is not None and "CuPy is not installed" in reason and "subiso[cuda13]" in reason
    with pytest.raises(UnsupportedError, match='device="cuda" cannot be used: CuPy is not installed'):
        engine_on("cuda:7")
