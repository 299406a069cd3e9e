"""`subiso significance`: counts beside those of random graphs with the same degrees."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded, progress_bar

EPILOG = """\b
Examples:
  subiso significance wiki-Vote.txt 3 --induced
  subiso significance wiki-Vote.txt 3 --directed --directions --keep-mutual
  subiso significance web.parquet "(a)-->(b), (b)-->(c), (a)-->(c)" --samples 1000 --seed 7"""

What = Annotated[
    list[str],
    typer.Argument(metavar="PATTERN|K", help="Patterns, or one number: all motifs of so many vertices."),
]


@guarded
def significance(
    *,
    graph: o.GraphFile,
    what: What,
    samples: Annotated[
        int, typer.Option("--samples", min=2, metavar="N", help="How many random graphs.")
    ] = 100,
    seed: Annotated[
        int, typer.Option("--seed", min=0, metavar="N", help="The same seed gives the same answer.")
    ] = 0,
    swaps: Annotated[
        float, typer.Option("--swaps", min=0, metavar="X", help="Switches per edge in each of them.")
    ] = 10,
    induced: o.OnlyInduced = False,
    directions: o.Directions = False,
    labels: o.ByLabels = False,
    keep_mutual: Annotated[
        bool, typer.Option("--keep-mutual", help="Mutual arcs stay mutual in the random graphs.")
    ] = False,
    input_format: o.InputFormat = None,
    directed: o.Directed = None,
    read: o.ReadOptions = None,
    threads: o.Threads = None,
    timeout: o.Timeout = None,
    output: o.Output = None,
    format: o.Format = None,
) -> None:
    """Compare counts with those of random graphs with the same degrees: z-scores and p-values."""
    from subiso.chance import significance as score
    from subiso.cli.output import choose_format, emit

    chosen = choose_format(format, output)
    is_size = len(what) == 1 and what[0].isdecimal()
    patterns = int(what[0]) if is_size else [o.load_pattern(text) for text in what]
    g = o.load_graph(graph, input_format, directed, read)
    with progress_bar("random graphs") as progress:
        table = score(
            g,
            patterns,
            samples=samples,
            seed=seed,
            swaps=swaps,
            induced=induced,
            directions=directions,
            labels=labels,
            keep_mutual=keep_mutual,
            threads=threads,
            timeout=timeout,
            progress=progress,
        )
    rows = table.rows()
    if chosen in ("json", "jsonl"):  # which have no infinity
        rows = [{**row, "z": row["z"] if math.isfinite(row["z"]) else None} for row in rows]
    emit(rows, format, output)


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(significance)
