"""Hints about columns can be pasted into a shell, whatever the columns are called."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from subiso.cli.main import app


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["Sender ID", "it's", "seed=5", "null", '"x"'])
def test_columns_of_text(name: str) -> None:
    field = '"' + name.replace('"', '""') + '"'
    Path("odd.csv").write_text(f"from,to,{field},c\n1,2,x y,3\n5,6,z,7\n")
    refused = CliRunner().invoke(app, ["info", "odd.csv"])
    typed = re.search(
        r"(--read label=.*) makes it the label, (--read columns=.*) leaves it out", refused.stderr
    )
    assert typed is not None, refused.stderr
    for options in typed.groups():
        pasted = CliRunner().invoke(app, ["info", "odd.csv", *shlex.split(options)])
        assert pasted.exit_code == 0, (options, pasted.stderr)


def test_ends() -> None:
    Path("odd.csv").write_text("Sender ID,Receiver ID,From,To\n1,2,3,4\n")
    refused = CliRunner().invoke(app, ["info", "odd.csv"]).stderr
    typed = refused.partition("say which: ")[2].partition(", for")[0].replace(", ", " ")
    assert CliRunner().invoke(app, ["info", "odd.csv", *shlex.split(typed)]).exit_code == 0, refused


def test_info_speaks_the_shells_language() -> None:
    Path("guess.csv").write_text("tx,who,whom,amount\n1,10,20,5\n2,20,30,6\n")
    said = CliRunner().invoke(app, ["info", "guess.csv"]).stdout
    assert "--read source=... and --read target=... name others" in said
