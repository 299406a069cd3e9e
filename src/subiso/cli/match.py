"""`subiso match`: list the matches of a pattern."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from subiso.cli import options as o
from subiso.cli.run import INCOMPLETE, guarded, note, progress_bar, report_absent_labels

EPILOG = """\b
Examples:
  subiso match wiki-Vote.txt triangle --limit 10
  subiso match g.parquet "(a:Person)-[e:PAYS]->(b)" --directed --edges --output pays.parquet
  subiso match g.txt diamond --columns a,c --distinct --format csv
  subiso match labelled.subiso @queries.json:3 --limit 10
  subiso match g.txt K4 --sample 1000 --seed 7 -o sample.csv"""

Limit = Annotated[int | None, typer.Option("--limit", min=0, metavar="N", help="At most so many rows.")]
Sorted = Annotated[bool, typer.Option("--sorted", help="Rows in ascending order.")]
Edges = Annotated[bool, typer.Option("--edges", help="Add a column of edge ids for every pattern edge.")]
Columns = Annotated[
    str | None, typer.Option("--columns", metavar="A,B,...", help="Only these columns, in this order.")
]
Distinct = Annotated[bool, typer.Option("--distinct", help="Equal rows once.")]
Sample = Annotated[
    int | None, typer.Option("--sample", min=0, metavar="N", help="A uniform random sample of so many rows.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Of the sample.")]
Dense = Annotated[bool, typer.Option("--dense", help="Vertex numbers 0..n-1 instead of the file's ids.")]


@guarded
def match(
    *,
    graph: o.GraphFile,
    pattern: o.PatternText,
    limit: Limit = None,
    sort: Sorted = False,
    edges: Edges = False,
    columns: Columns = None,
    distinct: Distinct = False,
    sample: Sample = None,
    seed: Seed = 0,
    dense: Dense = False,
    mode: o.ModeOption = o.Mode.monomorphism,
    induced: o.Induced = False,
    unique: o.Unique = None,
    anchor: o.Anchors = None,
    input_format: o.InputFormat = None,
    directed: o.Directed = None,
    read: o.ReadOptions = None,
    threads: o.Threads = None,
    timeout: o.Timeout = None,
    engine: o.Engine = "auto",
    device: o.Device = "auto",
    schedule: o.Schedule = None,
    output: o.Output = None,
    format: o.Format = None,
) -> None:
    """List the matches of a pattern, one row each.

    The columns are the pattern's vertices; rows are streamed. Exit code 3 says that there may be more,
    because of --limit or --timeout.
    """
    from subiso import api
    from subiso.cli.output import choose_format, emit_matches

    choose_format(format, output)
    p = o.load_pattern(pattern)
    g = o.load_graph(graph, input_format, directed, read)
    report_absent_labels(g, p)
    # A bar and a table on one terminal would write over each other.
    with progress_bar("matching", show=output is not None or not sys.stdout.isatty()) as progress:
        matches = api.match(
            g,
            p,
            limit=limit,
            order="sorted" if sort else None,
            edges=edges,
            columns=None if columns is None else [name.strip() for name in columns.split(",")],
            distinct=distinct,
            sample=sample,
            seed=seed,
            dense=dense,
            mode=mode.value,
            induced=induced,
            unique=unique,
            anchor=o.load_anchors(g, p, anchor),
            threads=threads,
            timeout=timeout,
            engine=engine,
            device=device,
            schedule=schedule,
            progress=progress,
        )
        rows = emit_matches(matches, format, output)
    if matches.stopped_by is not None:
        others = "more, smaller ones too" if sort and matches.stopped_by == "timeout" else "more"
        note(f"incomplete: {rows} rows, stopped by {matches.stopped_by}; there may be {others}")
        raise typer.Exit(INCOMPLETE)
    if output is not None:
        note(f"{rows} rows written to {output}")


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(match)
