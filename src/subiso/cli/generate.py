"""`subiso generate`: a seeded random or regular graph, a graph with random labels, or queries cut out of a graph."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from subiso.cli import options as o
from subiso.cli.run import guarded, note

EPILOG = """\b
Examples:
  subiso generate rmat scale=16 seed=1 --output rmat16.subiso
  subiso generate grid rows=100 cols=100 -o grid.txt
  subiso generate labels wiki-Vote.txt k=16 distribution=zipf seed=1 -o labelled.subiso
  subiso generate queries labelled.subiso count=100 size=8 density=dense seed=1 -o queries.json
  subiso count labelled.subiso @queries.json
  subiso generate queries --help   (what it takes)
  subiso generate                  (the list of models)"""

Model = Annotated[
    str | None,
    typer.Argument(
        metavar="MODEL", help="The generator's name; or labels, or queries. With --help: what it takes."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME=VALUE", help="Its arguments; of labels and queries the graph's file first."),
]
Target = Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")]
To = Annotated[
    str | None, typer.Option("--to", metavar="NAME", help="The file's format.  [default: from its name]")
]
Help = Annotated[bool, typer.Option("--help", "-h", help="Show this message, or what MODEL takes, and exit.")]
FROM_A_GRAPH = ("labels", "queries")


@guarded
def generate(
    context: typer.Context,
    model: Model = None,
    settings: Settings = None,
    output: Target = None,
    to: To = None,
    input_format: o.InputFormat = None,
    directed: o.Directed = None,
    read: o.ReadOptions = None,
    help: Help = False,
) -> None:
    """Generate a graph, labels or queries; the same arguments give the same. Without --output, show what there is."""
    if model is None and help:
        typer.echo(context.get_help())
        return
    from subiso.graph import generators

    if model is None:
        for name in (*generators.GENERATORS, *FROM_A_GRAPH):
            typer.echo(f"{name:20} {generators.summary(_named(name))}")
        return
    if help or (output is None and not settings):
        _show(model)
        return
    if output is None:
        raise typer.BadParameter("name the file to write", param_hint="--output")
    if model in FROM_A_GRAPH:
        file, *rest = settings or [""]
        if not file or "=" in file:
            raise typer.BadParameter(f"{model} takes the file of a graph first", param_hint="NAME=VALUE")
        arguments = o.load_settings(rest, "NAME=VALUE")
        graph = o.load_graph(file, input_format, directed, read)
        _save(generators.call(_named(model), graph, arguments, name=model), output, to)
        return
    for value, option in ((input_format, "--input-format"), (read, "--read"), (directed, "--directed")):
        if value not in (None, []):
            raise typer.BadParameter(
                f"{model} reads no file; what it takes is NAME=VALUE, see: subiso generate {model}",
                param_hint=option,
            )
    _save(generators.generate(_named(model), o.load_settings(settings, "NAME=VALUE")), output, to)


def _named(name: str) -> Any:
    """A generator's name, or the function of a graph that a name stands for."""
    from subiso.errors import GraphError, did_you_mean
    from subiso.graph.generators import GENERATORS

    if name == "labels":
        from subiso.graph.generators import random_labels

        return random_labels
    if name == "queries":
        from subiso.queries import random_queries

        return random_queries
    if name not in GENERATORS:
        known = [*GENERATORS, *FROM_A_GRAPH]
        raise GraphError(
            f"no generator is called {name!r}{did_you_mean(name, known)}",
            hint=f"there are {', '.join(known)}",
        )
    return name


def _save(made: Any, output: str, to: str | None) -> None:
    """A graph or queries into a file."""
    if isinstance(made, list):
        from subiso.queries import write_queries

        if to is not None:
            raise typer.BadParameter(
                "queries are written as the file's name says, .json or .patterns", param_hint="--to"
            )
        write_queries(made, output)
        note(f"{len(made)} {'query' if len(made) == 1 else 'queries'} written to {output}")
        return
    from subiso.formats import write

    write(made, output, format=to)
    note(f"{made.num_vertices} vertices and {made.num_edges} edges written to {output}")


def _show(model: str) -> None:
    """What a generator takes."""
    from subiso.cli.words import shell_hint
    from subiso.graph.generators import parameters, summary

    named, reads = _named(model), model in FROM_A_GRAPH
    typer.echo(summary(named))
    typer.echo(f"Usage: subiso generate {model} {'GRAPH ' if reads else ''}NAME=VALUE... --output FILE")
    if reads:
        typer.echo(f"  {'GRAPH':13} the graph's file")
    for p in parameters(named):
        typer.echo(
            f"  {p.name:13} {shell_hint(p.help)}" + ("" if p.required else f"  [default: {p.default}]")
        )
    typer.echo("For options such as --to see: subiso generate --help")


def register(app: typer.Typer) -> None:
    # A --help of its own, which knows the model: the usual one is done before that is read.
    app.command(epilog=EPILOG, add_help_option=False)(generate)
