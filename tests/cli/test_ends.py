"""At the shell: ends of edges that had to be guessed are noted, errors say how others are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from subiso.cli.main import app

RING = "tx,{},{},amount\n1,10,20,5\n2,20,30,6\n3,30,10,7\n"
NOTE = (
    "note: the ends of edges are the columns 'tx' and 'who', the first two; "
    "--read source=... and --read target=... name others\n"
)
CYCLE = "(a)-->(b), (b)-->(c), (c)-->(a)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("known.csv").write_text(RING.format("payer", "payee"))
    Path("guess.csv").write_text(RING.format("who", "whom"))
    Path("text.csv").write_text("tx,who,whom,sum\n1,ann,bob,5\n")


@pytest.mark.parametrize(
    ("command", "count", "said"),
    [
        (["known.csv"], "1\n", ""),
        (["guess.csv"], "0\n", NOTE),
        (["guess.csv", "--read", "source=who", "--read", "target=whom"], "1\n", ""),
    ],
)
def test_a_ring_of_payments(command: list[str], count: str, said: str) -> None:
    result = CliRunner().invoke(app, ["count", *command, CYCLE, "--directed"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, count, said)


def test_the_hint_is_typed_as_options() -> None:
    result = CliRunner().invoke(app, ["info", "text.csv"])
    assert result.exit_code == 1
    assert (
        "columns 'tx' and 'who', the first two; --read source=... and --read target=... name" in result.stderr
    )
