"""`subiso generate`: its help, and what it says about arguments and files in the shell's words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from subiso.cli.main import app


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text("0 1\n1 2\n2 0\n2 3\n")


def generate(*arguments: str, code: int = 0) -> Any:
    result = CliRunner().invoke(app, ["generate", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_help_with_a_name_shows_what_it_takes() -> None:
    text = generate("queries", "--help").stdout
    assert text == generate("queries").stdout == generate("queries", "g.txt", "-o", "q.json", "-h").stdout
    assert "Usage: subiso generate queries GRAPH NAME=VALUE... --output FILE\n" in text
    assert "\n  density " in text and "see: subiso generate --help" in text
    assert "GRAPH" not in generate("grid", "--help").stdout
    assert "did you mean 'rmat'?" in generate("rmatt", "--help", code=1).stderr
    assert not Path("q.json").exists()


def test_help_without_a_name_says_how_to_see_more() -> None:
    for option in ("--help", "-h"):
        text = generate(option).stdout
        assert "generate [OPTIONS] [MODEL]" in text
        assert "or what MODEL takes" in " ".join(text.split()) and "subiso generate queries --help" in text


@pytest.mark.parametrize("target", ["x.txt", "x.parquet"])
def test_a_file_without_room_for_labels(target: str) -> None:
    wrong = generate("labels", "g.txt", "k=3", "-o", target, code=1).stderr
    assert (
        "cannot hold the graph's vertex labels\n  hint: .subiso holds everything, .lg (t/v/e) labels" in wrong
    )
    assert "lossy" not in wrong
    for kept in ("x.subiso", "x.lg"):
        generate("labels", "g.txt", "k=3", "-o", kept)


def test_formats_are_named_only_where_they_hold_it_all() -> None:
    wrong = generate("transactions", "n=100", "m=200", "-o", "x.mtx", code=1).stderr
    assert wrong.endswith("\n  hint: .subiso holds everything\n")
    generate("rmat", "scale=4", "directed=true", "-o", "directed.subiso")
    wrong = generate("labels", "directed.subiso", "k=3", "-o", "x.txt", code=1).stderr
    assert wrong.endswith("\n  hint: .subiso holds everything\n")


@pytest.mark.parametrize("given", ["k=A,B,C", "k=[A,B,C]", "k=A"])
def test_how_a_list_of_labels_is_written(given: str) -> None:
    wrong = generate("labels", "g.txt", given, "-o", "x.subiso", code=1).stderr
    assert f"error: k cannot be the text {given[2:]!r}\n" in wrong
    assert """or a list of labels: k='["A", "B"]'""" in wrong
    assert """k='["A", "B"]'""" in generate("labels").stdout
    assert """k='["A", "B"]'""" in generate("labels", "g.txt", "-o", "x.subiso", code=1).stderr
    generate("labels", "g.txt", 'k=["A", "B"]', "-o", "x.subiso")


def test_how_lists_of_numbers_are_written() -> None:
    wrong = generate("queries", "g.txt", "size=2,3", "-o", "q.json", code=1).stderr
    assert "error: size cannot be the text '2,3'\n  hint: " in wrong and "size='[4, 8]'" in wrong
    assert "size='[4, 8]'" in generate("queries").stdout
    assert "p='[[0.9, 0.1], [0.1, 0.9]]'\n" in generate("stochastic_block").stdout


def test_hints_have_no_quotes_of_python() -> None:
    wrong = generate("queries", "g.txt", "size=3", "density=dense", "-o", "q.json", code=1).stderr
    assert "hint: density=any, or larger sizes" in wrong
    wrong = generate(
        "labels", "g.txt", "k=3", "distribution=zipf", "alpha=2", "-o", "x.subiso", code=1
    ).stderr
    assert wrong == "error: zipf has no alpha\n  hint: distribution=powerlaw\n"


def test_the_usual_words() -> None:
    generate("labels", "g.txt", "k=3", "distribution=power-law", "alpha=1.2", "-o", "x.subiso")
    one = generate("queries", "x.subiso", "count=1", "size=3", "method=random-walk", "-o", "q.json")
    assert one.stderr == "1 query written to q.json\n"
    assert "hint: one of uniform, zipf, powerlaw" in generate(
        "labels", "g.txt", "k=3", "distribution=power", "-o", "x.subiso", code=1
    ).stderr  # fmt: skip
