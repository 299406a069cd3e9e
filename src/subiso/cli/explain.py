"""`subiso explain`: how a query would be run."""

from __future__ import annotations

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded, report_absent_labels

EPILOG = """\b
Examples:
  subiso explain wiki-Vote.txt diamond
  subiso explain pay.parquet "(a)-[:PAYS]->(b), (b)-->(c), !(a)--(c)" --directed"""


@guarded
def explain(
    *,
    graph: o.GraphFile,
    pattern: o.PatternText,
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
    """Print the plan for a pattern.

    Its loops, restrictions and estimated sizes; nothing is searched.
    """
    from subiso import api

    p = o.load_pattern(pattern)
    g = o.load_graph(graph, input_format, directed, read)
    report_absent_labels(g, p)
    anchors = o.load_anchors(g, p, anchor)
    told = api.explain(
        g,
        p,
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
