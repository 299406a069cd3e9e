"""`subiso count`: how many matches the patterns have."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from subiso.cli import options as o
from subiso.cli.run import INCOMPLETE, guarded, note, progress_bar, report_absent_labels

if TYPE_CHECKING:
    from subiso.engine.estimate import Estimate
    from subiso.graph import Graph
    from subiso.pattern import Pattern

Approx = Annotated[
    float | None,
    typer.Option("--approx", metavar="ERROR", help="Estimate, within this relative error; 0.01 is 1%."),
]
Confidence = Annotated[
    float | None,
    typer.Option(
        "--confidence",
        metavar="P",
        help="How often an estimate's interval covers the count.  [default: 0.95]",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        metavar="N",
        help="Of the estimate's random numbers; the next pattern has the next number.  [default: random]",
    ),
]
Together = Annotated[
    bool,
    typer.Option(
        "--together",
        help="Count all patterns in as few searches as pays; the timeout is for all of them.",
    ),
]

EPILOG = """\b
Examples:
  subiso count wiki-Vote.txt "(a)--(b), (b)--(c), (c)--(a)"
  subiso count wiki-Vote.txt triangle diamond K4 --format csv
  subiso count labelled.subiso @queries.json --timeout 60
  subiso count labelled.subiso @queries.json --together
  subiso count wiki-Vote.txt triangle --per vertex --output triangles.parquet
  subiso count loc-Gowalla.txt 5cycle --approx 0.01 --seed 1
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
    together: Together = False,
    approx: Approx = None,
    confidence: Confidence = None,
    seed: Seed = None,
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
    """Count the matches of one or more patterns, or estimate how many there are.

    One pattern as a table is a bare number; otherwise there is a row per pattern with its count and seconds (with
    --together those of all of them).
    With --per there is a row per vertex or edge of the graph, and a column per pattern or role.
    """
    from subiso import api
    from subiso.cli.local import emit_local
    from subiso.cli.output import choose_format, emit
    from subiso.errors import QueryError

    chosen = choose_format(format, output)
    loaded = o.load_patterns(patterns)
    g = o.load_graph(graph, input_format, directed, read)
    if together:
        if per is not None or approx is not None or anchor:
            raise QueryError("--together is for plain counts", hint="leave out --per, --approx and --anchor")
        how = {"threads": threads, "engine": engine, "device": device, "schedule": schedule}
        what = {"mode": mode.value, "induced": induced, "unique": unique}
        counted = _count_together(g, [pattern for _, pattern in loaded], timeout, **what, **how)
        emit(counted, format, output)
        if any(row["count"] is None for row in counted):
            raise typer.Exit(INCOMPLETE)
        return
    rows: list[dict[str, Any]] = []
    answers: list[Any] = []
    stopped = 0
    for number, (name, pattern) in enumerate(loaded):
        report_absent_labels(g, pattern)
        start = time.perf_counter()
        one_of_several = name if len(loaded) > 1 else None
        with progress_bar("counting") as progress, _unfinished(one_of_several, per) as unfinished:
            found: Any = None
            found = api.count(
                g,
                pattern,
                approx=approx,
                confidence=confidence,
                seed=None if seed is None else (seed + number) % 2**64,
                mode=mode.value,
                induced=induced,
                unique=unique,
                anchor=o.load_anchors(g, pattern, anchor),
                per=per,
                threads=threads,
                timeout=timeout,
                engine=engine,
                device=device,
                schedule=schedule,
                progress=progress,
            )
        seconds = round(time.perf_counter() - start, 6)
        answers.append(found)
        stopped += bool(unfinished)
        for message in unfinished:
            note(f"incomplete: {name}: {message}")
        numbers = {"count": found} if approx is None else _numbers(found)
        rows.append({"pattern": str(pattern), **numbers, "seconds": seconds})
    if per is not None:
        names = [name for name, _ in loaded]
        emit_local(g, per, list(zip(names, answers, strict=True)), format, output)
    elif chosen == "table" and len(rows) == 1 and output is None:
        typer.echo(answers[0])
    else:
        emit(rows, format, output)
    if stopped:
        note(f"incomplete: {stopped} of {len(loaded)} counts were not finished")
        raise typer.Exit(INCOMPLETE)
    if approx is not None and not all(found.complete for found in answers):
        note(f"incomplete: the error asked for was not reached within {timeout:g} s")
        raise typer.Exit(INCOMPLETE)


def _count_together(
    graph: Graph, patterns: list[Pattern], timeout: float | None, **options: Any
) -> list[dict[str, Any]]:
    """A row per pattern; those that were not finished have no count."""
    from subiso import api
    from subiso.errors import CountOverflowError, TimeoutReached

    why = ""
    for pattern in patterns:
        report_absent_labels(graph, pattern)
    start = time.perf_counter()
    with progress_bar("counting") as progress:
        try:
            found = dict(enumerate(api.count(graph, patterns, timeout=timeout, progress=progress, **options)))
        except TimeoutReached as error:
            found, why = error.finished, f"within {timeout:g} s"
        except CountOverflowError as error:
            found, why = dict(error.finished), f"as {error.message}"
    seconds = round(time.perf_counter() - start, 6)
    left = len(patterns) - len(found)
    if left:
        note(f"incomplete: {left} of {len(patterns)} counts were not finished {why}")
    return [{"pattern": str(p), "count": found.get(i), "seconds": seconds} for i, p in enumerate(patterns)]


@contextmanager
def _unfinished(name: str | None, per: str | None) -> Iterator[list[str]]:
    """One of several patterns that is not finished in time, or has more matches than can be counted, leaves the others'
    counts alone; what else is wrong with it names it."""
    from subiso.errors import CountOverflowError, SubisoError, TimeoutReached

    noted: list[str] = []
    try:
        yield noted
    except SubisoError as error:
        if name is None:
            raise
        if per is not None or not isinstance(error, TimeoutReached | CountOverflowError):
            error.message = f"{name}: {error.message}"
            raise
        noted.append(error.message)


def _numbers(found: Estimate | None) -> dict[str, Any]:
    """An estimate as columns, which are empty where there is none; a count of any kind is a whole number, so that
    columns have one type."""
    if found is None:
        return dict.fromkeys(("count", "low", "high", "error", "exact", "samples"))
    return {
        "count": int(found),
        "low": float(found.low),
        "high": float(found.high),
        "error": found.error,
        "exact": found.exact,
        "samples": found.samples,
    }


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(count)
