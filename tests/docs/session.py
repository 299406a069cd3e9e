"""Runs a page's blocks from top to bottom in one folder: `python` as doctests, `console` as commands.

A `console` block shows commands of subiso after `$ ` and what they print; `$ cat FILE` makes the file that it
shows. Other kinds of blocks are not run.
"""

from __future__ import annotations

import doctest
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from subiso.cli.main import app

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """A fenced block: what its first line names, its text, and the line that it begins at."""

    kind: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    return [Block(m[1], m[2], page.count("\n", 0, m.start(2)) + 1) for m in _BLOCK.finditer(page)]


@dataclass
class Session:
    """The state that a page's blocks share; the caller has changed into `folder`."""

    name: str
    folder: Path
    names: dict[str, Any] = field(default_factory=dict)

    def run(self, block: Block) -> int:
        """Run one block; the number of examples in it. Raises AssertionError with both outputs."""
        if block.kind == "python":
            return self._python(block)
        return self._console(block) if block.kind == "console" else 0

    def _python(self, block: Block) -> int:
        test = doctest.DocTestParser().get_doctest(
            block.text, self.names, self.name, self.name, block.line - 1
        )
        assert test.examples, f"{self.name}:{block.line}: a python block without >>> is not tested"
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=_FLAGS)
        runner.run(test, out=report.append, clear_globs=False)
        self.names.update(test.globs)
        assert runner.failures == 0, "".join(report)
        return len(test.examples)

    def _console(self, block: Block) -> int:
        commands = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE)
        assert commands, f"{self.name}:{block.line}: a console block without $ is not tested"
        for command, shown in commands:
            words = shlex.split(command.replace("\\\n", " "))
            if words[0] == "cat":
                (self.folder / words[1]).write_text(shown)
                continue
            assert words[0] == "subiso", f"{self.name}:{block.line}: {words[0]} is not run"
            got = CliRunner().invoke(app, words[1:]).output
            same = doctest.OutputChecker().check_output(shown, got, _FLAGS)
            assert same, f"{self.name}:{block.line}: $ {command}\nshown:\n{shown}\ngot:\n{got}"
        return len(commands)
