"""The pattern language: what each form means, and that Cypher and GraphFrames texts read unchanged."""

import pytest

from subiso.pattern import Column, Comparison, Pattern, PatternEdge


def shape(pattern):
    """Edges and anti-edges as short tuples."""
    names = pattern.names

    def one(edge):
        line = "->" if edge.directed else "--"
        labels = None if edge.labels is None else set(edge.labels)
        return (names[edge.source], line, names[edge.target], labels)

    return [one(e) for e in pattern.edges], [one(e) for e in pattern.anti_edges]


def edges(text):
    return shape(Pattern(text))[0]


def test_the_example_of_the_front_page():
    p = Pattern("(a:Person)-[:PAYS]->(b), (b)-->(c), (c)-->(a:Rich), (c)--(d), !(d)--(b:Shop|3)")
    assert p.names == ("a", "b", "c", "d")
    assert p.vertex_labels[0] == (frozenset({"Person"}), frozenset({"Rich"}))
    assert p.vertex_labels[1:] == ((frozenset({"Shop", 3}),), (), ())
    assert shape(p)[1] == [("b", "--", "d", None)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a)-->(b)", [("a", "->", "b", None)]),
        ("(a)<--(b)", [("b", "->", "a", None)]),
        ("(a)--(b)", [("a", "--", "b", None)]),
        ("(a)<-->(b)", [("a", "->", "b", None), ("b", "->", "a", None)]),
        ("(a)-[]->(b)", [("a", "->", "b", None)]),
        ("(a)-[]-(b)", [("a", "--", "b", None)]),
        ("(a)<-[:X]-(b)", [("b", "->", "a", {"X"})]),
        ("(a)-[:X|Y|3]->(b)", [("a", "->", "b", {"X", "Y", 3})]),
        ("(a)-[:X|:Y]->(b)", [("a", "->", "b", {"X", "Y"})]),
        ('(a)-[:"my label"|`odd ``one`]->(b)', [("a", "->", "b", {"my label", "odd `one"})]),
        ("(a)-[:-7]->(b)", [("a", "->", "b", {-7})]),
        ("(a)-->(a)", [("a", "->", "a", None)]),
        ("(a) - - > (b)", [("a", "->", "b", None)]),
        ("(1)--(2)", [("1", "--", "2", None)]),
        ("(`a b`)--(2nd)", [("a b", "--", "2nd", None)]),
    ],
)
def test_edges(text, expected):
    assert edges(text) == expected


def test_chains_separators_and_comments():
    forms = [
        "(a)--(b)--(c)",
        "(a)--(b), (b)--(c)",
        "(a)--(b); (b)--(c);",
        "(a)--(b)\n(b)--(c)\n",
        "MATCH (a)--(b),\n      (b)--(c)",
        "match (a)--\n(b) MATCH (b)--(c)",
        "(a)--(b) // one\n, (b)/* two */--(c)",
    ]
    assert len({Pattern(form) for form in forms}) == 1


def test_vertices_are_numbered_by_first_appearance():
    assert Pattern("(z)--(y), (x)--(z)").names == ("z", "y", "x")
    assert Pattern("(c), (b), (a)--(b)--(c)").names == ("c", "b", "a")


def test_anonymous_vertices_get_free_names():
    assert Pattern("()-->()<--()").names == ("_0", "_1", "_2")
    assert Pattern("()--(_0)--()").names == ("_1", "_0", "_2")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("(a)", ()),
        ("(a:A)", (frozenset({"A"}),)),
        ("(a:A|B)", (frozenset({"A", "B"}),)),
        ("(a:A:B|C)", (frozenset({"A"}), frozenset({"B", "C"}))),
        ("(a:B|C:A)", (frozenset({"A"}), frozenset({"B", "C"}))),
        ("(a:A&B)", (frozenset({"A"}), frozenset({"B"}))),
        ("(a:3)", (frozenset({3}),)),
        ('(a:"3")', (frozenset({"3"}),)),
        ("(a:'x\\ty\\u00e9')", (frozenset({"x\tyé"}),)),
        ("(a:A:A)", (frozenset({"A"}),)),
        ("(a:MATCH)", (frozenset({"MATCH"}),)),
        ("(a) WHERE a:A:B", (frozenset({"A"}), frozenset({"B"}))),
        ("(a) WHERE (a:A)", (frozenset({"A"}),)),
    ],
)
def test_vertex_labels(text, labels):
    assert Pattern(text).vertex_labels == (labels,)


def test_negated_edges():
    assert shape(Pattern("(a)-->(b)-->(c), !(a)-->(c), !(c)-[:X]->(a)"))[1] == [
        ("a", "->", "c", None),
        ("c", "->", "a", {"X"}),
    ]
    assert shape(Pattern("(a)-->(b), !(a)<--(b)"))[1] == [("b", "->", "a", None)]
    written = Pattern("(a)-->(b)-->(c) WHERE NOT (a)-->(c) AND a.x > 1")
    assert written == Pattern("(a)-->(b)-->(c), !(a)-->(c) WHERE a.x > 1")


@pytest.mark.parametrize(
    "text",
    [
        "(a)-[e]->(b); (b)-[e2]->(a)",
        "(a)-[e]->(b); (b)-[e2]->(c); !(c)-[]->(a)",
        "(a)-[]->(b)",
        "()-[e]->(b)",
        "(a)-[e]->(b); (b)-[]->(c); !(a)-[]->(c)",
    ],
)
def test_graphframes_motifs_read_unchanged(text):
    p = Pattern(text)
    assert all(edge.directed for edge in p.edges + p.anti_edges)
    assert Pattern(str(p)) == p


def test_cypher_conditions():
    p = Pattern(
        "MATCH (a:Person {age:30, name: 'Ann'})-[e:PAYS {ok: true}]->(b WHERE b.x<1.5e3)-[:OWES {n: -2}]->(c)"
        " WHERE a.time < b.time <= c.time AND (e.amount >= 100 AND 3 <> c.`odd name`)"
    )
    assert (
        p.comparisons
        == (
            Comparison(Column(0, "age"), "==", 30),
            Comparison(Column(0, "name"), "==", "Ann"),
            Comparison(Column(1, "x"), "<", 1500.0),
            Comparison(Column("e", "ok"), "==", True),
            Comparison(Column("_e0", "n"), "==", -2),
            Comparison(Column(0, "time"), "<", Column(1, "time")),
            Comparison(Column(1, "time"), "<=", Column(2, "time")),
            Comparison(Column("e", "amount"), ">=", 100),
            Comparison(Column(2, "odd name"), "!=", 3),
        )[: len(p.comparisons)]
    )
    assert len(p.comparisons) == 9


def test_conditions_inside_an_edge():
    p = Pattern("(a)-[e:X WHERE e.w > 2 AND a.y = 1]->(b)")
    assert p == Pattern("(a)-[e:X]->(b) WHERE e.w > 2 AND a.y = 1")


def test_duplicate_edges_merge():
    assert len(Pattern("(a)--(b), (b)--(a), (a)--(b)").edges) == 1
    assert len(Pattern("(a)-->(b), (b)-->(a)").edges) == 2
    assert len(Pattern("(a)-->(b), (a)--(b)").edges) == 2
    assert len(Pattern("(a)-[:X]->(b), (a)-[:Y]->(b)").edges) == 2
    assert len(Pattern("(a)-->(a)--(b), (a)--(a)").edges) == 2
    assert len(Pattern("(a)--(b), !(a)--(a), !(a)-->(a)").anti_edges) == 1
    # A name is kept; two names are two edges.
    assert Pattern("(a)-->(b), (a)-[e]->(b), (a)-->(b)").edges == (PatternEdge(0, 1, True, None, "e"),)
    assert len(Pattern("(a)-[e]->(b), (a)-[f]->(b)").edges) == 2


def test_written_text():
    assert str(Pattern("(a:B:A|C)<-[e:Y|X]-(b)")) == "(a:A|C:B), (b), (b)-[e:X|Y]->(a)"
    assert str(Pattern("(`match`)--(b)")) == "(`match`)--(b)"
    assert str(Pattern("(1)--(b) WHERE `1`.x = 'a\"'")) == '(1)--(b) WHERE `1`.x = "a\\""'
    assert repr(Pattern("(a)")) == "Pattern('(a)')"


def test_numbers_of_every_form():
    values = [
        c.right
        for c in Pattern(
            "(a) WHERE a.x>-3 AND a.x<+.5 AND a.x<>1e999 AND a.x=12345678901234567890"
        ).comparisons
    ]
    assert values == [-3, 0.5, float("inf"), 12345678901234567890]
    p = Pattern("(a)").where(Comparison(Column(0, "x"), ">", float("-inf")))
    assert Pattern(p.to_text()) == p
