"""`subiso generate`: a seeded random or regular graph into a file."""

from __future__ import annotations

from typing import Annotated

import typer

from subiso.cli.options import load_settings
from subiso.cli.run import guarded, note

EPILOG = """\b
Examples:
  subiso generate rmat scale=16 seed=1 --output rmat16.subiso
  subiso generate grid rows=100 cols=100 -o grid.txt
  subiso generate rmat          (what it takes)
  subiso generate               (the list of models)"""

Model = Annotated[str | None, typer.Argument(metavar="MODEL", help="The generator's name.")]
Settings = Annotated[list[str] | None, typer.Argument(metavar="NAME=VALUE", help="Its arguments.")]
Target = Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")]
To = Annotated[
    str | None, typer.Option("--to", metavar="NAME", help="The file's format.  [default: from its name]")
]


@guarded
def generate(model: Model = None, settings: Settings = None, output: Target = None, to: To = None) -> None:
    """Generate a graph; the same arguments always give the same. Without --output, show what there is."""
    from subiso.graph import generators

    if model is None:
        for name in generators.GENERATORS:
            typer.echo(f"{name:20} {generators.summary(name)}")
        return
    arguments = load_settings(settings, "NAME=VALUE")
    if output is None and not arguments:
        typer.echo(generators.summary(model))
        for p in generators.parameters(model):
            typer.echo(f"  {p.name:12} {p.help}" + ("" if p.required else f"  [default: {p.default}]"))
        return
    if output is None:
        raise typer.BadParameter("name the file to write", param_hint="--output")
    from subiso.formats import write

    g = generators.generate(model, arguments)
    write(g, output, format=to)
    note(f"{g.num_vertices} vertices and {g.num_edges} edges written to {output}")


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(generate)
