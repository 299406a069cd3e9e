"""`python -m bench.storage`: storage layouts of edge-labelled graphs side by side.

Sizes (GENEVA's table 2), look-ups (its figure 8), a searched index against hash groups (GSI's table 4). What look-ups
find is checked. The exit code is 1 where the interval PCSR takes more than 0.9 times the bytes of a CSR with labels.

Prints tables; `--output FILE` writes them too. The device's part runs where there is a device, or with `--device`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent

if find_spec("subiso") is None:  # not installed: the sources beside us
    sys.path.insert(0, str(HERE.parent / "src"))

import subiso as si  # noqa: E402
from bench.checked import chosen_graphs, run_script  # noqa: E402
from subiso.bench.data import DataFolder  # noqa: E402
from subiso.bench.machine import describe  # noqa: E402
from subiso.storage.labels import LAYOUTS, LabelStorage, store_labels  # noqa: E402
from subiso.storage.partition import partitions_of  # noqa: E402
from subiso.storage.relation import Direction  # noqa: E402
from subiso.storage.renaming import renaming_of  # noqa: E402

GRAPHS = ("FB13", "WN18RR", "NELL-995", "codex-m", "ICEWS14")
BAR = 0.9
"""Of the bytes of a CSR with labels, for the interval PCSR."""
NAMES = {
    "labelled_csr": "CSR + labels",
    "csr": "CSR per label",
    "compressed": "compressed",
    "label_csr": "label CSR",
    "hash_pcsr": "hash PCSR",
    "hash_tight": "hash PCSR, tight",
    "interval_pcsr": "interval PCSR",
}
TIGHT = {"groups_per_list": 1 / 8}
_JOINS = 200_000
_REPEATS = 3

Row = Sequence[str]
Part = tuple[int, Direction]


@dataclass(frozen=True, eq=False)
class Workload:
    """Vertices to look up, by label and direction."""

    vertices: dict[Part, Any]

    @property
    def count(self) -> int:
        return sum(map(len, self.vertices.values()))


class Case:
    """One graph in all layouts, and what is looked up in it."""

    def __init__(self, name: str, graph: si.Graph) -> None:
        self.name, self.graph = name, graph
        self.partitions = partitions_of(graph)
        self.stores: dict[str, LabelStorage] = {layout: store_labels(graph, layout) for layout in LAYOUTS}
        self.stores["hash_tight"] = store_labels(graph, "hash_pcsr", **TIGHT)

    @property
    def parts(self) -> list[Part]:
        sides = self.partitions.sides.items()
        return [(code, direction) for direction, side in sides for code in range(side.num_labels)]

    def length(self, workload: Workload) -> int:
        """Of all lists that a workload finds, by the plain CSR's offsets."""
        plain = self.stores["csr"]
        found = (plain.part(*part).find(vertices) for part, vertices in workload.vertices.items())
        return sum(int((each.end - each.begin).sum()) for each in found)

    @cached_property
    def hits(self) -> Workload:
        """Every list once, those of a label in random order."""
        rng = np.random.default_rng(1)
        return Workload({part: rng.permutation(self.partitions.lists(*part).keys) for part in self.parts})

    @cached_property
    def everyone(self) -> Workload:
        """GENEVA's: every vertex in every label's partition, found or not."""
        rng = np.random.default_rng(2)
        return Workload(dict.fromkeys(self.parts, rng.permutation(self.stores["csr"].order.all_ranks)))

    @cached_property
    def joins(self) -> Workload:
        """What a join asks: the far end of a random edge, along the label and direction of another random edge."""
        rng = np.random.default_rng(3)
        sides = list(self.partitions.sides.items())
        ends = np.concatenate([side.neighbors for _, side in sides])
        weights = [len(self.partitions.lists(*part).neighbors) for part in self.parts]
        asked = rng.choice(ends, _JOINS)
        along = rng.choice(len(self.parts), _JOINS, p=np.array(weights) / sum(weights))
        return Workload({part: asked[along == i] for i, part in enumerate(self.parts)})


def lines_of(store: LabelStorage, workload: Workload) -> float:
    """Lines of 128 bytes that a look-up reads, in the mean."""
    found = [store.part(*part).find(vertices).lines for part, vertices in workload.vertices.items()]
    return float(np.concatenate(found).mean())


def nanoseconds(store: LabelStorage, workload: Workload, expected: int) -> float:
    """Of a look-up on the host, one core: the best of a few passes."""
    parts = [(store.part(*part), vertices) for part, vertices in workload.vertices.items()]
    best = float("inf")
    for _ in range(_REPEATS):
        start = time.perf_counter()
        total = sum(part.total_length(vertices) for part, vertices in parts)
        best = min(best, time.perf_counter() - start)
        assert total == expected, (store.layout, total, expected)
    return 1e9 * best / workload.count


def megabytes(count: float) -> str:
    return f"{count / 1e6:.2f}"


def sizes(case: Case) -> Row:
    """GENEVA's table 2."""
    found = {name: store.statistics for name, store in case.stores.items()}
    interval, labelled = found["interval_pcsr"], found["labelled_csr"].bytes
    graph = case.graph
    edges = sum(len(side.neighbors) for side in case.partitions.sides.values()) // len(case.partitions.sides)
    return [
        case.name,
        f"{graph.num_vertices:,}",
        f"{edges:,}",
        str(len(case.parts) // len(case.partitions.sides)),
        *(megabytes(found[name].bytes) for name in NAMES),
        f"{interval.bytes / labelled:.3f}",
        f"{1 - interval.bytes / found['hash_pcsr'].bytes:.0%}",
        megabytes(interval.largest),
        f"{renaming_of(graph).num_sets:,}",
        f"{interval.intervals:,}",
        f"{found['hash_pcsr'].longest_chain} / {found['hash_tight'].longest_chain}",
    ]


SIZES_HEAD = (
    "graph", "vertices", "edges", "labels", *(f"{name} MB" for name in NAMES.values()), "interval / CSR + labels",
    "less than hash", "largest label, interval MB", "share sets", "intervals", "longest chain",
)  # fmt: skip


def over_layouts(
    measure: Callable[[LabelStorage, Workload], float], workload: str, digits: int
) -> Callable[[Case], Row]:
    """A row of one number per layout."""

    def row(case: Case) -> Row:
        wanted = getattr(case, workload)
        return [case.name, *(f"{measure(case.stores[name], wanted):.{digits}f}" for name in NAMES)]

    return row


def timed(workload: str) -> Callable[[Case], Row]:
    def row(case: Case) -> Row:
        wanted = getattr(case, workload)
        expected = case.length(wanted)
        return [case.name, *(f"{nanoseconds(case.stores[name], wanted, expected):.1f}" for name in NAMES)]

    return row


def table4(case: Case) -> Row:
    """GSI's table 4: a searched index (CR) against hash groups (PCSR), on the look-ups of joins."""
    wanted = case.joins
    expected = case.length(wanted)
    lines = [lines_of(case.stores[name], wanted) * wanted.count for name in ("compressed", "hash_pcsr")]
    spent = [nanoseconds(case.stores[name], wanted, expected) for name in ("compressed", "hash_pcsr")]
    return [
        case.name,
        *(f"{each / 1e3:,.0f} K" for each in lines),
        f"{1 - lines[1] / lines[0]:.0%}",
        *(f"{each:.1f}" for each in spent),
        f"{spent[0] / spent[1]:.2f}×",
    ]


TABLES: tuple[tuple[str, Sequence[str], Callable[[Case], Row]], ...] = (
    ("Sizes on a device (GENEVA, table 2)", SIZES_HEAD, sizes),
    (
        "Lines of 128 bytes per look-up, every list once",
        ("graph", *NAMES.values()),
        over_layouts(lines_of, "hits", 2),
    ),
    (
        "Lines of 128 bytes per look-up, every vertex in every label (GENEVA's figure 8 asks this)",
        ("graph", *NAMES.values()),
        over_layouts(lines_of, "everyone", 2),
    ),
    ("Nanoseconds per look-up on the host, every list once", ("graph", *NAMES.values()), timed("hits")),
    (
        "Nanoseconds per look-up on the host, every vertex in every label (GENEVA's figure 8, in kind)",
        ("graph", *NAMES.values()),
        timed("everyone"),
    ),
    (
        "A searched index against hash groups (GSI's table 4, in kind): look-ups of joins, on the host",
        ("graph", "lines, compressed", "lines, hash", "drop", "ns, compressed", "ns, hash", "speedup"),
        table4,
    ),
)
TEXT = """# Storage layouts of edge-labelled graphs ({date})

`python -m bench.storage`. "CSR + labels": one CSR with a 32-bit label beside every neighbour (look-ups read all
labels of a list); "CSR per label": n + 1 offsets per label; "compressed": sorted vertices with offsets, binary search;
"label CSR": a vertex's neighbours by label, with a directory; "hash PCSR": GSI's groups of 16 pairs, one group per
list; "tight": one per 8 lists; "interval PCSR": GENEVA's, its renaming (4 bytes per vertex) included. All layouts hold
the distinct edges of every label from both ends, offsets in 32 bits. Lines are counted exactly, from the layouts: those
that a look-up reads to find a list, not the list itself. A look-up is one vertex, label and direction; host times are
one core's, the best of {repeats} passes.

Machine: {machine}.
"""


def markdown(title: str, head: Sequence[str], rows: Sequence[Row]) -> list[str]:
    return [
        f"\n## {title}",
        "| " + " | ".join(head) + " |",
        "| --- |" + " ---: |" * (len(head) - 1),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.storage", description=__doc__)
    parser.add_argument("--graph", choices=GRAPHS, action="append", help="only these")
    parser.add_argument("--data", type=Path, help="the shared data folder")
    parser.add_argument("--device", action="store_true", help="fail where there is no device")
    parser.add_argument("--only-device", action="store_true", help="without the host's tables")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    folder = DataFolder(options.data or HERE.parent.parent / "shared" / "data")
    cases = [Case(name, folder.graph(name)) for name in chosen_graphs(folder, options.graph, GRAPHS)]
    machine = ", ".join(f"{key}: {value}" for key, value in describe().items())
    date = datetime.now(UTC).date().isoformat()
    lines: list[str] = []
    for part in parts(cases, TEXT.format(date=date, machine=machine, repeats=_REPEATS), options):
        print("\n".join(part), flush=True)
        lines += part
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ratios = [case.stores["interval_pcsr"].bytes / case.stores["labelled_csr"].bytes for case in cases]
    return int(max(ratios) > BAR)


def parts(cases: Sequence[Case], text: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """The text, then table by table."""
    yield [text.rstrip()]
    for title, head, row in () if options.only_device else TABLES:
        yield markdown(title, head, [row(case) for case in cases])
    yield from device_part(cases, required=options.device or options.only_device)


def device_part(cases: Sequence[Case], *, required: bool) -> Iterator[list[str]]:
    from subiso.engine.cuda import why_not

    reason = why_not()
    if reason is not None and not required:
        yield [f"\nThe device's part was not run: {reason}."]
        return
    from bench.gpu.timed import TimedMachine
    from bench.storage_device import device_tables

    machine = TimedMachine()
    yield [f"\nDevice: {machine.description.name}."]
    for title, head, rows in device_tables(machine, cases, machine.milliseconds):
        yield markdown(title, head, rows)


if __name__ == "__main__":
    run_script(main)
