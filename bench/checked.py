"""What the benchmarks' command lines share: names are checked before anything runs, and what is wrong is one line."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from bench.graphs import is_there
from subiso.bench.data import DataFolder
from subiso.errors import SubisoError, did_you_mean


def run_script(main: Callable[[], int | None]) -> NoReturn:
    """Runs a script's main and ends the program; what is wrong with the command or its data is told in one line."""
    try:
        status = main()
    except SubisoError as error:
        hint = f" ({error.hint})" if error.hint else ""
        print(f"{sys.argv[0]}: {error.message}{hint}", file=sys.stderr)
        sys.exit(2)
    sys.exit(status or 0)


def check_folder(data: DataFolder) -> None:
    """Refuse a folder that holds no graphs."""
    if not data.present:
        raise SubisoError(
            f"{data.path} is no folder of graphs: it has no load.py",
            hint="name it with --data; bench/gpu/pack.py makes one",
        )


def check_graphs(data: DataFolder, asked: Iterable[str] | None) -> None:
    """Refuse graphs that were asked for and are not there."""
    check_folder(data)
    missing = [name for name in asked or () if not is_there(data, name)]
    if missing:
        assert data.path is not None
        there = sorted(file.stem for file in data.path.glob("*.npz"))
        raise SubisoError(f"{data.path} has no {', '.join(missing)}", hint=f"it has {', '.join(there)}")


def chosen_graphs(data: DataFolder, asked: Sequence[str] | None, own: Iterable[str]) -> list[str]:
    """The graphs that were asked for, which must be there, or those of a script's own that are."""
    own = list(own)
    if asked and list(asked) != own:
        check_graphs(data, asked)
        return list(asked)
    check_folder(data)
    found = [name for name in own if is_there(data, name)]
    if not found:
        raise SubisoError(f"{data.path} has none of {', '.join(own)}", hint="choose others with --graphs")
    return found


def check_names(kind: str, asked: Iterable[str] | None, known: Iterable[str]) -> None:
    """Refuse names that nobody knows.

    >>> check_names("pattern", ["diamnd"], ["diamond", "house"])
    Traceback (most recent call last):
    subiso.errors.SubisoError: no pattern is called 'diamnd'; did you mean 'diamond'?
      hint: there are diamond, house
    """
    known = sorted(known)
    for name in asked or ():
        if name not in known:
            raise SubisoError(
                f"no {kind} is called {name!r}{did_you_mean(name, known)}",
                hint=f"there are {', '.join(known)}",
            )


def script_parser(text: str | None) -> argparse.ArgumentParser:
    """What scripts on real graphs have in common: where those are, and where tables go."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of real graphs")
    parser.add_argument("--out", type=Path, required=True)
    return parser


def share(until: float, parts: int) -> float:
    """When one of several parts, which have the time until then together, should be done."""
    now = time.perf_counter()
    return now + (until - now) / parts
