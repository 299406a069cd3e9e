"""The native text parser: the same columns and the same first error however the text is cut into blocks and
chunks.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subiso import _native
from subiso.formats.files import TextSource
from subiso.formats.text import Schema, parse, parse_ragged

LINES = st.sampled_from(
    [
        "1 2 3",
        "-4\t5  6.5",
        " 7 8 9 ",
        "",
        "   ",
        "# c",
        "%",
        "1 2",
        "1 2 3 4",
        "x 2 3",
        "1 2 nan",
        "1 2 true",
        "9223372036854775807 -9223372036854775808 0",
        "99999999999999999999 1 1",
        "é 1 1",
        "1 2 \x00",
        "-",
        "1 2 1e5",
    ]
)


def run(
    data: bytes, schemas: list[tuple[str, str, int]], threads: int, cuts: list[int], **how: object
) -> object:
    """Feeds exact copies of the blocks, so that a read past the end is seen by a sanitizer."""
    arguments = {"delimiter": "", "comments": "#%", "boundary": "", "skip": 0, **how}
    parser = _native.TableParser(schemas=schemas, threads=threads, least_chunk=1, **arguments)
    begin = 0
    for cut in [*sorted(cuts), len(data)]:
        end = data.find(b"\n", cut) + 1 or len(data)
        if end > begin and not parser.feed(np.frombuffer(bytes(data[begin:end]), np.uint8)):
            return parser.error()
        begin = max(begin, end)
    tables = parser.finish()
    return [
        (rows, [column and _plain(*column[:3]) for column in columns]) for rows, columns in tables
    ], parser.lines()


def _plain(
    kind: str, values: np.ndarray, names: list[str]
) -> tuple[str, list[object], list[str | None] | None]:
    texts = [names[i] if i < len(names) else None for i in values] if kind == "s" else None
    return kind, [None if value != value else value for value in values.tolist()], texts  # noqa: PLR0124


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=12), st.booleans(), st.booleans(), st.data())
def test_cuts_do_not_matter(lines: list[str], crlf: bool, final: bool, data: st.DataObject) -> None:
    text = ("\r\n" if crlf else "\n").join(lines).encode() + (b"\n" if final else b"")
    kinds = data.draw(st.sampled_from(["iin", "iim", "tsn", "i-s", "nnn", "mmm"]))
    whole = run(text, [("", kinds, 3)], 1, [])
    for threads in (1, 2, 5):
        cuts = data.draw(st.lists(st.integers(0, max(len(text) - 1, 0)), max_size=4))
        found = run(text, [("", kinds, 3)], threads, cuts)
        if kinds == "tsn" and isinstance(found, tuple) and isinstance(found[0], list):
            assert _without_codes(found) == _without_codes(whole)
        else:
            assert found == whole


def _without_codes(found: object) -> object:
    tables, lines = found  # type: ignore[misc]
    return [(rows, [c and (c[0], c[2] or c[1]) for c in columns]) for rows, columns in tables], lines


def test_first_error_wins_across_threads() -> None:
    rng = random.Random(5)
    lines = [f"{rng.randrange(1000)} {rng.randrange(1000)}" for _ in range(5000)]
    for bad in (0, 17, 2500, 4999):
        broken = [*lines]
        broken[bad] = "12 3x4"
        broken[-1] = "oops 1" if bad < 4999 else broken[-1]
        error = run("\n".join(broken).encode(), [("", "ii", 2)], 7, [])
        assert error == (1, bad + 1, 2, b"3x4", b"12 3x4")


def test_integers_at_the_limits() -> None:
    values = [2**63 - 1, -(2**63), 0, -1, 10**17, 10**18, -(10**18)]
    text = "\n".join(f"{v} {v}" for v in values).encode()
    tables, _ = run(text, [("", "ii", 2)], 1, [])  # type: ignore[misc]
    assert tables[0][1][0][1] == values
    for over in (2**63, -(2**63) - 1, 10**19, 10**40):
        assert run(f"{over} 1".encode(), [("", "ii", 2)], 1, [])[0] == 2  # type: ignore[index]
    for bad in ("", "-", "+1", "1_0", "0x1", "1.", "--1", "１"):
        assert run(f"7,{bad}".encode(), [("", "ii", 2)], 1, [], delimiter=",")[0] in (1, 10)  # type: ignore[index]


def test_missing_numbers() -> None:
    """Nothing and nan are NaN wherever they stand, beside integers, reals and truths, in whatever chunk."""
    rng = random.Random(3)
    kinds = {"i": ["5", "-7"], "f": ["0.5", "3"], "b": ["true", "false"]}
    for trial in range(200):
        kind = rng.choice("ifb")
        words = [rng.choice(["", "nan", "NaN", " ", *kinds[kind] * 3]) for _ in range(rng.randrange(1, 20))]
        text = "".join(f"1,{word}\n" for word in words).encode()
        cuts = [rng.randrange(len(text)) for _ in range(rng.randrange(3))]
        found = run(text, [("", "im", 2)], rng.choice((1, 3)), cuts, delimiter=",", comments="")
        told = {"true": 1.0, "false": 0.0}
        known = [
            told[w] if w in told else float(w) if w.strip() not in ("", "nan", "NaN") else None for w in words
        ]
        values = found[0][0][1][1]  # type: ignore[index]
        assert values[1] == known, (trial, words)
        assert values[0] == "f" or None not in known, (trial, words)


def test_integers_that_no_float_holds() -> None:
    for words, kind in ((["9007199254740993", ""], "~"), (["9007199254740993", "1"], "i"),
                        (["9007199254740992", ""], "f"), (["nan", "-9007199254740993"], "~"),
                        (["true", "", "7"], "!")):  # fmt: skip
        text = "".join(f"{word},1\n" for word in words).encode()
        for threads in (1, 2):
            found = run(text, [("", "mi", 2)], threads, [], delimiter=",", comments="")
            assert found[0][0][1][0][0] == kind, words  # type: ignore[index]


def test_tags_and_boundaries() -> None:
    data = b"t # 0\nv 0 a\nv 1 b\ne 0 1\nt # 1\nv 0 c\n"
    for threads in (1, 2, 4, 8):
        parser = _native.TableParser(
            schemas=[("v", "is", 2), ("e", "iis", 2)], delimiter="", comments="", boundary="t", skip=0,
            threads=threads, least_chunk=1,
        )  # fmt: skip
        assert parser.feed(np.frombuffer(data, np.uint8))
        assert parser.boundaries() == [(1, [0, 0], b"t # 0"), (5, [2, 1], b"t # 1")]


@pytest.mark.parametrize("block", [1, 2, 7, 64])
def test_small_blocks(tmp_path: Path, block: int) -> None:
    path = tmp_path / "g.txt"
    rng = np.random.default_rng(1)
    pairs = rng.integers(-(10**12), 10**12, (200, 2))
    path.write_bytes(
        b"\xef\xbb\xbf# top\r\n" + b"".join(b"%d\t%d\r\n" % (u, v) for u, v in pairs.tolist()).rstrip()
    )
    cells = parse(TextSource(path, block=block), [Schema("ii", 2)], comments="#").tables[0]
    assert [c and c.values.tolist() for c in cells] == pairs.T.tolist()
    values, counts, numbers = parse_ragged(TextSource(path, block=block), comments="#", skip=0)
    assert values.reshape(-1, 2).tolist() == pairs.tolist()
    assert counts.tolist() == [2] * 200
    assert numbers.tolist() == list(range(2, 202))


def test_rendering_reads_back() -> None:
    rng = random.Random(2)
    reals = np.array(
        [rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300) for _ in range(2000)] + [0.0, -0.0, 1e22, 5.0]
    )
    ints = np.array([rng.randrange(-(2**63), 2**63) for _ in reals], np.int64)
    codes = np.array([rng.choice((0, 1, 0xFFFFFFFF)) for _ in reals], np.uint32)
    text = _native.render_rows([ints, reals, (codes, [b"a", b"bb"])], "", ",", 0, len(reals))
    tables, _ = run(text, [("", "ins", 3)], 3, [], delimiter=",")  # type: ignore[misc]
    (_, found, _), (kind, numbers, _), (_, _, names) = tables[0][1]
    assert kind == "f"
    assert found == ints.tolist()
    assert numbers == reals.tolist()
    assert names == [{0: "a", 1: "bb"}.get(int(c)) for c in codes]
    with pytest.raises(ValueError, match="rows outside"):
        _native.render_rows([ints], "", ",", 0, len(ints) + 1)
    with pytest.raises(ValueError, match="a code without text"):
        _native.render_rows([(codes, [b"a"])], "", ",", 0, len(codes))
