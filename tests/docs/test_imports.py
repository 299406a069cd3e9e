"""Nothing imports upward: the order that docs/architecture.md tells of, checked in every file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2] / "src" / "subiso"
# From the ground up; a module may import from its own floor and from those below. The longest name counts.
FLOORS = (
    ("errors", "_native"),
    ("graph", "pattern"),
    (
        "formats",
        "queries",
        "storage",
        "engine.base",
        "engine.clock",
        "engine.compare",
        "engine.kinds",
        "engine.query",
        "engine.anchors",
    ),
    ("plan",),
    ("filter",),
    ("engine", "plan.explain"),
    ("result",),
    ("api", "options"),
    ("census",),
    ("chance",),
    ("bench",),
    ("cli",),
)
ABOVE_ALL = ("__init__", "__main__")
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def floor_of(module: str) -> int:
    """The floor of a module, named without `subiso.`."""
    while module not in FLOOR_OF:
        assert "." in module, f"{module} stands on no floor: add it to FLOORS"
        module = module.rpartition(".")[0]
    return FLOOR_OF[module]


def imports(file: Path) -> list[str]:
    """The modules of ours that a file imports, those inside functions included; for types only, not."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or id(node) in skipped or node.module is None:
            continue
        if node.module == "subiso":
            found += [name.name for name in node.names if name.name != "__version__"]
        elif node.module.startswith("subiso."):
            found.append(node.module.removeprefix("subiso."))
    return found


FILES = [f for f in sorted(HOME.rglob("*.py")) if f.parent != HOME or f.stem not in ABOVE_ALL]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(HOME).as_posix())
def test_nothing_imports_upward(file: Path) -> None:
    module = ".".join(file.relative_to(HOME).with_suffix("").parts).removesuffix(".__init__")
    upward = [name for name in imports(file) if floor_of(name) > floor_of(module)]
    assert upward == []


def test_graphs_and_patterns_do_not_know_each_other() -> None:
    for room, other in (("graph", "pattern"), ("pattern", "graph")):
        for file in (HOME / room).rglob("*.py"):
            assert [name for name in imports(file) if name.split(".")[0] == other] == [], file
