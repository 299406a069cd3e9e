"""Every command through typer's runner: output forms, messages, exit codes."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from subiso.cli.main import app

COMMANDS = [
    "count", "match", "exists", "motifs", "triads", "significance", "cliques", "explain", "info", "convert",
    "generate", "verify",
]  # fmt: skip
TRIANGLE = "(a)--(b), (b)--(c), (c)--(a)"


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A triangle 10 20 30 with a tail 10-40."""
    path = tmp_path / "g.txt"
    path.write_text("10 20\n20 30\n30 10\n10 40\n")
    return str(path)


@pytest.fixture
def payments(tmp_path: Path) -> str:
    path = tmp_path / "pay.csv"
    path.write_text("source,target,label\nann,bob,PAYS\nbob,ann,PAYS\nbob,cid,OWES\n")
    return str(path)


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_help_of_the_whole() -> None:
    text = run("--help").stdout
    assert all(f"  {name} " in text for name in [*COMMANDS, "bench"])
    assert "Exit codes:" in text and "130" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples(command: str) -> None:
    text = run(command, "--help").stdout
    assert "Examples:" in text and f"subiso {command} " in text


def test_version() -> None:
    assert run("--version").stdout == "subiso 0.1.0\n"


@pytest.mark.parametrize(
    "arguments",
    [["count"], ["nonsense"], ["count", "g", "p", "--mode", "x"], ["match", "g", "p", "--limit", "-1"]],
)
def test_wrong_usage(arguments: list[str]) -> None:
    run(*arguments, code=2)


# ---- count


def test_count(file: str) -> None:
    assert run("count", file, TRIANGLE).stdout == "1\n"
    assert run("count", file, "triangle", "--all").stdout == "6\n"
    assert run("count", file, "(a)--(b)--(c)", "--induced").stdout == "2\n"
    assert run("count", file, "(a)--(b)--(c)", "--mode", "homomorphism").stdout == "18\n"
    assert run("count", file, "(a)--(b)", "--anchor", "a=40").stdout == "1\n"
    assert run("count", file, "(a)--(b)", "--engine", "reference", "--threads", 1).stdout == "4\n"


def test_count_of_several(file: str) -> None:
    lines = run("count", file, "triangle", "K4", "--format", "csv").stdout.splitlines()
    assert lines[0] == "pattern,count,seconds" and lines[1].startswith('"(a)--(b), (b)--(c), (a)--(c)",1,')
    rows = json.loads(run("count", file, "triangle", "K4", "-f", "json").stdout)
    assert [row["count"] for row in rows] == [1, 0]
    table = run("count", file, "triangle", "K4").stdout.splitlines()
    assert table[0].split() == ["pattern", "count", "seconds"] and len(table) == 3
    assert len(run("count", file, "triangle", "K4", "-f", "jsonl").stdout.splitlines()) == 2


def test_count_into_a_file(file: str, tmp_path: Path) -> None:
    run("count", file, "triangle", "--output", tmp_path / "out.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").column("count").to_pylist() == [1]
    run("count", file, "triangle", "-o", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text().split()[:3] == ["pattern", "count", "seconds"]


def test_counts_beyond_arrow_are_text(tmp_path: Path) -> None:
    from subiso.cli.output import emit

    emit([{"count": 2**80}, {"count": 1}], None, tmp_path / "out.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict() == {"count": [str(2**80), "1"]}


def test_pattern_from_a_file(file: str, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(TRIANGLE)
    assert run("count", file, f"@{tmp_path / 'p.txt'}").stdout == "1\n"
    result = run("count", file, f"@{tmp_path / 'none.txt'}", code=1)
    assert "cannot read the pattern: No such file" in result.stderr


def test_count_timeout(tmp_path: Path) -> None:
    run("generate", "complete", "n=45", "-o", tmp_path / "k45.subiso")
    result = run("count", tmp_path / "k45.subiso", "K7", "--engine", "reference", "--timeout", "0.2", code=3)
    assert result.stdout == "" and "incomplete: the count was not finished within 0.2 s" in result.stderr


# ---- errors: one line and a hint


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["count", "{}", "(a:P)"], "the graph has no vertex labels\n  hint: "),
        (["count", "{}", "(a)-->(b)"], "has a direction, but the graph is undirected\n  hint: "),
        (["count", "{}", "(a"], "error: expected ')'"),
        (["count", "{}", "nonsense"], "error: no pattern is called 'nonsense'"),
        (["count", "nowhere.txt", "K4"], "error: nowhere.txt: no such file"),
        (["count", "{}", "K4", "--anchor", "a"], "error: --anchor a: expected VERTEX=ID\n  hint: "),
        (["count", "{}", "K4", "--anchor", "z=1"], "--anchor: the pattern has no vertex 'z'"),
        (["count", "{}", "K4", "--anchor", "a=99"], "the graph has no vertex 99"),
        (["count", "{}", "K4", "--anchor", "a=1", "--anchor", "a=2"], "'a' is anchored twice"),
        (["count", "{}", "K4", "--device", "cuda"], "--device cuda cannot be used"),
        (["count", "{}", "K4", "--engine", "warp"], "unknown engine 'warp'"),
        (["count", "{}", "K4", "--mode", "homomorphism", "--unique"], "--unique has no meaning"),
        (["match", "{}", "K4", "--columns", "z"], "there is no column 'z'"),
        (["match", "{}", "K4", "--sample", "1", "--limit", "1"], "--sample and --limit both"),
        (["motifs", "{}", "99"], "all connected patterns are known of 1 to 7"),
        (["cliques", "{}", "99"], "64"),
        (["info", "{}", "--read", "nonsense=1"], "option 'nonsense' is unknown"),
        (["convert", "{}", "out.xyz"], "out.xyz: the suffix stands for no format"),
        (["generate", "nonsense", "-o", "x.txt"], "no generator is called 'nonsense'"),
        (["generate", "grid", "rows=2", "-o", "x.txt"], "grid needs the argument 'cols'"),
        (["verify", "{}"], "error: "),
    ],
)
def test_errors(file: str, arguments: list[str], message: str) -> None:
    result = run(*[a.replace("{}", file) for a in arguments], code=1)
    assert message in result.stderr and "Traceback" not in result.stderr and result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "{}", "K4", "--format", "parquet"], "name a file with --output"),
        (["match", "{}", "K4", "--format", "xml"], "'xml' is not one of table"),
        (["generate", "grid", "rows=2", "cols=2"], "name the file to write"),
        (["generate", "grid", "rows", "-o", "x.txt"], "'rows' is not NAME=VALUE"),
        (["info", "{}", "--read", "loops"], "'loops' is not NAME=VALUE"),
    ],
)
def test_usage_errors(file: str, arguments: list[str], message: str) -> None:
    result = run(*[a.replace("{}", file) for a in arguments], code=2)
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_clean_up_is_reported_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("1 2\n2 1\n3 3\n2 3\n")
    result = run("count", tmp_path / "g.txt", "(a)--(b)")
    assert result.stdout == "2\n"
    assert result.stderr == "note: dropped 1 self loop\nnote: merged 1 duplicate edge\n"
    assert run("count", tmp_path / "g.txt", "(a)--(a)", "--read", "loops=keep").stdout == "1\n"


# ---- match


def test_match_as_a_table(file: str) -> None:
    assert run("match", file, "(a)--(b)", "--sorted").stdout == " a   b\n10  20\n10  30\n10  40\n20  30\n"
    assert run("match", file, "K4").stdout.split() == ["a", "b", "c", "d"]


def test_match_as_csv_and_json(file: str) -> None:
    assert run("match", file, "triangle", "-f", "csv").stdout == "a,b,c\n10,20,30\n"
    assert json.loads(run("match", file, "triangle", "-f", "json").stdout) == [{"a": 10, "b": 20, "c": 30}]
    assert json.loads(run("match", file, "triangle", "-f", "jsonl").stdout) == {"a": 10, "b": 20, "c": 30}


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.json", "out.jsonl", "out.arrow", "out.txt"])
def test_match_into_a_file(file: str, tmp_path: Path, name: str) -> None:
    result = run("match", file, "(a)--(b)", "--output", tmp_path / name)
    assert result.stdout == "" and f"4 rows written to {tmp_path / name}" in result.stderr
    assert (tmp_path / name).stat().st_size > 10


def test_match_options(file: str) -> None:
    result = run("match", file, "(a)--(b)", "--limit", 2, "--sorted", "-f", "csv", code=3)
    assert result.stdout == "a,b\n10,20\n10,30\n" and "incomplete: 2 rows, stopped by limit" in result.stderr
    assert run("match", file, "(a)--(b)", "--limit", 4).stderr == ""
    text = run("match", file, "triangle", "--columns", "b, a", "--distinct", "--sorted", "-f", "csv").stdout
    assert text.splitlines()[:2] == ["b,a", "10,20"]
    assert (
        run("match", file, "triangle", "--edges", "-f", "csv").stdout.splitlines()[0]
        == "a,b,c,a--b,b--c,a--c"
    )
    assert run("match", file, "triangle", "--dense", "-f", "csv").stdout.splitlines()[1] == "0,1,2"
    sample = run("match", file, "(a)--(b)", "--sample", 2, "--seed", 7, "-f", "csv").stdout
    assert sample == run("match", file, "(a)--(b)", "--sample", 2, "--seed", 7, "-f", "csv").stdout
    assert len(sample.splitlines()) == 3


def test_match_with_text_ids_and_labels(payments: str) -> None:
    text = run("match", payments, "(a)-[:PAYS]->(b)", "--directed", "--sorted", "-f", "jsonl").stdout
    assert [json.loads(line) for line in text.splitlines()] == [
        {"a": "ann", "b": "bob"},
        {"a": "bob", "b": "ann"},
    ]
    assert run("count", payments, "(a)-[:OWES]->(b)", "--directed", "--anchor", "b=cid").stdout == "1\n"


# ---- the others


def test_exists(file: str) -> None:
    assert run("exists", file, "triangle").stdout == "true\n"
    assert run("exists", file, "K4", code=4).stdout == "false\n"


def test_directed_motifs_and_triads(payments: str) -> None:
    lines = run("motifs", payments, 3, "--directed", "--directions", "--induced").stdout.splitlines()
    assert len(lines) == 14 and [line.split()[:2] for line in lines if " 1  " in line] == [["111U", "1"]]
    rows = json.loads(run("triads", payments, "--directed", "-f", "json").stdout)
    assert len(rows) == 16 and {row["triad"] for row in rows if row["count"]} == {"111U"}
    assert "the graph is undirected" in run("triads", payments, "--undirected", code=1).output


def test_significance(file: str) -> None:
    lines = run("significance", file, 3, "--samples", 5).stdout.splitlines()
    assert lines[0].split() == ["motif", "count", "mean", "std", "z", "p", "pattern"]
    assert [line.split()[:3] for line in lines[1:]] == [["wedge", "5", "5"], ["triangle", "1", "1"]]
    several = run("significance", file, "triangle", "(a)--(b)", "--samples", 3, "--seed", 4, "-f", "csv")
    assert len(several.stdout.splitlines()) == 3


def test_motifs(file: str) -> None:
    lines = run("motifs", file, 3, "--induced").stdout.splitlines()
    assert lines[0].split() == ["motif", "count", "pattern"]
    assert [line.split()[:2] for line in lines[1:]] == [["wedge", "2"], ["triangle", "1"]]
    rows = json.loads(run("motifs", file, 3, "-f", "json").stdout)
    assert [row["count"] for row in rows] == [5, 1]


def test_cliques(file: str) -> None:
    assert run("cliques", file, 3).stdout == "1\n"
    assert json.loads(run("cliques", file, 3, "-f", "json").stdout) == [{"k": 3, "count": 1}]


def test_info(file: str) -> None:
    text = run("info", file).stdout
    assert "vertices" in text and "edges" in text and "degree" in text


def test_generate_convert_verify(tmp_path: Path) -> None:
    first, second = tmp_path / "g.subiso", tmp_path / "g.txt"
    assert "9 vertices and 12 edges" in run("generate", "grid", "rows=3", "cols=3", "-o", first).stderr
    assert run("verify", first).stdout == f"{first}: ok\n"
    run("convert", first, second)
    assert run("count", second, "cycle4").stdout == run("count", first, "cycle4").stdout == "4\n"
    first.write_bytes(first.read_bytes()[:-10])
    run("verify", first, code=1)


def test_convert_says_what_a_format_cannot_hold(payments: str, tmp_path: Path) -> None:
    target = tmp_path / "g.metis"
    assert "lossy" in run("convert", payments, target, code=1).stderr
    run("convert", payments, target, "--lossy")
    assert target.exists()


def test_generate_lists_models_and_their_arguments() -> None:
    assert "rmat" in run("generate").stdout
    assert "rows" in run("generate", "grid").stdout


def test_bench_has_its_own_command_line() -> None:
    assert "small_cpu" in run("bench", "list").stdout


def test_estimates(tmp_path: Path) -> None:
    graph = tmp_path / "g.subiso"
    run("generate", "rmat", "scale=11", "edge_factor=8", "seed=1", "-o", graph)
    wanted = ["count", graph, "prism", "--approx", "0.1", "--seed", "1"]
    line = run(*wanted).stdout
    assert " ± " in line and line.endswith("% (95%)\n") and run(*wanted, "--threads", 1).stdout == line
    row, cheap = json.loads(run(*wanted[:3], "triangle", *wanted[3:], "--format", "json").stdout)
    assert row["low"] < row["count"] < row["high"] and 0 < row["error"] <= 0.1 and row["samples"] > 0
    assert not row["exact"] and cheap["exact"] and cheap["low"] == cheap["count"] == cheap["high"]
    assert "approx is 2" in run(*wanted[:3], "--approx", 2, code=1).stderr


def test_several_together(file: str) -> None:
    apart = json.loads(run("count", file, "triangle", "path4", "diamond", "--format", "json").stdout)
    rows = json.loads(
        run("count", file, "triangle", "path4", "diamond", "--together", "--format", "json").stdout
    )
    assert [row["count"] for row in rows] == [row["count"] for row in apart]
    assert len({row["seconds"] for row in rows}) == 1
    assert "plain counts" in run("count", file, "triangle", "--together", "--per", "vertex", code=1).stderr


def test_several_together_within_a_time(tmp_path: Path) -> None:
    target = tmp_path / "dense.txt"
    target.write_text("".join(f"{a} {b}\n" for a in range(300) for b in range(a)))
    late = run(
        "count", str(target), "path7", "cycle7", "path3", "--together", "--timeout", "1", "--format", "json",
        "--threads", "1", code=3,
    )  # fmt: skip
    assert [row["count"] for row in json.loads(late.stdout)] == [None, None, 300 * 299 * 298 // 2]
    assert "2 of 3 counts" in late.stderr


def test_several_estimates_have_seeds_of_their_own(tmp_path: Path) -> None:
    graph = tmp_path / "g.subiso"
    run("generate", "rmat", "scale=11", "edge_factor=8", "seed=1", "-o", graph)

    def lows(*patterns: str, seed: int) -> list[float]:
        options = ["--approx", "0.1", "--confidence", "0.9", "--seed", seed, "--format", "json"]
        return [row["low"] for row in json.loads(run("count", graph, *patterns, *options).stdout)]

    first, second = lows("prism", "prism", seed=7)
    assert first != second and [first] == lows("prism", seed=7) and [second] == lows("prism", seed=8)


def test_an_estimate_that_ran_out_of_time(tmp_path: Path) -> None:
    graph = tmp_path / "g.subiso"
    run("generate", "rmat", "scale=11", "edge_factor=8", "seed=1", "-o", graph)
    late = run("count", graph, "prism", "--approx", "0.000001", "--seed", "1", "--timeout", "1", code=3)
    assert "stopped by timeout" in late.stdout and "was not reached within 1 s" in late.stderr


def test_files_of_several_patterns(file: str, tmp_path: Path) -> None:
    several, one, none = (tmp_path / name for name in ("two.patterns", "one.json", "none.json"))
    several.write_text("(a)--(b)\n(a)--(b)\n")
    one.write_text('["triangle"]')
    none.write_text("[]")
    for command in ("match", "exists"):
        wrong = run(command, file, f"@{several}", code=1).stderr
        assert "the file holds 2 patterns, one is wanted" in wrong and "hint: pick one: @FILE:1 is" in wrong
    explained = run("explain", file, f"@{several}").stdout
    assert explained.startswith("set       2 patterns") and "# the same as p0" in explained
    assert "a   b   c" in run("match", file, f"@{one}").stdout
    assert "the file holds no pattern" in run("count", file, f"@{none}", code=1).stderr
    header = run(
        "count", file, f"@{several}", f"@{one}", "--per", "vertex", "--format", "csv"
    ).stdout.splitlines()[0]
    assert header == 'vertex,(a)--(b) #1,(a)--(b) #2,"(a)--(b), (b)--(c), (a)--(c)"'


def test_one_of_several_patterns_in_a_file(file: str, tmp_path: Path) -> None:
    several = tmp_path / "two.patterns"
    several.write_text("# none\nK4\n\ntriangle\n")
    assert run("match", file, f"@{several}:2", "-f", "csv").stdout == "a,b,c\n10,20,30\n"
    assert run("exists", file, f"@{several}:1", code=4).stdout == "false\n"
    assert run("count", file, f"@{several}:2").stdout == "1\n"
    assert run("explain", file, f"@{several}:2").stdout.startswith("pattern   (a)--(b), (b)--(c), (a)--(c)\n")
    for number in (0, 3):
        wrong = run("match", file, f"@{several}:{number}", code=1).stderr
        assert f"two.patterns: there is no pattern {number}\n  hint: there are 1 to 2" in wrong
    (tmp_path / "p.txt:1").write_text("triangle")
    assert "expected a vertex" in run("count", file, f"@{tmp_path / 'p.txt:1'}", code=1).stderr


def test_several_patterns_are_explained_together(file: str) -> None:
    told = run("explain", file, "house", "5cycle").stdout
    assert told.startswith("set       2 patterns") and "\np1        (a)--(b), " in told
    told = run("explain", file, "house", "5cycle", "--device", "cuda").stdout
    assert told.startswith("set       2 patterns: 2 share passes over the graph, 0 run alone\ndevice    ")
    assert run("explain", file, "house", "--device", "cuda").stdout.startswith("pattern   (a)--(b), ")
    wrong = run("explain", file, "house", "5cycle", "--anchor", "a=1", code=1).stderr
    assert "--anchor with several patterns" in wrong and "explain them one by one" in wrong
    wrong = run("explain", file, "house", "5cycle", "--schedule", "fine", code=1).stderr
    assert "schedules belong to CUDA devices" in wrong


def test_a_batch_keeps_what_was_finished(tmp_path: Path) -> None:
    graph = tmp_path / "g.subiso"
    run("generate", "complete", "n=60", "-o", graph)
    done = run(
        "count",
        graph,
        "(a)--(b)",
        "K6",
        "--engine",
        "reference",
        "--timeout",
        "1",
        "--format",
        "json",
        code=3,
    )
    assert [row["count"] for row in json.loads(done.stdout)] == [60 * 59 // 2, None]
    assert "incomplete: 1 of 2 counts were not finished" in done.stderr
    said = re.search(r"incomplete: K6: the count was not finished within 1 s \((\d+) so far\)", done.stderr)
    assert said is not None and 0 < int(said[1]) < math.comb(60, 6)
    shown = run("count", graph, "(a)--(b)", "K6", "--engine", "reference", "--timeout", "0.2", code=3).stdout
    assert re.search(r"\(e\)--\(f\) +- ", shown) and "None" not in shown


def test_sorted_rows_that_came_in_time_may_not_be_the_smallest(tmp_path: Path) -> None:
    graph = tmp_path / "g.subiso"
    run("generate", "complete", "n=60", "-o", graph)
    late = run(
        "match", graph, "K6", "--sorted", "--limit", 5, "--engine", "reference", "--timeout", "0.3", code=3
    )
    assert re.search(r"\d rows, stopped by timeout; there may be more, smaller ones too\n", late.stderr)
    few = run("match", graph, "(a)--(b)", "--sorted", "--limit", 5, code=3)
    assert "5 rows, stopped by limit; there may be more\n" in few.stderr


def test_generate_says_what_it_does_not_take(file: str, tmp_path: Path) -> None:
    message = run("generate", "rmat", "scale=3", "directed=no", "-o", tmp_path / "g.subiso", code=1).stderr
    assert "directed must be true or false, not 'no'" in message
    target = tmp_path / "x.json"
    message = run("generate", "queries", file, "size=2", "--to", "csv", "-o", target, code=2).stderr
    assert ".json or .patterns" in message and not target.exists()


def test_generate_labels_and_queries(tmp_path: Path) -> None:
    graph, marked, queries = tmp_path / "g.subiso", tmp_path / "l.subiso", tmp_path / "q.json"
    run("generate", "rmat", "scale=8", "seed=1", "-o", graph)
    run("generate", "labels", graph, "k=4", "distribution=zipf", "seed=1", "-o", marked)
    often, rare = (int(run("count", marked, f"(a:{label})").stdout) for label in (0, 3))
    assert often > rare > 0
    done = run(
        "generate", "queries", marked, "count=2", "size=[3,5]", "method=expand", "seed=1", "-o", queries
    )
    assert "4 queries written to" in done.stderr
    rows = json.loads(run("count", marked, f"@{queries}", "--format", "json").stdout)
    assert len(rows) == 4 and all(row["count"] >= 1 for row in rows)
    lines = tmp_path / "q.patterns"
    run("generate", "queries", marked, "count=2", "size=[3,5]", "method=expand", "seed=1", "-o", lines)
    again = json.loads(run("count", marked, f"@{lines}", "triangle", "--format", "json").stdout)
    assert [row["count"] for row in again[:4]] == [row["count"] for row in rows]
    assert (
        "density" in run("generate", "queries").stdout and "distribution" in run("generate", "labels").stdout
    )
    assert "takes the file of a graph first" in run("generate", "queries", "size=3", "-o", "x", code=2).stderr
    message = run("generate", "queries", marked, "sizes=3", "-o", queries, code=1).stderr
    assert "error: queries takes no argument 'sizes'" in message


def test_dotmotif_is_read(tmp_path: Path) -> None:
    arcs = tmp_path / "arcs.txt"
    arcs.write_text("1 2\n2 3\n1 3\n3 4\n")
    motif = tmp_path / "loop.motif"
    motif.write_text("# a feed-forward loop\nedge(x, y) { x -> y }\nedge(A, B)\nB -> C\nA -> C\n")
    assert run("count", arcs, "A -> B\nB -> C\nA -> C", "--directed").stdout == "1\n"
    assert run("count", arcs, f"@{motif}", "--directed").stdout == "1\n"
    assert run("count", arcs, "A -> B\nB !> A", "--directed").stdout == "4\n"
    assert run("count", arcs, "MATCH (a)-->(b)-->(c)", "--directed").stdout == "3\n"


@pytest.mark.parametrize(
    "command", ["count", "match", "exists", "motifs", "significance", "cliques", "triads"]
)
def test_help_shows_no_types_of_python_for_options(command: str) -> None:
    lines = run(command, "--help").stdout.splitlines()
    assert not [
        line for line in lines if line.lstrip().startswith("-") and ("<int" in line or "<float" in line)
    ]
