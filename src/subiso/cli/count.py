"""`subiso count`: how many matches the patterns have."""

from __future__ import annotations

import time

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded, progress_bar, report_absent_labels

EPILOG = """\b
Examples:
  subiso count wiki-Vote.txt "(a)--(b), (b)--(c), (c)--(a)"
  subiso count wiki-Vote.txt triangle diamond K4 --format csv
  subiso count wiki-Vote.txt triangle --per vertex --output triangles.parquet
  subiso count pay.parquet "(a)-[:PAYS]->(b), (b)-->(a)" --directed --anchor a=17 --timeout 60"""


@guarded
def count(
    *,
    graph: o.GraphFile,
    patterns: o.PatternTexts,
    mode: o.ModeOption = o.Mode.monomorphism,
    induced: o.Induced = False,
    unique: o.Unique = None,
    anchor: o.Anchors = None,
    per: o.Per = None,
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
    """Count the matches of one or more patterns.

    One pattern as a table is a bare number; otherwise there is a row per pattern with its count and seconds.
    With --per there is a row per vertex or edge of the graph, and a column per pattern or role.
    """
    from subiso import api
    from subiso.cli.local import emit_local
    from subiso.cli.output import choose_format, emit

    chosen = choose_format(format, output)
    loaded = [o.load_pattern(text) for text in patterns]
    g = o.load_graph(graph, input_format, directed, read)
    rows = []
    for pattern in loaded:
        report_absent_labels(g, pattern)
        start = time.perf_counter()
        with progress_bar("counting") as progress:
            found = api.count(
                g,
                pattern,
                mode=mode.value,
                induced=induced,
                unique=unique,
                anchor=o.load_anchors(g, pattern, anchor),
                per=per,
                threads=threads,
                timeout=timeout,
                engine=engine,
                device=device,
                progress=progress,
            )
        seconds = round(time.perf_counter() - start, 6)
        rows.append({"pattern": str(pattern), "count": found, "seconds": seconds})
    if per is not None:
        emit_local(g, per, list(zip(patterns, (row["count"] for row in rows), strict=True)), format, output)
    elif chosen == "table" and len(rows) == 1 and output is None:
        typer.echo(rows[0]["count"])
    else:
        emit(rows, format, output)


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(count)
