"""`subiso cliques`: how many cliques of k vertices there are."""

from __future__ import annotations

from typing import Annotated

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded, progress_bar

EPILOG = """\b
Examples:
  subiso cliques wiki-Vote.txt 5
  subiso cliques wiki-Vote.txt 5 --threads 1 --timeout 10"""

Size = Annotated[int, typer.Argument(metavar="K", min=1, help="The number of vertices.")]


@guarded
def cliques(
    *,
    graph: o.GraphFile,
    k: Size,
    input_format: o.InputFormat = None,
    directed: o.Directed = None,
    read: o.ReadOptions = None,
    threads: o.Threads = None,
    timeout: o.Timeout = None,
    engine: o.Engine = "auto",
    device: o.Device = "auto",
    output: o.Output = None,
    format: o.Format = None,
) -> None:
    """Count the cliques of K vertices. To list them: subiso match GRAPH cliqueK."""
    from subiso import api
    from subiso.cli.output import choose_format, emit

    chosen = choose_format(format, output)
    g = o.load_graph(graph, input_format, directed, read)
    with progress_bar(f"{k}-cliques") as progress:
        found = api.cliques(
            g, k, threads=threads, timeout=timeout, engine=engine, device=device, progress=progress
        )
    if chosen == "table" and output is None:
        typer.echo(found)
    else:
        emit([{"k": k, "count": found}], format, output)


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(cliques)
