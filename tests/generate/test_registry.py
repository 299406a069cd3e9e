"""The registry behind `subiso generate`, and every refusal of the generators."""

from __future__ import annotations

import re
from typing import Any

import pytest

from subiso.errors import GraphError
from subiso.graph import generators as gen


@pytest.mark.parametrize("name", gen.GENERATORS)
def test_every_parameter_is_described_and_typed(name: str) -> None:
    assert gen.summary(name).endswith(".")
    for parameter in gen.parameters(name):
        assert parameter.help, f"{name}: {parameter.name} is not described"
        assert parameter.type is not None
        if parameter.name == "seed":
            assert (parameter.type, parameter.default, parameter.required) == (int, 0, False)


def test_types_are_evaluated() -> None:
    types = {p.name: p.type for p in gen.parameters("erdos_renyi")}
    assert (
        types["n"] is int
        and types["m"] == int | None
        and types["p"] == float | None
        and types["directed"] is bool
    )


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("rmat", {"scale": -1}, "scale must be a whole number of 0 to 31, not -1"),
    ("rmat", {"scale": 2.5}, "scale must be a whole number of 0 to 31, not 2.5"),
    ("rmat", {"scale": True}, "scale must be a whole number of 0 to 31, not True"),
    ("rmat", {"scale": 4, "a": 0.9}, "a + b + c must be at most 1, not 1.28"),
    ("rmat", {"scale": 4, "a": float("nan")}, "a must be a number between 0 and 1, not nan"),
    ("rmat", {"scale": 4, "seed": -1}, "seed must be a whole number of 0 to 18446744073709551615, not -1"),
    ("rmat", {"scale": 4, "threads": 0}, "threads must be a whole number of 1 to 4096, not 0"),
    ("rmat", {}, "rmat needs the argument 'scale'\n  hint: log2 of the number of vertices"),
    ("erdos_renyi", {"n": 5}, "give either m (number of edges) or p (probability of an edge)"),
    (
        "erdos_renyi",
        {"n": 5, "m": 1, "p": 0.5},
        "give either m (number of edges) or p (probability of an edge)",
    ),
    ("erdos_renyi", {"n": 5, "m": 11}, "m must be at most 10, the pairs of 5 vertices, not 11"),
    ("erdos_renyi", {"n": 2**32, "m": 1}, "n must be a whole number of 0 to 4294967294, not 4294967296"),
    ("erdos_renyi", {"n": 2**32 - 2, "p": 0.5}, "edges were asked for"),
    ("barabasi_albert", {"n": 5, "k": 5}, "k must be a whole number of 1 to 4, not 5"),
    ("watts_strogatz", {"n": 9, "k": 3, "p": 0.1}, "k must be even, not 3"),
    ("watts_strogatz", {"n": 9, "k": 4, "p": "x"}, "p must be a number between 0 and 1, not 'x'"),
    ("random_regular", {"n": 5, "d": 3}, "n * d must be even, not 5 * 3"),
    ("random_regular", {"n": 5, "d": 5}, "d must be a whole number of 0 to 4, not 5"),
    ("stochastic_block", {"sizes": [1, 2], "p": [[1]]}, "p must be a 2 x 2 matrix"),
    ("stochastic_block", {"sizes": [1, 2], "p": [[0, 0.1], [0.2, 0]]}, "p[1][0] is 0.2 but p[0][1] is 0.1"),
    ("transactions", {"n": 10, "m": 50, "rings": 9}, "accounts and payments, but n is 10 and m is 50"),
    (
        "transactions",
        {"n": 10, "m": 50, "smallest": 5, "largest": 4},
        "largest must be a whole number of at",
    ),
    (
        "transactions",
        {"n": 100, "m": 50, "largest": 8, "days": 2},
        "rings of 8 payments do not fit into 2 days",
    ),
    (
        "planted_cliques",
        {"n": 10, "m": 5, "size": 4, "copies": 3},
        "3 cliques of 4 need 12 vertices",
    ),
    ("planted_cliques", {"n": 10, "m": 46}, "m must be at most 45"),
    ("cycle", {"n": 2}, "n must be a whole number of 3 to 4294967294, not 2"),
    ("grid", {"rows": 2, "cols": 3, "periodic": True}, "rows must be a whole number of 3"),
    ("grid", {"rows": 100_000, "cols": 100_000}, "rows * cols must be a whole number of 1 to 4294967294"),
    ("hypercube", {"dimension": 32}, "dimension must be"),
    ("complete_bipartite", {"a": 0, "b": 3}, "a must be a whole number of 1"),
    ("star", {"leaves": 2**33}, "leaves must be"),
    (
        "stochastic_block",
        {"sizes": "3,4", "p": [[1]]},
        "sizes cannot be the text '3,4'\n  hint: number of vertices of each block: sizes=[30, 20]",
    ),
    ("petersen", {}, "no generator is called 'petersen'"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), REFUSED)
def test_refusals_say_what_was_wrong(name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=re.escape(message)):
        gen.generate(name, arguments)
