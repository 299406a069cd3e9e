"""What new users get wrong at the shell: exit code, message, and a hint in the shell's words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import subiso as si
from subiso.cli.main import app

PAYS = "from,to,type,amount\nann,bob,PAYS,5\nbob,cid,PAYS,7\ncid,ann,OWES,9\n"

# The command, its exit code, and words that must be said, the hint's among them.
MISTAKES: list[tuple[list[str], int, list[str]]] = [
    (["count", "missing.txt", "triangle"], 1, ["error: missing.txt: no such file", "hint: check the path"]),
    (["info", "."], 1, ["is a folder", "hint: give a file"]),
    (
        ["count", "pays.csv", "(a)-->(b)"],
        1,
        [
            "but the graph is undirected",
            "hint: pass --directed, if the file leaves it open, or write -- for -->",
        ],
    ),
    (["count", "pays.csv", "(a:person)--(b)"], 1, ["no vertex labels", "hint: ", "--read vertices=FILE"]),
    (["count", "plain.txt", "(a)-[:PAYS]-(b)"], 1, ["no edge labels", "--read label=FIELD"]),
    (
        ["count", "plain.txt", "(a)--(b) WHERE a.age > 3"],
        1,
        ["no vertex column 'age'", "--read vertices=FILE"],
    ),
    (["count", "pays.csv", "trianle"], 1, ["did you mean 'triangle'?", "hint: ", "diamond"]),
    (["count", "pays.csv", "(a)->(b)"], 1, ["  (a)->(b)\n      ^", "hint: edges are -->"]),
    (["count", "pays.csv", "(a)--(b), (c)--(d)"], 1, ["the pattern is disconnected", "hint: join the parts"]),
    (["count", "pays.csv", "@nothing"], 1, ["nothing: cannot read the pattern"]),
    (
        ["count", "pays.csv", "@one.txt:1"],
        1,
        ["cannot read the pattern", "hint: @FILE:3 picks a pattern of a .json"],
    ),
    (["count", "pays.csv", "K4", "--anchor", "z=ann"], 1, ["no vertex 'z'", "hint: its vertices are a, b"]),
    (["count", "pays.csv", "K4", "--anchor", "a=zoe"], 1, ["the graph has no vertex 'zoe'", "hint: "]),
    (["count", "pays.csv", "K4", "--anchor", "a"], 1, ["expected VERTEX=ID", "--anchor a=17"]),
    (["cliques", "pays.csv", "65"], 1, ["from 1 to 64, not 65"]),
    (
        ["count", "pays.csv", "K4", "--device", "cuda"],
        1,
        ["--device cuda cannot be used", "use --device auto or --device cpu"],
    ),
    (
        ["count", "pays.csv", "K4", "--schedule", "wedge"],
        1,
        ["--schedule wedge: ", "leave --schedule out, or say --device cuda"],
    ),
    (
        ["count", "pays.csv", "K4", "--confidence", "0.9"],
        1,
        ["--confidence 0.9: --confidence is for estimates", "hint: say --approx 0.01, or leave it out"],
    ),
    (["count", "pays.csv", "K4", "--seed", "3"], 1, ["--seed 3: --seed is for estimates", "--approx 0.01"]),
    (
        ["count", "pays.csv", "K4", "--per", "vertex", "--approx", "0.1"],
        1,
        ["--per and --approx at once", "hint: local counts are exact: leave --approx out"],
    ),
    (["count", "pays.csv", "K4", "--per", "vertx"], 1, ["unknown --per vertx", "hint: count per "]),
    (
        ["count", "pays.csv", "K4", "--induced", "--mode", "homomorphism"],
        1,
        ["--induced contradicts --mode homomorphism", "hint: --induced is another way"],
    ),
    (["count", "pays.csv", "K4", "--approx", "0.1", "--engine", "reference"], 1, ["--engine reference"]),
    (
        ["match", "pays.csv", "K4", "--sample", "3", "--limit", "2"],
        1,
        ["--sample and --limit both", "hint: use one"],
    ),
    (
        ["count", "plain.txt", "(a)--(b) WHERE NOT a.age > 3"],
        1,
        ["NOT in conditions", "hint: turn the comparison round"],
    ),
    (
        ["count", "plain.txt", "(a)--(b) WHERE a.age + 1 > 3"],
        1,
        ["hint: in Python: ", "pattern.where(a=boolean_array)"],
    ),
    (
        ["motifs", "plain.txt", "3", "--directions"],
        1,
        ["hint: pass --directed", "out: subiso motifs GRAPH 3"],
    ),
    (["motifs", "plain.txt", "3", "--labels"], 1, ["hint: ", "--read vertices=FILE"]),
    (
        ["info", "text.csv"],
        1,
        ["hint: --read label=name makes it the label, --read columns='[]' leaves it out"],
    ),
    (["info", "text.csv", "--read", "columns=2"], 1, ["--read label=name makes it the label"]),
    (["info", "commented.tsv"], 1, ["hint: pass --read comments='#' (the first line looks like one)"]),
    (["count", "pays.csv", "(a)--(b)", "--anchor", "a=Ann"], 1, ["no vertex 'Ann'; did you mean 'ann'?"]),
    (["info", "text.csv", "--read", "label=1.5"], 1, ["option 'label' is 1.5; it must be a whole number or"]),
    (["info", "text.csv", "--read", "directed=true"], 2, ["directed= is said by --directed or --undirected"]),
    (["info", "text.csv", "--read", "format=csv"], 2, ["format= is said by --input-format"]),
    (["count", "pays.csv", "K4", "--engine", "fast"], 1, ["unknown engine 'fast'", "hint: the engines are"]),
    (["info", "pays.csv", "--input-format", "xml"], 1, ["format 'xml' is unknown", "hint: known: subiso"]),
    (["info", "pays.csv", "--read", "labels=2"], 1, ["option 'labels' is unknown", "hint: options of csv: "]),
    (["info", "pays.csv", "--read", "labels"], 2, ["'labels' is not NAME=VALUE"]),
    (["info", "words.txt"], 1, ["words.txt:2: ", "'x' is not an integer", "--read ids=text"]),
    (["convert", "pays.csv", "pays.docx"], 1, ["stands for no format", "hint: pass --to NAME (subiso,"]),
    (["convert", "labels.subiso", "labels.txt"], 1, ["cannot hold", "hint: --lossy leaves them out"]),
    (["verify", "pays.csv"], 1, ["pays.csv: not a .subiso file", "hint: another kind of file"]),
    (["verify", "cut.subiso"], 1, ["cut.subiso: 100 bytes are too few", "hint: the file is cut off"]),
    (
        ["generate", "rmatt"],
        1,
        ["no generator is called 'rmatt'; did you mean 'rmat'?", "hypercube, labels,"],
    ),
    (["generate", "rmatt", "scale=3", "-o", "g.txt"], 1, ["did you mean 'rmat'?", "labels, queries"]),
    (
        ["generate", "labels", "plain.txt", "kk=3", "-o", "g.subiso"],
        1,
        ["error: labels takes no argument 'kk'"],
    ),
    (["generate", "labels", "plain.txt", "-o", "g.subiso"], 1, ["error: labels needs the argument 'k'"]),
    (
        ["generate", "queries", "plain.txt", "sizes=3", "-o", "q.json"],
        1,
        ["error: queries takes no argument"],
    ),
    (
        ["generate", "rmat", "scale=3", "--directed", "-o", "g.txt"],
        2,
        ["--directed", "see: subiso generate rmat"],
    ),
    (["generate", "rmat", "scale=3", "--undirected", "-o", "g.txt"], 2, ["rmat reads no file"]),
    (["generate", "rmat", "scal=3", "-o", "g.txt"], 1, ["takes no argument 'scal'", "hint: it takes scale,"]),
    (["generate", "rmat", "scale=3"], 2, ["--output", "name the file to write"]),
    (
        ["match", "pays.csv", "K3", "--columns", "a,z"],
        1,
        ["there is no column 'z'", "hint: there are a, b, c"],
    ),
    (["match", "pays.csv", "K3", "-f", "parquet"], 2, ["parquet is binary", "--output"]),
    (["match", "pays.csv", "K3", "-f", "xml"], 2, ["'xml' is not one of table, csv"]),
    (["match", "pays.csv", "K3", "-o", "rows.xml"], 2, ["the suffix '.xml' names no format", "--format"]),
    (["count", "pays.csv", "K3", "-o", "rows.xml"], 2, ["the suffix '.xml' names no format", "--format"]),
    (["match", "pays.csv", "K3", "-o", "no/such/rows.csv"], 1, ["no/such/rows.csv: cannot write"]),
    (
        ["count", "pays.csv", "K3", "--mode", "inducd"],
        2,
        ["'inducd' is not one of 'monomorphism', 'induced'"],
    ),
    (
        ["count", "pays.csv", "(a)--(b)", "--mode", "homomorphism", "--unique"],
        1,
        ["--unique has no meaning in --mode"],
    ),
    (["count", "pays.csv"], 2, ["Missing argument 'PATTERN'"]),
    (["cuont", "pays.csv", "K3"], 2, ["No such command 'cuont'"]),
    (["count", "k300.subiso", "cycle7", "--timeout", "0.05"], 3, ["incomplete: the count was not finished"]),
    (["match", "k300.subiso", "K3", "--limit", "2"], 3, ["incomplete: 2 rows, stopped by limit"]),
    (["exists", "pays.csv", "K4"], 4, ["false"]),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pays.csv").write_text(PAYS)
    Path("plain.txt").write_text("1 2\n2 3\n")
    Path("text.csv").write_text("from,to,name\n1,2,ann\n2,3,bob\n")
    Path("commented.tsv").write_text("# by hand\n1\t2\n")
    Path("words.txt").write_text("1 2\n2 x\n")
    labelled = si.Graph.from_edges([0], [1], vertex_labels=["a", "b"])
    si.write(labelled, "labels.subiso")
    Path("cut.subiso").write_bytes(Path("labels.subiso").read_bytes()[:100])
    si.write(si.generators.complete(300), "k300.subiso")


@pytest.mark.parametrize(("command", "code", "words"), MISTAKES, ids=lambda value: str(value)[:60])
def test_mistake(command: list[str], code: int, words: list[str]) -> None:
    result = CliRunner().invoke(app, command)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    assert [word for word in words if word not in unwrapped(result.output)] == [], result.output
    assert result.stdout == "" or code in (3, 4)


def unwrapped(text: str) -> str:
    """Usage errors are broken into lines where the terminal ends; patterns and carets are not."""
    return text if "\n      ^" in text else re.sub(r"\s*\n\s*", " ", text)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(a)-[:PAY]->(b)", "note: no edge has the label 'PAY'; did you mean 'PAYS'?\n"),
        ("(a)-->(b), !(b)-[:GIVES]->(a)", "note: no edge has the label 'GIVES'\n"),
        ("(a)-[:owes]->(b)", "note: no edge has the label 'owes'; did you mean 'OWES'?\n"),
    ],
)
@pytest.mark.parametrize("command", ["count", "match", "exists", "explain"])
def test_a_label_that_nothing_carries_is_noted(command: str, pattern: str, words: str) -> None:
    result = CliRunner().invoke(app, [command, "pays.csv", pattern, "--directed"])
    assert result.stderr == words and result.exit_code in (0, 4)
