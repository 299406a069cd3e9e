"""`subiso exists`: is there a match?"""

from __future__ import annotations

import typer

from subiso.cli import options as o
from subiso.cli.run import NO_MATCH, guarded, progress_bar, report_absent_labels

EPILOG = """\b
Examples:
  subiso exists wiki-Vote.txt K12
  if subiso exists pay.parquet "(a)-->(b), (b)-->(a)" --anchor a=17; then echo mutual; fi"""


@guarded
def exists(
    *,
    graph: o.GraphFile,
    pattern: o.PatternText,
    mode: o.ModeOption = o.Mode.monomorphism,
    induced: o.Induced = False,
    anchor: o.Anchors = None,
    input_format: o.InputFormat = None,
    directed: o.Directed = None,
    read: o.ReadOptions = None,
    threads: o.Threads = None,
    timeout: o.Timeout = None,
    engine: o.Engine = "auto",
    device: o.Device = "auto",
) -> None:
    """Say whether a pattern has a match.

    Prints true and exits with 0, or prints false and exits with 4.
    """
    from subiso import api

    p = o.load_pattern(pattern)
    g = o.load_graph(graph, input_format, directed, read)
    report_absent_labels(g, p)
    with progress_bar("searching") as progress:
        found = api.exists(
            g,
            p,
            mode=mode.value,
            induced=induced,
            anchor=o.load_anchors(g, p, anchor),
            threads=threads,
            timeout=timeout,
            engine=engine,
            device=device,
            progress=progress,
        )
    typer.echo("true" if found else "false")
    if not found:
        raise typer.Exit(NO_MATCH)


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(exists)
