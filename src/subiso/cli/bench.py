"""`subiso bench`: hands its arguments to the benchmark runner, which has a command line of its own."""

from __future__ import annotations

import typer

from subiso.cli.run import guarded

# The runner parses everything itself, --help too.
SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@guarded
def bench(context: typer.Context) -> None:
    """Run the benchmark suites, beside the peers' figures."""
    from subiso.bench import main

    raise typer.Exit(main(context.args or ["--help"]))


def register(app: typer.Typer) -> None:
    app.command(context_settings=SETTINGS)(bench)
