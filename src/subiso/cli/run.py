"""What every command shares when it runs: errors into exit codes, notes on stderr, the progress bar."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ParamSpec

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

    from subiso.graph import EdgeLabels, Graph, VertexLabels
    from subiso.pattern import Label, Pattern

P = ParamSpec("P")

INPUT_ERROR, INCOMPLETE, NO_MATCH, INTERRUPTED, BROKEN_PIPE = 1, 3, 4, 130, 141


def note(text: str) -> None:
    """Something a person may want to know and a program must not read."""
    typer.echo(text, err=True)


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Turn our errors, Ctrl-C and a closed pipe into messages and exit codes, never into a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        from subiso.errors import SubisoError, TimeoutReached

        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except TimeoutReached as error:
            note(f"incomplete: {error.message}")
            raise typer.Exit(INCOMPLETE) from None
        except SubisoError as error:
            from subiso.cli.words import shell_hint, shell_message

            takes = inspect.signature(command).parameters
            hint = f"\n  hint: {shell_hint(error.hint, takes)}" if error.hint else ""
            note(f"error: {shell_message(error)}{hint}")
            raise typer.Exit(INPUT_ERROR) from None
        except KeyboardInterrupt:
            note("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader (`head`, say) has gone; what Python still flushes at its exit must go nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            note(f"error: {where}{error.strerror or error}")
            raise typer.Exit(INPUT_ERROR) from None

    return run


def report_clean_up(graph: Graph) -> None:
    """Say what reading dropped, merged or guessed."""
    from subiso.cli.words import shell_hint

    for line in graph.report.lines():
        note(f"note: {shell_hint(line)}")


def report_absent_labels(graph: Graph, pattern: Pattern) -> None:
    """Say which labels of the pattern nothing in the graph carries: no error, but often a slip of the pen."""
    from subiso.errors import did_you_mean

    vertices, edges = graph.vertex_labels, graph.edge_labels
    wanted: list[tuple[str, Label, VertexLabels | EdgeLabels | None]] = [
        ("vertex", name, vertices) for labels in pattern.vertex_labels for some in labels for name in some
    ]
    wanted += [
        ("edge", name, edges) for e in (*pattern.edges, *pattern.anti_edges) for name in e.labels or ()
    ]
    for kind, name, known in dict.fromkeys(wanted):
        if known is not None and known.code_of(name) is None:
            note(f"note: no {kind} has the label {name!r}{did_you_mean(str(name), known.names)}")


@contextmanager
def progress_bar(what: str, *, show: bool = True) -> Iterator[Callable[[float], None] | None]:
    """A bar on stderr, on a terminal, for anything over a second; gives the callback that feeds it."""
    if not show or not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()
    bar: Progress | None = None
    task = None

    def update(done: float) -> None:
        nonlocal bar, task
        if bar is None:
            if time.monotonic() - start < 1.0 or done >= 1.0:
                return
            bar = _new_bar()
            task = bar.add_task(what, total=1.0)
            bar.start()
        assert task is not None
        bar.update(task, completed=min(1.0, done))

    try:
        yield update
    finally:
        if bar is not None:
            bar.stop()


def _new_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
