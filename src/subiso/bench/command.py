"""The command line of the benchmarks, shared by `subiso bench` and `python -m bench`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from subiso.bench.run import Face, Options, PeerResults, run_suite
from subiso.bench.suite import Suite, load_suite, suites
from subiso.errors import FormatError, SubisoError

EXAMPLES = """examples:
  %(prog)s list                                 the suites there are
  %(prog)s run                                  small_cpu where its graphs are, else self_contained
  %(prog)s run small_cpu --threads 2 --repeat 3
  %(prog)s run small_cpu --tag bar --graph wiki-Vote
  %(prog)s run small_cpu --peer-results peers.json

exit status: 0 when every count is right, 1 when one is wrong, missing or late, 2 for a wrong command
"""


def main(
    argv: Sequence[str] | None = None,
    *,
    results: Path | None = None,
    face: Face | None = None,
    program: str = "subiso bench",
) -> int:
    """Runs a command line; gives the exit status. Tables are kept in `results` unless --results says."""
    arguments = _parser(program).parse_args(argv)
    try:
        if arguments.command == "list":
            for name in suites():
                print(f"{name:16} {load_suite(name).title}")
            return 0
        return _run(arguments, results, face)
    except SubisoError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program,
        description="Run a benchmark suite: counts are checked, ours stands beside the peers'.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the suites")
    run = commands.add_parser("run", help="run a suite")
    run.add_argument("suite", nargs="?", help="name of a suite, or a TOML file")
    run.add_argument("--threads", type=_positive, help="threads of every count (default: as the suite says)")
    run.add_argument(
        "--repeat", type=_positive, default=3, help="runs per case; the best counts (default: 3)"
    )
    run.add_argument("--timeout", type=float, default=300.0, help="seconds for one count (default: 300)")
    run.add_argument("--graph", action="append", default=[], help="only this graph (may be repeated)")
    run.add_argument(
        "--case", action="append", default=[], help="only cases like this, e.g. 'K*' (may be repeated)"
    )
    run.add_argument("--tag", action="append", default=[], help="only cases with this tag (may be repeated)")
    run.add_argument(
        "--peer-results", type=Path, help="JSON of seconds measured now: {graph: {case: {peer: s}}}"
    )
    run.add_argument("--data", type=Path, help="folder of real graphs")
    run.add_argument("--results", type=Path, help="folder for the dated Markdown and JSON tables")
    run.add_argument("--no-results", action="store_true", help="keep no tables")
    run.add_argument("--no-scaling", action="store_true", help="do not run with one thread too")
    run.add_argument("--no-startup", action="store_true", help="do not measure import and matching")
    run.add_argument("--quiet", action="store_true", help="only the table")
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {value}")
    return value


def _run(arguments: argparse.Namespace, results: Path | None, face: Face | None) -> int:
    suite = _chosen_suite(arguments.suite, arguments.data)
    suite = suite.select(arguments.graph, arguments.case, arguments.tag)
    options = Options(
        threads=arguments.threads,
        repeat=arguments.repeat,
        timeout=arguments.timeout,
        scaling=not arguments.no_scaling,
        startup=not arguments.no_startup,
        peers=_peer_results(arguments.peer_results) if arguments.peer_results else {},
    )
    report = run_suite(suite, options, face, (lambda line: None) if arguments.quiet else _tell)
    print(report.text())
    folder = arguments.results or results
    if folder is not None and not arguments.no_results:
        for path in report.save(folder):
            print(f"written: {path}")
    return 1 if report.failed else 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _chosen_suite(name: str | None, data: Path | None) -> Suite:
    if name is None:
        small = load_suite("small_cpu", data) if "small_cpu" in suites() else None
        return small if small is not None and small.data.present else load_suite("self_contained")
    suite = load_suite(name, data)
    if not suite.data.present and any("shared" in source for source in suite.graphs.values()):
        raise SubisoError(
            f"the folder of real graphs that {suite.name} needs is missing",
            hint="pass its place as --data, or run the self_contained suite",
        )
    return suite


def _peer_results(path: Path) -> PeerResults:
    try:
        found: PeerResults = json.loads(path.read_text())
        for cases in found.values():
            for peers in cases.values():
                for seconds in peers.values():
                    float(str(seconds).removeprefix(">"))
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", path=str(path)) from None
    except (ValueError, AttributeError):
        raise FormatError(
            "is not a table of peers' seconds", path=str(path), hint='{"graph": {"case": {"peer": 1.5}}}'
        ) from None
    return found
