"""Every error message of the room, with its caret; a last test finds messages that no case here shows."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import subiso.pattern
from subiso.errors import PatternError, PatternSyntaxError, SubisoError, UnsupportedError
from subiso.pattern import Column, Comparison, Mask, Pattern, connected_patterns

S, U = PatternSyntaxError, UnsupportedError

# The sign ¦ marks where the caret must be; it is no part of the text.
TEXT = [
    ("¦", S, "the pattern is empty"),
    ("  ¦", S, "the pattern is empty"),
    ("¦a", S, "expected a vertex such as (a), found 'a'"),
    ("¦A -> B", S, "expected a vertex such as (a)"),
    ("¦diamond", S, "expected a vertex such as (a)"),
    ("(a)--(b) ¦(c)--(b)", S, "expected ',' or the end, found '('"),
    ("(a)--(b),¦,", S, "expected a vertex such as (a), found ','"),
    ("(a¦", S, "expected ')', found the end of the text"),
    ("(a ¦b)", S, "expected ')', found 'b'"),
    ("(a)--¦", S, "expected a vertex such as (a), found the end"),
    ("(a)-¦(b)", S, "expected '-', found '('"),
    ("(a)-¦>(b)", S, "expected '-', found '>'"),
    ("(a)-¦x", S, "expected an edge, found 'x'"),
    ("(a)<¦(b)", S, "expected an edge, found '('"),
    ("(a)-[e¦(b)", S, "expected ']', found '('"),
    ("(a)-[e]¦(b)", S, "expected '-', found '('"),
    ("(a:¦)", S, "expected a label, found ')'"),
    ("(a:¦1.5)", S, "an integer label has digits only"),
    ("(a:¦99999999999999999999)", S, "an integer label must fit into 64 bits"),
    ("!¦a", S, "expected a vertex after '!'"),
    ("!(a)¦", S, "expected an edge: '!' negates an edge, not a vertex"),
    ("(a)--(b), !(a)-[¦e]->(b)", S, "a negated edge cannot have a name"),
    ("(a)-[¦a]->(b)", S, "'a' is already the name of a vertex"),
    ("(a)-[e]->(b)-[¦e]->(c)", S, "'e' is already the name of an edge"),
    ("(a)-[e]->(b)--(¦e)", S, "'e' is already the name of an edge"),
    ("(a {¦3: 4})", S, "expected the name of a property"),
    ("(a {x¦ 4})".replace("x¦ ", "x ¦"), S, "expected ':' after the name of a property"),
    ("(a {x: 4¦)", S, "expected '}'"),
    ("¦NOT (a)--(b)", S, "expected a vertex such as (a), found 'NOT'"),
    ("(a¦?)", S, "expected ')', found '?'"),
    ("(a)¦\x00", S, "unexpected character '\\x00'"),
    ("(a)¦§", S, "unexpected character '\\xa7'"),
    ('(a:¦"x)', S, "a string is not finished"),
    ("(¦`x)", S, "a quoted name is not finished"),
    ("(a) ¦/* x", S, "a comment is not finished"),
    ("(¦``)", S, "a quoted name cannot be empty"),
    ('(a:"x¦\\q")', S, "unknown escape in a string"),
    ('(a:"¦\\U00110000")', S, "unknown escape in a string"),
    ("(a) WHERE ¦", S, "expected a column such as a.age, or a constant, found the end"),
    ("(a) WHERE a.x ¦", S, "expected a comparison such as < or ="),
    ("(a) WHERE a.x = 1 ¦a.y = 2", S, "expected ',' or the end"),
    ("(a) WHERE ¦3 < 4", S, "a comparison of two constants"),
    ("(a) WHERE ¦b.x < 4", S, "'b' is neither a vertex nor a named edge"),
    ("(a) WHERE ¦b < 4", S, "'b' is neither a vertex nor a named edge"),
    ("(a) WHERE `a`¦ < 4".replace("¦ ", " ¦"), S, "expected '.' and a column"),
    ("(a) WHERE a.¦3 < 4", S, "expected the name of a column"),
    ("(a) WHERE (a.x < 4 ¦", S, "expected ')'"),
    ("(a) WHERE a.x < ¦" + "9" * 301, S, "the number is too long"),
    ("(a) WHERE " + "(" * 50 + "¦(a.x < 4", S, "conditions are nested too deeply"),
    ("(a)-[e]->(b) WHERE ¦e:X", S, "'e' is not a vertex"),
    ("".join(f"(v{i})--" for i in range(64)) + "(¦v64)", S, "a pattern has at most 64 vertices"),
    ("()--" * 64 + "(¦)", S, "a pattern has at most 64 vertices"),
    ("(a)-[¦*1..3]->(b)", U, "edges of variable length"),
    ("(a)-[:X¦*]->(b)", U, "edges of variable length"),
    ("(a)-[e¦*2]-(b)", U, "edges of variable length"),
    ("(a)-->¦+(b)", U, "edges of variable length"),
    ("(a)-->(b)¦{2}", U, "quantified paths"),
    ("(a)-->(b),¦+", U, "quantified paths"),
    ("(a¦*)", U, "repetition of vertices"),
    ("(¦(a)-->(b)){2}", U, "a path in parentheses"),
    ("(a)-->(b)\n¦| (a)", U, "alternatives of paths"),
    ("¦OPTIONAL MATCH (a)", U, "OPTIONAL MATCH"),
    ("(a)-->(b) ¦RETURN a", U, "RETURN"),
    ("(a) ¦WITH a", U, "WITH"),
    ("(a) ¦limit 3", U, "LIMIT"),
    ("(a) WHERE a.x = 1 ¦ORDER BY a", U, "ORDER BY"),
    ("¦CREATE (a)", U, "CREATE"),
    ("¦p = (a)-->(b)", U, "named paths (p = ...)"),
    ("¦shortestPath((a)-->(b))", U, "shortestPath()"),
    ("¦f((a))", U, "the function f()"),
    ("(a)--(b)--(c), ¦!(a)--(b)--(c)", U, "a negated path of several edges"),
    ("(a)-[:A¦&B]->(b)".replace("¦&B]", "&B¦]"), U, "several labels on one edge"),
    ("(a)-[:A¦:B]->(b)", U, "several labels on one edge"),
    ("(a:A|B¦&C)", U, "labels that mix | and &"),
    ("(a:¦!A)", U, "negated labels (:!A)"),
    ("(a:¦%)", U, "the label wildcard %"),
    ("(a:¦*)", U, "the label wildcard *"),
    ("(a)-[e:A|¦*]->(b)", U, "the label wildcard *"),
    ("(a:¦(A|B))", U, "parentheses in labels"),
    ("(a:¦$x)", U, "dynamic labels"),
    ("(a ¦$props)", U, "parameters ($name)"),
    ("(a {x: ¦$y})", U, "parameters ($name)"),
    ("(a)--(b {x: ¦a.x})", U, "columns as property values"),
    ("(a {x: ¦[1]})", U, "lists and maps in conditions"),
    ("(a)¦<-[e]->(b)", U, "a name or conditions on <-->"),
    ("(a)--(b), !(a)¦<-->(b)", U, "negating <-->, which is two edges"),
    ("(a)--(b)--(c), !(a)¦-[{x: 1}]->(c)", U, "conditions on a negated edge"),
    ("(a) WHERE a.x = 1 ¦OR a.x = 2", U, "OR between conditions"),
    ("(a) WHERE a.x = 1 ¦xor a.x = 2", U, "XOR between conditions"),
    ("(a) WHERE ¦NOT a.x = 1", U, "NOT in conditions"),
    ("(a) WHERE a.x = ¦NOT 1", U, "NOT in conditions"),
    ("(a)--(b) WHERE ¦(a)-->(b)", U, "a path as a condition"),
    ("(a) WHERE a.x ¦IN [1]", U, "IN in conditions"),
    ("(a)-[e WHERE e.x ¦IN [1, 2]]->(b)", U, "IN in conditions"),
    ("(a) WHERE a.x ¦IS NULL", U, "IS NULL and IS NOT NULL in conditions"),
    ("(a) WHERE a.x ¦STARTS WITH 'x'", U, "STARTS WITH in conditions"),
    ("(a) WHERE a.x ¦=~ 'x'", U, "regular expressions (=~) in conditions"),
    ("(a) WHERE a.x ¦+ 1 > 2", U, "arithmetic in conditions"),
    ("(a) WHERE a.x > 2 ¦* 3", U, "arithmetic in conditions"),
    ("(a) WHERE a.x > ¦(3)", U, "arithmetic in conditions"),
    ("(a) WHERE a.x = ¦null", U, "null in conditions"),
    ("(a) WHERE ¦id(a) = 3", U, "the function id()"),
    ("(a) WHERE ¦EXISTS {(a)}", U, "EXISTS in conditions"),
    ("(a)--(b) WHERE ¦a <> b", U, "comparing a itself"),
    ("(a) WHERE ¦a['x'] = 1", U, "subscripts in conditions"),
    ("(a) WHERE a.x¦[0] = 1", U, "subscripts in conditions"),
    ("(a) WHERE a.x¦.y = 1", U, "properties of properties"),
]

DOTMOTIF = [
    ("¦", S, "the motif has no edge"),
    ("# only a comment¦", S, "the motif has no edge"),
    ("A ¦B", S, "expected an arrow such as -> or !>"),
    ("A -¦B", S, "expected one of > + | after the first sign of an arrow"),
    ("A -> ¦3", S, "expected a vertex after the arrow"),
    ("¦-> B", S, "expected a vertex, as in A -> B"),
    ("A -> B [¦> 3]", S, "expected the name of an attribute"),
    ("A -> B [w ¦3]", S, "expected a comparison such as > or ="),
    ("A -> B [w > ¦]", S, "expected a number, a string or an attribute"),
    ("A -> B [w > 3¦", S, "expected ']'"),
    ("A -> B\n¦C.x > 3", S, "'C' is neither a vertex nor a named edge"),
    ("A -> B\nA.¦3 > 3", S, "expected the name of an attribute"),
    ("A -> B\nA[¦] > 3", S, "expected the name of an attribute"),
    ("A -> B as e\nA -> C as ¦e", S, "the name 'e' is used twice"),
    ("A -> B as ¦A", S, "the name 'A' is used twice"),
    ("A -> B as e\n¦e -> C", S, "'e' is already the name of an edge"),
    ("A !> B as ¦e", S, "a negated edge cannot have a name"),
    ("¦f(A, B)", S, "no macro is called 'f'"),
    ("f(x) { x -> A }\n¦f(A, B)", S, "the macro takes 1 names, not 2"),
    ("f(x) { x -> A }\n¦f(y) { y -> A }", S, "the macro 'f' is defined twice"),
    ("f(x, ¦x) { x -> A }", S, "the parameter 'x' stands twice"),
    ("¦f(x) { x -> A", S, "the macro 'f' is not finished"),
    ("f(¦3)", S, "expected a name"),
    ("f(A ¦B)", S, "expected ')'"),
    ('A -> B [w > ¦"x]', S, "a string is not finished"),
    ("\n".join(f"A -> v{i}" for i in range(63)) + "\nA -> ¦v63", S, "a pattern has at most 64 vertices"),
    ("A ¦=== B", U, "=== (automorphism notation)"),
    ("A ¦-- B", U, "the arrow --"),
    ("A ¦!> B [w > 3]", U, "attributes of a negated edge"),
    ("A -> B\nA.x ¦in 3", U, "the operator in"),
    ("A -> B\nA.x ¦!contains 3", U, "the operator contains"),
    ("A -> B [w = ¦A.x]", U, "other attributes inside [...]"),
    ("f(x) { ¦g(y) { y -> A } }", U, "a macro inside a macro"),
    ("f(x) { x -> A ¦f(x) } f(B)", U, "macros that call themselves"),
]


def check(make, marked, kind, message):
    text, place = marked.replace("¦", ""), marked.index("¦")
    with pytest.raises(kind) as caught:
        make(text)
    lines = caught.value.message.split("\n")
    assert message in lines[0]
    assert lines[-1].strip() == "^"
    # The caret stands under the character it means, also where a long line was cut.
    column = lines[-1].index("^")
    under = text[place] if place < len(text) and text[place] not in "\n" else ""
    assert lines[-2][column : column + 1].strip() == under.strip()
    start = text.rfind("\n", 0, place) + 1
    if place - start <= 100:
        assert column - 2 == place - start
    if kind is S:
        assert (caught.value.text, caught.value.position) == (text, place)


@pytest.mark.parametrize(("marked", "kind", "message"), TEXT)
def test_text(marked, kind, message):
    check(Pattern, marked, kind, message)


@pytest.mark.parametrize(("marked", "kind", "message"), DOTMOTIF)
def test_dotmotif(marked, kind, message):
    check(Pattern.from_dotmotif, marked, kind, message)


def test_a_condition_of_where():
    check(Pattern("(a)").where, "a.x > 3 ¦b", S, "expected AND or the end")
    check(Pattern("(a)").where, "¦a:X", U, "labels in conditions")


def test_the_whole_message():
    with pytest.raises(PatternSyntaxError) as caught:
        Pattern("(a)-->(b),\n(b)-[*]->(c)\n".replace("*", "?"))
    assert str(caught.value) == "expected ']', found '?'\n  (b)-[?]->(c)\n       ^"
    with pytest.raises(UnsupportedError) as caught:
        Pattern("(a)-[*2]->(b)")
    assert str(caught.value) == (
        "not supported: edges of variable length\n  (a)-[*2]->(b)\n       ^\n"
        "  hint: write every edge out: (a)-->()-->(b)"
    )


@pytest.mark.parametrize("text", ["(a:*)", "(a:%)", "(a)-[:*]-(b)", "(a)-[:%]->(b)", "(a)--(b) WHERE a:*"])
def test_a_wildcard_is_a_label_left_out(text):
    with pytest.raises(
        UnsupportedError, match=r"hint: a vertex or an edge without a label matches any: \(a\), -- or"
    ):
        Pattern(text)


def build(**options):
    return lambda: Pattern.from_edges([(0, 1), (1, 2)], **options)


def compare(*parts):
    return lambda: Pattern("(a)-[e]->(b)").where(Comparison(*parts))


long = np.ones(4, dtype=bool)
PLAIN = [
    (lambda: Pattern(3), "a pattern is made from text, not from int"),
    (lambda: Pattern.from_dotmotif(3), "a motif is text, not int"),
    (lambda: Pattern("(a)" + " " * 200_000), "the pattern's text has 200003 characters"),
    (lambda: Pattern("(a)--(b), (c)--(d)"), "the pattern is disconnected: no path from a, b to c, d"),
    (lambda: Pattern("(a)--(b), !(a)--(c)"), "the pattern is disconnected: no path from a, b to c"),
    (lambda: Pattern("(a)--(b), !(a)--(b)"), "the edge between a and b is required and negated"),
    (lambda: Pattern("(a)-->(b), !(a)--(b)"), "the edge between a and b is required and negated"),
    (lambda: Pattern("(a)-[:X]->(b), !(a)-[:X|Y]->(b)"), "the edge between a and b is required and negated"),
    (lambda: Pattern("(a)--(a), !(a)-->(a)"), "the edge between a and a is required and negated"),
    (lambda: Pattern.from_edges([]), "the pattern has no vertex"),
    (lambda: Pattern.from_edges([(0, 64)]), "the pattern has 65 vertices; at most 64"),
    (lambda: Pattern.from_edges([], names=[f"n{i}" for i in range(65)]), "the pattern has 65 vertices"),
    (lambda: Pattern.from_edges([(0, -1)]), "a vertex of a pattern is an index from 0 on, not -1"),
    (lambda: Pattern.from_edges([(0, 1.5)]), "a vertex of a pattern is an index or a name, not 1.5"),
    (lambda: Pattern.from_edges([("a", "b")], names=["a"]), "unknown vertex 'b'"),
    (lambda: Pattern.from_edges([(0, 1, 2)]), "an edge is a pair of vertices, not (0, 1, 2)"),
    (lambda: Pattern.from_edges([7]), "an edge is a pair of vertices, not 7"),
    (build(names=["a", "b"]), "2 names for 3 vertices"),
    (build(names="abc"), "names must be one string per vertex"),
    (build(names=["a", "b", ""]), "a vertex name is a string that is not empty, not ''"),
    (build(names=["a", "b", "a"]), "two vertices are called 'a'"),
    (build(vertex_labels=[1, 2]), "2 vertex labels for 3 vertices"),
    (build(vertex_labels="xyz"), "vertex_labels must have one entry per vertex, not be one string"),
    (build(vertex_labels={3: "x"}), "vertex_labels names vertex 3 of 3"),
    (build(vertex_labels=[1.5, 1, 1]), "a label is an integer or a string, not 1.5"),
    (build(vertex_labels=[True, 1, 1]), "a label is an integer or a string, not True"),
    (build(vertex_labels=[b"x", 1, 1]), "a label is an integer or a string, not b'x'"),
    (build(vertex_labels=[2**64, 1, 1]), "an integer label must fit into 64 bits"),
    (build(vertex_labels=[set(), 1, 1]), "an empty set of labels matches nothing"),
    (build(edge_labels=["x"]), "1 edge labels for 2 edges"),
    (build(edge_labels="xy"), "edge_labels must have one entry per edge, not be one string"),
    (build(edge_labels={(0, 2): "x"}), "edge_labels names (0, 2), which is not among the edges"),
    (lambda: Pattern.from_networkx(3), "expected a NetworkX graph, not int"),
    (lambda: Pattern("(a)").where(3), "a condition is text, not int"),
    (lambda: Pattern("(a)").where(b=long), "no vertex or edge is called 'b'"),
    (lambda: Pattern("(a)").where(edge=long), "the pattern has no edge for the mask edge"),
    (lambda: Pattern("(a)").where(a=[1, 2]), "a mask must be one-dimensional and boolean, not int"),
    (lambda: Pattern("(a)").where(a=[[True]]), "one-dimensional and boolean, not bool of shape (1, 1)"),
    (lambda: Pattern("(a)").where(a=[[True], [True, False]]), "a mask must be a boolean array"),
    (lambda: Mask(long) & Mask(long[:2]), "masks of different lengths cannot be combined: 4 and 2"),
    (compare(Column(0, "x"), "~", 3), "unknown comparison '~'"),
    (compare(Column(0, "x"), "<", float("nan")), "a comparison with NaN is never true"),
    (compare(Column(0, "x"), "<", None), "compared with a number, a string or a bool, not None"),
    (compare(Column(0, "x"), "<", 1 << 2000), "an integer of 2001 bits is too large to compare with"),
    (compare(Column("f", "x"), "<", 3), "'f' is neither a vertex nor a named edge of the pattern"),
    (compare(Column(2, "x"), "<", 3), "2 is neither a vertex nor a named edge of the pattern"),
    (compare(Column(0, ""), "<", 3), "a column name is a string, not empty: ''"),
    (lambda: Pattern("(a)").where(a=long).to_text(), "masks cannot be written as text: there are some on a"),
    (lambda: Pattern("(a)").to_text(masks="no"), 'masks= is "error" or "comment", not \'no\''),
    (lambda: Pattern("(a)").index("b"), "the pattern has no vertex 'b'"),
    (lambda: Pattern("(a)").index(1), "the pattern has no vertex 1; it has 1"),
    (lambda: Pattern("(a)").orbits_under([], [1, 2]), "2 colours for 1 vertices"),
    (lambda: Pattern.clique(9).automorphisms(), "the pattern has 362880 automorphisms, more than the limit"),
    (lambda: Pattern.clique(0), "the size of a clique must be an integer from 1 to 64, not 0"),
    (lambda: Pattern.hypercube(7), "a hypercube of dimension 7 has more than 64 vertices"),
    (lambda: Pattern.named("nonsense"), "no pattern is called 'nonsense'"),
    (lambda: connected_patterns(8), "all connected patterns are known of 1 to 7 vertices, not of 8"),
    (lambda: Pattern.from_dotmotif("f(x,y){x->y} g(x,y){" + "f(x,y) " * 200 + "} " + "g(A,B) " * 60),
     "the motif's macros expand to more than 20000 statements"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), PLAIN, ids=[message for _, message in PLAIN])
def test_without_text(make, message):
    with pytest.raises(PatternError, match=re.escape(message)):
        make()


def test_names_of_networkx_attributes():
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(2)
    for options, what in (({"vertex_label": "k"}, "vertex"), ({"edge_label": "k"}, "edge")):
        with pytest.raises(PatternError, match=f"no {what} of the graph has the attribute 'k'"):
            Pattern.from_networkx(graph, **options)


@pytest.mark.parametrize("make", ["pandas.Series", "polars.Series", "pyarrow.array"])
def test_columns_of_tables_are_no_masks(make):
    library, _, name = make.partition(".")
    column = getattr(pytest.importorskip(library), name)(long)
    with pytest.raises(
        PatternError, match="a mask stands in the order of the graph, a column of a table in that"
    ):
        Pattern("(a)").where(a=column)
    assert Pattern("(a)").where(a=np.asarray(column)).masks == (Mask(long),)


# Texts of calls that raise, whose message is not written there, or which only tests of internals could reach.
ELSEWHERE = {
    "'a mask stands in the order of the graph, a column of a table in that of its rows'",  # just above
    "f'no {what} of the graph has the attribute {name!r}'",  # above
    "f'an edge name is a string that is not empty, not {name!r:.80}'",  # no public way in
    "f'the name {name!r} is used twice'",
}


def raised_texts():
    for path in sorted(Path(subiso.pattern.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and node.args:
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in ("fail", "refuse", "syntax_error", "PatternError", "expect"):
                    argument = node.args[1 if name == "expect" else 0]
                    if isinstance(argument, ast.Constant | ast.JoinedStr):
                        yield path.name, argument


def shown_messages():
    motif, where = Pattern.from_dotmotif, Pattern("(a)").where
    texts = [(Pattern, case[0]) for case in TEXT] + [(motif, case[0]) for case in DOTMOTIF]
    texts += [(where, "a.x > 3 b"), (where, "a:X")]
    cases = [lambda make=make, text=text: make(text.replace("¦", "")) for make, text in texts]
    for case in cases + [make for make, _ in PLAIN]:
        with pytest.raises(SubisoError) as caught:
            case()
        yield caught.value.message


def test_every_message_is_shown_above():
    shown = list(shown_messages())
    missing = []
    for name, argument in raised_texts():
        pieces = [argument] if isinstance(argument, ast.Constant) else argument.values
        pattern = "".join(re.escape(p.value) if isinstance(p, ast.Constant) else ".*" for p in pieces)
        if not any(re.search(pattern, text) for text in shown) and ast.unparse(argument) not in ELSEWHERE:
            missing.append((name, ast.unparse(argument)))
    assert missing == []


@pytest.mark.parametrize(
    "text",
    [
        "(a:IBAN-Acc)",
        "(a:A|v1.2)-->(b)",
        "(a)-[:in/out]->(b)",
        "(a:A-)",
        "(a)--(b) WHERE a:A-B",
        "(a)--(b) WHERE a:A-B AND b:C, (b)--(c)",
        "(a WHERE a:A-B)--(b)",
    ],
)
def test_labels_of_other_characters_are_to_be_quoted(text):
    with pytest.raises(
        PatternSyntaxError, match=r'labels with other characters are quoted: \(a:"my label"\)'
    ):
        Pattern(text)


@pytest.mark.parametrize(
    "text", ["(a:A--(b)", "(a:A-->(b:B)", "(a)-[:X--(b)", "(a:A-[:X]->(b)", "(a:A<--(b)"]
)
def test_a_forgotten_bracket_is_no_label_to_quote(text):
    with pytest.raises(PatternSyntaxError) as raised:
        Pattern(text)
    assert raised.value.hint is None
