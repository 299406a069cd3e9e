"""The public surface: what `import subiso` offers, and what it does not load."""

from __future__ import annotations

import subprocess
import sys

import pytest

import subiso


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("name", subiso.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(subiso, name) is not None and name in dir(subiso)


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        subiso.nothing  # noqa: B018


def test_heavy_packages_stay_out() -> None:
    """After import and a count no package but NumPy has been loaded."""
    code = (
        "import subiso as si, sys\n"
        "g = si.Graph.from_edges([0, 1, 2], [1, 2, 0])\n"
        "assert si.count(g, '(a)--(b), (b)--(c), (c)--(a)', engine='reference') == 1\n"
        "assert [len(r) for r in si.match(g, '(a)--(b)', engine='reference')] == [2, 2, 2]\n"
        "heavy = ('pyarrow', 'pandas', 'polars', 'networkx', 'scipy', 'igraph', 'typer', 'rich', 'asyncio')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    assert run(code) == "[]"


def test_the_package_itself_loads_nothing() -> None:
    assert run("import subiso, sys; print('numpy' in sys.modules)") == "False"


def test_star_import() -> None:
    assert run("from subiso import *; print(Graph.__name__, count.__name__)") == "Graph count"
