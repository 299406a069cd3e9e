"""`subiso convert`: a graph file of one format into another."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded, note

EPILOG = """\b
Examples:
  subiso convert wiki-Vote.txt wiki-Vote.subiso
  subiso convert edges.csv.gz edges.parquet --directed"""

Target = Annotated[
    str, typer.Argument(metavar="OUTPUT", help="The file to write; its suffix names the format.")
]
To = Annotated[
    str | None, typer.Option("--to", metavar="NAME", help="The output's format.  [default: from its name]")
]


@guarded
def convert(
    *,
    graph: o.GraphFile,
    output: Target,
    to: To = None,
    lossy: Annotated[bool, typer.Option("--lossy", help="Leave out what the format cannot hold.")] = False,
    input_format: o.InputFormat = None,
    directed: o.Directed = None,
    read: o.ReadOptions = None,
) -> None:
    """Read a graph and write it in another format. The .subiso format opens at once, whatever the size."""
    from subiso.formats import write

    g = o.load_graph(graph, input_format, directed, read)
    options: dict[str, Any] = {"lossy": True} if lossy else {}
    write(g, output, format=to, **options)
    note(f"{g.num_vertices} vertices and {g.num_edges} edges written to {output}")


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(convert)
