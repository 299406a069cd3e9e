"""`subiso triads`: the triad census of a directed graph."""

from __future__ import annotations

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded

EPILOG = """\b
Examples:
  subiso triads wiki-Vote.txt --directed
  subiso triads follows.parquet --format json"""


@guarded
def triads(
    *,
    graph: o.GraphFile,
    input_format: o.InputFormat = None,
    directed: o.Directed = None,
    read: o.ReadOptions = None,
    threads: o.Threads = None,
    timeout: o.Timeout = None,
    output: o.Output = None,
    format: o.Format = None,
) -> None:
    """Count the vertex triples of each of the 16 kinds of directed triads."""
    from subiso import census
    from subiso.cli.output import choose_format, emit

    choose_format(format, output)
    g = o.load_graph(graph, input_format, directed, read)
    counts = census.triads(g, threads=threads, timeout=timeout)
    emit([{"triad": name, "count": n, "arcs": arcs} for name, arcs, n in counts.rows()], format, output)


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(triads)
