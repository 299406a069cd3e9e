"""`subiso info`: what is in a graph file."""

from __future__ import annotations

from dataclasses import replace

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded

EPILOG = """\b
Examples:
  subiso info wiki-Vote.txt
  subiso info g.parquet --directed"""


@guarded
def info(
    *,
    graph: o.GraphFile,
    input_format: o.InputFormat = None,
    directed: o.Directed = None,
    read: o.ReadOptions = None,
) -> None:
    """Show a graph's size, degrees, labels and memory."""
    from subiso.cli.words import shell_hint

    # The clean-up is a part of what `info` shows, so that reading need not tell it as well.
    found = o.load_graph(graph, input_format, directed, read, tell=False).info()
    typer.echo(str(replace(found, clean_up=tuple(map(shell_hint, found.clean_up)))))


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(info)
