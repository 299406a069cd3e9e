"""`subiso motifs`: the counts of all connected patterns of k vertices."""

from __future__ import annotations

from typing import Annotated

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded, progress_bar

EPILOG = """\b
Examples:
  subiso motifs wiki-Vote.txt 4
  subiso motifs wiki-Vote.txt 4 --induced --format json
  subiso motifs wiki-Vote.txt 3 --directed --directions"""

Size = Annotated[int, typer.Argument(metavar="K", min=1, help="The number of vertices.")]


@guarded
def motifs(
    *,
    graph: o.GraphFile,
    k: Size,
    induced: o.OnlyInduced = False,
    directions: o.Directions = False,
    labels: o.ByLabels = False,
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
    """Count every connected pattern of K vertices, whatever their labels and directions."""
    from subiso import census
    from subiso.cli.output import choose_format, emit

    choose_format(format, output)
    g = o.load_graph(graph, input_format, directed, read)
    with progress_bar(f"{k}-motifs") as progress:
        counts = census.motifs(
            g,
            k,
            induced=induced,
            directions=directions,
            labels=labels,
            threads=threads,
            timeout=timeout,
            engine=engine,
            device=device,
            progress=progress,
        )
    emit([{"motif": name, "count": n, "pattern": text} for name, text, n in counts.rows()], format, output)


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(motifs)
