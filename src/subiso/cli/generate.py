"""`subiso generate`: a seeded random or regular graph into a file."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from subiso.cli.run import guarded, note

EPILOG = """Examples:

  subiso generate rmat scale=16 seed=1 --output rmat16.subiso

  subiso generate grid rows=100 cols=100 -o grid.txt

  subiso generate rmat          (what it takes)

  subiso generate               (the list of models)"""

Model = Annotated[str | None, typer.Argument(metavar="[MODEL]", help="The generator's name.")]
Settings = Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Its arguments.")]
Target = Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")]
To = Annotated[str | None, typer.Option("--to", metavar="NAME", help="The file's format.  [default: from its name]")]


@guarded
def generate(model: Model = None, settings: Settings = None, output: Target = None, to: To = None) -> None:
    """Generate a graph. The same arguments give the same graph everywhere; without --output, show what there is."""
    from subiso.graph import generators

    if model is None:
        for name in generators.GENERATORS:
            typer.echo(f"{name:20} {generators.summary(name)}")
        return
    arguments = _arguments(settings or [])
    if output is None and not arguments:
        typer.echo(generators.summary(model))
        for p in generators.parameters(model):
            typer.echo(f"  {p.name:12} {p.help}" + ("" if p.required else f"  [default: {p.default}]"))
        return
    if output is None:
        raise typer.BadParameter("name the file to write", param_hint="--output")
    from subiso.formats import write

    g = generators.generate(model, arguments)
    options: dict[str, Any] = {} if to is None else {"format": to}
    write(g, output, **options)
    note(f"{g.num_vertices} vertices and {g.num_edges} edges written to {output}")


def _arguments(settings: list[str]) -> dict[str, Any]:
    """`scale=16` into {"scale": 16}: values are numbers, true, false, JSON lists, or text."""
    arguments: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise typer.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="[NAME=VALUE]...")
        try:
            arguments[name] = json.loads(value.lower() if value in ("True", "False", "None") else value)
        except ValueError:
            arguments[name] = value
    return arguments


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(generate)
