"""DotMotif's language: each form beside the same pattern in ours."""

import pytest

from subiso.errors import PatternError
from subiso.pattern import Pattern

PAIRS = [
    ("A -> B", "(A)-->(B)"),
    ("A -> B\nB -> C\nC -> A", "(A)-->(B)-->(C)-->(A)"),
    ("# a comment\nA -> B # another\n\n\nB -> C; C -> A;", "(A)-->(B)-->(C)-->(A)"),
    ("A->B B->C", "(A)-->(B)-->(C)"),
    ("A -> B; B -> C; A !> C; C ~> A", "(A)-->(B)-->(C), !(A)-->(C), !(C)-->(A)"),
    ("A -| B; B -+ C", "(A)-[:INHIBITS]->(B)-[:EXCITES]->(C)"),
    ("A -> B; A !| B", "(A)-->(B), !(A)-[:INHIBITS]->(B)"),
    ("A -[SYN] B; B ![SYN] A", "(A)-[:SYN]->(B), !(B)-[:SYN]->(A)"),
    ("A -> A", "(A)-->(A)"),
    ("α -> β", "(α)-->(β)"),
    ("A -> B [weight > 3]", "(A)-[_e0]->(B) WHERE _e0.weight > 3"),
    (
        'A -> B [weight <= 20, weight >= 10, "my key" != 12]',
        "(A)-[_e0]->(B) WHERE _e0.weight <= 20 AND _e0.weight >= 10 AND _e0.`my key` <> 12",
    ),
    ('A -> B [type = "excitatory"] as AB', "(A)-[AB]->(B) WHERE AB.type = 'excitatory'"),
    (
        "A -> B as x\nB -> C as y\nx.time < y.time",
        "(A)-[x]->(B)-[y]->(C) WHERE x.time < y.time",
    ),
    ('A.type = "Glu"\nA -> B', "(A)-->(B) WHERE A.type = 'Glu'"),
    (
        "A -> B; A.type == Glu; A.ok = true; B.ok <> False",
        "(A)-->(B) WHERE A.type='Glu' AND A.ok=true AND B.ok<>false",
    ),
    ("A -> B; A.x > -1.5; A['y'] <= B[\"z\"]", "(A)-->(B) WHERE A.x > -1.5 AND A.y <= B.z"),
    ("A -> B; A[x] < B.y", "(A)-->(B) WHERE A.x < B.y"),
    (
        "one(n, m) {\n  n -> m\n  m ~> n\n}\ntri(x, y, z) { one(x, y) one(y, z); one(z, x) }\ntri(A, B, C)",
        "(A)-->(B), (B)-->(C), (C)-->(A), !(B)-->(A), !(C)-->(B), !(A)-->(C)",
    ),
    (
        "big(p) { p.size > 10 }\nA -> B\nbig(A)\nbig(B)\nedge(u, v) { u -> v [w = 1] }\nedge(B, C)",
        "(A)-->(B), (B)-[_e0]->(C) WHERE _e0.w = 1 AND A.size > 10 AND B.size > 10",
    ),
    ("swap(a, b) { b -> a } swap(b, a) a -> c", "(a)-->(b), (a)-->(c)"),
    ("A -> as; as -> B as as2", "(A)-->(as)-[as2]->(B)"),
]


@pytest.mark.parametrize(("motif", "text"), PAIRS)
def test_motifs(motif, text):
    found = Pattern.from_dotmotif(motif)
    assert found == Pattern(text)
    assert Pattern(found.to_text()) == found


def test_invented_edge_names_avoid_those_in_the_motif():
    p = Pattern.from_dotmotif("_e0 -> B [w > 1]")
    assert p.edges[0].name == "_e1"


def test_disconnected_motifs_are_refused():
    with pytest.raises(PatternError, match="disconnected"):
        Pattern.from_dotmotif("A -> B; C -> D")
