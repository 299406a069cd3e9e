"""Random labels: their distribution, and that the graph stays the same."""

from __future__ import annotations

import hashlib
from decimal import Context, Decimal

import numpy as np
import pytest

from subiso.errors import GraphError
from subiso.graph import generators as gen
from subiso.graph.generators.powers import falling


def shares(labels: object) -> dict[object, float]:
    codes = np.asarray(labels.codes)  # type: ignore[attr-defined]
    return {name: float((codes == code).mean()) for code, name in enumerate(labels.names)}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("distribution", "alpha", "power"),
    [
        ("uniform", None, 0.0),
        ("zipf", None, 1.0),
        ("powerlaw", None, 2.5),
        ("powerlaw", 0.4, 0.4),
        ("powerlaw", 1.7, 1.7),
    ],
)
def test_labels_follow_the_distribution(distribution: str, alpha: float | None, power: float) -> None:
    graph = gen.with_labels(gen.cycle(200_000), 5, distribution, alpha=alpha, seed=1)
    weights = np.arange(1, 6) ** -power
    for label, share in shares(graph.vertex_labels).items():
        assert abs(share - weights[label] / weights.sum()) < 0.005  # type: ignore[index]


def test_edge_labels_by_name() -> None:
    graph = gen.with_edge_labels(gen.erdos_renyi(500, m=50_000, seed=1), ["PAYS", "OWES"], "zipf", seed=2)
    found = shares(graph.edge_labels)
    assert abs(found["PAYS"] - 2 / 3) < 0.02 and abs(found["OWES"] - 1 / 3) < 0.02


@pytest.mark.parametrize("directed", [False, True])
def test_the_rest_of_the_graph_stays(directed: bool) -> None:
    before = gen.erdos_renyi(50, m=200, seed=1, directed=directed)
    both = gen.with_edge_labels(gen.with_labels(before, 3, seed=1), 4, seed=1)
    for side in (0, 1):
        assert (before.edge_endpoints()[side] == both.edge_endpoints()[side]).all()
    assert both.directed is directed
    assert both.vertex_labels is not None and both.edge_labels is not None
    assert len(both.vertex_labels.codes) == 50 and len(both.edge_labels.codes) == 200


def test_columns_and_ids_stay() -> None:
    graph = gen.with_labels(gen.transactions(100, 500, rings=2, seed=1), ["x"], seed=1)
    assert sorted(graph.edge_columns) == ["amount", "ring", "time"]
    assert graph.vertex_labels is not None and graph.vertex_labels.names == ("x",)
    assert graph.has_parallel


def test_threads_and_seeds() -> None:
    base = gen.cycle(300_000)
    one, other = gen.with_labels(base, 7, seed=1, threads=1), gen.with_labels(base, 7, seed=1, threads=5)
    assert (np.asarray(one.vertex_labels.codes) == np.asarray(other.vertex_labels.codes)).all()  # type: ignore[union-attr]
    third = gen.with_labels(base, 7, seed=2)
    assert (np.asarray(one.vertex_labels.codes) != np.asarray(third.vertex_labels.codes)).any()  # type: ignore[union-attr]


@pytest.mark.parametrize(("name", "alpha"), [("uniform", 0), ("zipf", 1.0), ("powerlaw", 2.5)])
def test_named_distributions_are_power_laws(name: str, alpha: float) -> None:
    both = [
        gen.random_labels(gen.cycle(5000), 9, *which, alpha=power, seed=3)
        for which, power in (((name, "both"), None), (("powerlaw", "both"), alpha))
    ]
    assert both[0].vertex_labels.codes.tolist() == both[1].vertex_labels.codes.tolist()  # type: ignore[union-attr]
    assert both[0].edge_labels.codes.tolist() == both[1].edge_labels.codes.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.75, 1.0, 1.5, 2.0, 2.5, 3.3, 9.99, 10.0])
def test_weights_are_powers(alpha: float) -> None:
    exact = Context(prec=40)
    ranks = [1, 2, 3, 7, 64, 65, 999, 1000]
    weights = falling(1000, alpha)
    for rank in ranks:
        power = exact.power(Decimal(rank), Decimal(-alpha))
        assert abs(Decimal(float(weights[rank - 1])) / power - 1) < Decimal("1e-13"), rank
    assert (np.diff(weights) <= 0).all() and weights[0] == 1.0


def test_weights_are_the_same_on_every_machine() -> None:
    """To the last bit, as they decide what is drawn."""
    digits = hashlib.sha256(np.concatenate([falling(5000, a) for a in (0.3, 1.5, 7.1)]).tobytes()).hexdigest()
    assert digits[:16] == "49734a3e94a320fd"


@pytest.mark.parametrize("word", ["power-law", "power_law"])
def test_other_spellings_of_a_distribution(word: str) -> None:
    drawn = [gen.with_labels(gen.cycle(99), 3, name, seed=1).vertex_labels for name in (word, "powerlaw")]
    assert drawn[0].codes.tolist() == drawn[1].codes.tolist()  # type: ignore[union-attr]


def test_refusals() -> None:
    base = gen.path(3)
    with pytest.raises(
        GraphError, match="unknown distribution 'normal'\n  hint: one of uniform, zipf, power"
    ):
        gen.with_labels(base, 3, "normal")
    with pytest.raises(GraphError, match="unknown distribution \\[1\\]"):
        gen.with_labels(base, 3, [1])  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="a list of distinct labels, all ints or all strings"):
        gen.with_labels(base, ["a", "a"])
    with pytest.raises(GraphError, match="zipf has no alpha\n  hint: distribution="):
        gen.with_labels(base, 3, "zipf", alpha=2)
    for steepness in (-1, 11, float("nan"), "steep", True):
        with pytest.raises(GraphError, match="alpha must be a number between 0 and 10, not "):
            gen.with_labels(base, 3, "powerlaw", alpha=steepness)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="k must be a whole number of 1 to 16777216, not 0"):
        gen.with_labels(base, 0)
