"""The `subiso` command: its list of subcommands. Nothing but typer is imported before one of them runs."""

from __future__ import annotations

import typer

from subiso.cli import (
    bench,
    cliques,
    convert,
    count,
    exists,
    explain,
    generate,
    info,
    match,
    motifs,
    significance,
    triads,
    verify,
)

EPILOG = """\b
Examples:
  subiso generate rmat scale=14 seed=1 --output rmat14.subiso
  subiso count rmat14.subiso "(a)--(b), (b)--(c), (c)--(a)"
  subiso match rmat14.subiso diamond --limit 10
  subiso COMMAND --help

\b
Exit codes:
  0    done
  1    something is wrong with the input; a line says what, another what to do
  2    wrong usage
  3    incomplete, because of --timeout or --limit
  4    `subiso exists` found no match
  130  interrupted

Results go to stdout or --output, everything else to stderr."""

app = typer.Typer(
    name="subiso",
    help="Find and count patterns in graphs.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # brackets in patterns are not markup
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (
    count,
    match,
    exists,
    motifs,
    significance,
    triads,
    cliques,
    explain,
    info,
    convert,
    generate,
    verify,
    bench,
):
    command.register(app)


def _version(value: bool) -> None:
    if value:
        from subiso import __version__

        typer.echo(f"subiso {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    pass


def main() -> None:
    """The entry point of the installed command."""
    app(prog_name="subiso")
