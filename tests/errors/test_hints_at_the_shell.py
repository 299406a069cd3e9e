"""No hint that the command line can print speaks Python: every hint in the source, as a shell user would see it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import subiso
from subiso.cli.words import shell_hint, shell_message
from subiso.errors import FormatError, QueryError, UnsupportedError

SOURCE = Path(subiso.__file__).parent
# What is called from Python only: doors to other libraries, patterns from arrays, plans as JSON.
PYTHON_ONLY = re.compile(
    r"graph/(arrays|tables|attributes|ids|labels|interop)\.py|pattern/(build|interop|elements|pattern|write)\.py|"
    r"plan/|storage/"
)
# Arguments of functions as Python writes them, and calls.
PYTHON = re.compile(
    r"(?<!--read )\b(?:device|engine|schedule|mode|per|approx|confidence|seed|threads|timeout|limit|sample|directed|"
    r"lossy|induced|unique|directions|keep_mutual|format|ids|label|columns|comments|delimiter|header|source|target|index|"
    r"check_counts|loops|parallel|vertices|vertex_labels|edge_labels)=|\b(?:count|match|exists|motifs)\("
)
# Hints that only Python can follow, and say so; those for a wrong type are out of a shell's reach.
SAY_SO = (
    "boolean_array",
    "where(",
    "Pattern.",
    "Graph.",
    "decompose=",
    "mask[graph.edge_rows]",
    "edge= is",
    "anchor=",
)


def hints() -> Iterator[tuple[str, str]]:
    """Every hint that is written out in the source, `x` in the place of what is filled in."""
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        if PYTHON_ONLY.match(where):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            given = [k.value for k in node.keywords if k.arg == "hint"] if isinstance(node, ast.Call) else []
            if isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "hint" for t in node.targets):
                given.append(node.value)
            for value in given:
                yield from ((where, text) for text in texts(value))


def texts(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in value.values)
    elif isinstance(value, ast.IfExp):
        yield from texts(value.body)
        yield from texts(value.orelse)
    elif isinstance(value, ast.BinOp):
        yield from texts(value.left)


def test_there_are_hints_to_look_at() -> None:
    assert len(list(hints())) > 120


@pytest.mark.parametrize(("where", "hint"), sorted(set(hints())), ids=lambda text: text[:50])
def test_hint_speaks_the_shells_language(where: str, hint: str) -> None:
    said = shell_hint(hint)
    if any(word in said for word in SAY_SO):
        return
    assert not PYTHON.search(said), f"{where}: {said}"


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("choose by position: columns={'name': 2}", "choose by position: --read columns='{\"name\": 2}'"),
        ("label='kind' makes it the label; columns=[...] leaves it out",
         "--read label=kind makes it the label; --read columns=[...] leaves it out"),
        ('count the patterns you want with count(g, [p, q, ...], per="edge")',
         "count the patterns you want with subiso count GRAPH PATTERN... --per edge"),
        ("say which: source='Sender ID', target='seed=5', for instance",
         "say which: --read source='Sender ID', --read target=seed=5, for instance"),
        ("""label="it's" makes it the label; columns=['a b', "it's"] leaves it out""",
         """--read label='it'"'"'s' makes it the label; --read columns='["a b", "it'"'"'s"]' leaves it out"""),
        ("the ends of edges are 'format=1' and 'seed=2', the first two; source= and target= name others",
         "the ends of edges are 'format=1' and 'seed=2', the first two; "
         "--read source=... and --read target=... name others"),
        ("turn the comparison round, or pass a mask", "turn the comparison round"),
        ('use schedule="auto" or device="cpu"', "use --schedule auto or --device cpu"),
        ("DotMotif's arrows are read by Pattern.from_dotmotif",
         "in Python: DotMotif's arrows are read by Pattern.from_dotmotif"),
    ],
)  # fmt: skip
def test_translation(hint: str, said: str) -> None:
    assert shell_hint(hint) == said


def test_messages_of_files_and_texts_are_left_alone() -> None:
    """A folder may well be called `device=3`, and a pattern compare a column called `mode`."""
    file = FormatError("no such file", path="device=3/mode=x.txt")
    assert shell_message(file) == file.message
    text = UnsupportedError('NOT in conditions\n  (a)--(b) WHERE NOT a.mode="x"\n  ^')
    assert shell_message(text) == text.message
    assert shell_message(QueryError("no column 'seed=5', mode='x'")) == "no column 'seed=5', --mode x"
    assert shell_message(QueryError("anchor['a']: the graph has no vertex 7")).startswith("--anchor a: ")
