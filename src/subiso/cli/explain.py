"""`subiso explain`: how a query would be run."""

from __future__ import annotations

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded, report_absent_labels

EPILOG = """\b
Examples:
  subiso explain wiki-Vote.txt diamond
  subiso explain wiki-Vote.txt house 5cycle --device cuda
  subiso explain pay.parquet "(a)-[:PAYS]->(b), (b)-->(c), !(a)--(c)" --directed"""


@guarded
def explain(
    *,
    graph: o.GraphFile,
    patterns: o.PatternTexts,
    mode: o.ModeOption = o.Mode.monomorphism,
    induced: o.Induced = False,
    unique: o.Unique = None,
    anchor: o.Anchors = None,
    device: o.Device = "auto",
    schedule: o.Schedule = None,
    input_format: o.InputFormat = None,
    directed: o.Directed = None,
    read: o.ReadOptions = None,
) -> None:
    """Print the plan for a pattern, or how several are counted together.

    For one pattern its loops, restrictions and estimated sizes, and how its count is made up; for several what they
    share when `count --together` counts them. Nothing is searched.
    """
    from subiso import api
    from subiso.errors import QueryError

    loaded = [pattern for _, pattern in o.load_patterns(patterns)]
    g = o.load_graph(graph, input_format, directed, read)
    if anchor and len(loaded) > 1:
        raise QueryError("--anchor with several patterns", hint="explain them one by one, or leave it out")
    for pattern in loaded:
        report_absent_labels(g, pattern)
    anchors = o.load_anchors(g, loaded[0], anchor)
    told = api.explain(
        g,
        loaded if len(loaded) > 1 else loaded[0],
        mode=mode.value,
        induced=induced,
        unique=unique,
        anchor=anchors,
        device=device,
        schedule=schedule,
    )
    typer.echo(str(told))


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(explain)
