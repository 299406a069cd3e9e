"""`subiso verify`: check every byte of a file in the memory-mapped format."""

from __future__ import annotations

from typing import Annotated

import typer

from subiso.cli.run import guarded

EPILOG = """\b
Examples:
  subiso verify wiki-Vote.subiso"""

Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Files in the .subiso format.")]


@guarded
def verify(files: Files) -> None:
    """Check .subiso files completely.

    All checksums and the structure; opening a file checks its header only.
    """
    from subiso.formats import verify as verify_file

    for path in files:
        verify_file(path)
        typer.echo(f"{path}: ok")


def register(app: typer.Typer) -> None:
    app.command(epilog=EPILOG)(verify)
