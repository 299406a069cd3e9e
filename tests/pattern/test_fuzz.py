"""Garbage in both languages: each text is a pattern that writes and reads back, or one of our errors."""

import random

import pytest

from subiso.errors import PatternError, UnsupportedError
from subiso.pattern import Pattern

TEXTS = [
    "(a:Person)-[:PAYS]->(b), (b)-->(c), (c)-->(a), !(a)--(c)",
    "MATCH (a:A|B:C {x: 1, y: 'z'})-[e:X|Y {w: 2.5}]->(b)<--(c) WHERE a.t < b.t AND NOT (a)-->(c)",
    "(a)-[e]->(b); (b)-[]->(c); !(a)-[]->(c)",
    '(`odd name`:"my label")--(b:3)<-->(c) // comment\n, /* more */ (c)--(d)',
    "(a)--(b)--(c)--(d)--(a) WHERE (a.x >= 1e3 AND a.y <> 'q\\n') AND 1 < b.z <= 5",
    "(a)-[*1..3]->(b) RETURN a",
    "(a)-[e WHERE e.x > 3]-(b WHERE b.y = true)",
]
MOTIFS = [
    'A -> B\nB -> C [w > 3, v != 4]\nC !> A\nA.type = "x"\nA[\'k\'] < B["k"]',
    "f(x, y) { x -> y\n y ~> x }\nf(A, B)\nf(B, C) # end\nA -| C as e; e.t <= 4",
    "A -> B; A === B; A.x in 3",
    "A -+ B as ab\nB -[T] C as bc\nab.time < bc.time",
]
PIECES = [
    *"()[]{}<>-!|&:;,.*+=~$%^?@/\\\"'`# \n\t_0123456789abcexAB",
    "--", "-->", "<--", "]->", "-[", "/*", "*/", "//", "===",
    "MATCH ", " WHERE ", " AND ", " OR ", " NOT ", "null", "true", "1e999",
    "\0", "\r", "\x0b", "\u2028", "é", "٣", "𝔸", "\ud800", "\u200b", "\\u0041", "\\U00110000",
    "(a)", "(b)--(c)", "a.x > 3", "A -> B", " as ", "in", "contains",
]  # fmt: skip


def mutated(text, random):
    for _ in range(random.randint(1, 6)):
        at = random.randint(0, len(text))
        other = random.randint(at, min(len(text), at + random.choice((1, 3, 12))))
        how = random.randrange(5)
        if how == 0:
            text = text[:at] + random.choice(PIECES) + text[at:]
        elif how == 1:
            text = text[:at] + text[other:]
        elif how == 2:
            text = text[:at] + text[at:other] * 2 + text[other:]
        elif how == 3:
            text = text[:at] + random.choice(PIECES) + text[other:]
        else:
            text = text[:at] + text[at:other][::-1] + text[other:]
    return text


def garbage(random):
    return "".join(random.choices(PIECES, k=random.randint(0, 30)))


def outcome(read, text):
    """True for a pattern, False for one of our errors; anything else fails the test with the text."""
    try:
        pattern = read(text)
    except (PatternError, UnsupportedError) as error:
        assert str(error)
        return False
    except Exception as error:
        raise AssertionError(f"{type(error).__name__} for {text!r}: {error}") from error
    assert Pattern(pattern.to_text()) == pattern, repr(text)
    assert pattern.automorphism_count() >= 1
    return True


@pytest.mark.parametrize(
    ("read", "seeds", "seed"),
    [(Pattern, TEXTS, 1), (Pattern.from_dotmotif, MOTIFS, 2)],
    ids=["text", "dotmotif"],
)
def test_ten_thousand_texts(read, seeds, seed):
    source = random.Random(seed)
    read_well = sum(outcome(read, mutated(source.choice(seeds), source)) for _ in range(15_000))
    read_well += sum(outcome(read, garbage(source)) for _ in range(5_000))
    # Both outcomes must be frequent, or the test says nothing.
    assert 1_000 < read_well < 15_000


LONG = {
    "nesting": "(a) WHERE " + "(" * 60_000,
    "closed nesting": "(a) WHERE " + "(" * 5_000 + "a.x > 3" + ")" * 5_000,
    "brackets": "(a)-" + "[" * 100_000,
    "vertices": "(" * 150_000,
    "negations": "(a) WHERE " + "NOT " * 40_000,
    "bangs": "!" * 150_000,
    "digits": "(a) WHERE a.x > " + "9" * 150_000,
    "label digits": "(a:" + "9" * 150_000 + ")",
    "number of a name": "(" + "9" * 150_000 + ")",
    "chain": "(a)" + "--(a)" * 30_000,
    "labels": "(a" + ":A|B" * 40_000 + ")",
    "different labels": "(a" + "".join(f":l{i}" for i in range(20_000)) + ")",
    "parallel edges": ", ".join(f"(a)-[:l{i}]->(b)" for i in range(8_000)),
    "named edges": ", ".join(f"(a)-[n{i}]->(b)" for i in range(8_000)),
    "comparisons": "(a) WHERE " + " AND ".join(f"a.x > {i}" for i in range(10_000)),
    "open string": '(a:"' + "x" * 150_000,
    "backslashes": '(a:"' + "\\" * 150_000 + '")',
    "backticks": "`" * 150_001,
    "open comment": "/*" * 90_000,
    "comments": "/**/" * 40_000 + "(a)",
    "white": " \n" * 90_000 + "(a)",
    "arrows": "(a)" + "<" * 100_000,
    "properties": "(a {" + "x: 1, " * 25_000 + "})",
    "path as condition": "(a) WHERE " + "(a:X) AND " * 18_000 + "a.x > 1",
    "too long": "(a)" + " " * 300_000,
}
LONG_MOTIFS = {
    "braces": "f(x) {" * 20_000,
    "calls": "f(" * 60_000,
    "arguments": "f(" + "x," * 60_000 + ")",
    "same edge": "A -> B " * 20_000,
    "doubling": "f0(x) { x -> A } "
    + " ".join(f"f{i + 1}(x) {{ f{i}(x) f{i}(x) }}" for i in range(40))
    + " f40(B)",
    "recursion": "f(x) { f(x) f(x) } f(A)",
    "indirect recursion": "f(x) { g(x) } g(x) { f(x) } A -> B f(A)",
    "clauses": "A -> B [" + "w > 3, " * 20_000,
    "hashes": "#" * 190_000,
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", LONG)
def test_long_texts_end(name):
    outcome(Pattern, LONG[name])


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", LONG_MOTIFS)
def test_long_motifs_end(name):
    outcome(Pattern.from_dotmotif, LONG_MOTIFS[name])


@pytest.mark.parametrize(
    "text", ["\0", "(\0)", "(a)\0", "\ufeff(a)", "(\u202ea)", "(a:\ud800)", '(a:"\ud800")', "（a）"]
)
def test_odd_characters(text):
    outcome(Pattern, text)
    outcome(Pattern.from_dotmotif, text)
