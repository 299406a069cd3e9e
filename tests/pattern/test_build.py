"""Patterns from edge lists, NetworkX and the catalogue; masks; what a pattern object promises."""

import copy
import pickle
import re

import numpy as np
import pytest

from subiso.pattern import Column, Comparison, Mask, Pattern, PatternEdge, connected_patterns


def test_from_edges():
    p = Pattern.from_edges([(0, 1), (2, 1), (0, 2), (1, 0)], vertex_labels=[3, None, {"A", "B"}])
    assert p.names == ("a", "b", "c")
    assert p.edges == (PatternEdge(0, 1, False), PatternEdge(1, 2, False), PatternEdge(0, 2, False))
    assert p.vertex_labels == ((frozenset({3}),), (), (frozenset({"A", "B"}),))
    assert p.masks == (None, None, None)
    assert not p.is_directed
    assert p.neighbor_masks == (0b110, 0b101, 0b011)


def test_from_edges_directed_with_labels_and_anti_edges():
    p = Pattern.from_edges(
        [("x", "y"), ("y", "z")],
        edge_labels={("x", "y"): "PAYS", ("y", "z"): [1, 2]},
        directed=True,
        anti_edges=[("z", "x")],
        names=["x", "y", "z"],
        vertex_labels={"z": ["A", {"B", "C"}]},
    )
    assert p == Pattern("(x)-[:PAYS]->(y), (y)-[:1|2]->(z:A:B|C), !(z)-->(x)")


def test_labels_of_an_undirected_edge_may_name_it_backwards():
    p = Pattern.from_edges([(0, 1)], edge_labels={(1, 0): "X"})
    assert p.edges[0].labels == frozenset("X")


def test_own_labels_are_taken_back():
    p = Pattern("(a:A:B|C)--(b)")
    assert Pattern.from_edges([(0, 1)], vertex_labels=p.vertex_labels) == p


def test_numpy_input():
    p = Pattern.from_edges(np.array([[0, 1], [1, 2]]), vertex_labels=np.array([5, 6, 5]))
    assert p == Pattern.from_edges([(0, 1), (1, 2)], vertex_labels=[5, 6, 5])
    assert Pattern.from_edges([(np.int32(0), np.int64(1))]).num_vertices == 2


def test_one_vertex():
    assert Pattern.from_edges([], vertex_labels=[7]) == Pattern("(a:7)")
    assert Pattern.from_edges([], names=["x"]).num_vertices == 1
    assert Pattern.from_edges([(0, 0)]).num_vertices == 1


def test_many_vertices_have_numbers_for_names():
    assert Pattern.path(26).names[-1] == "z"
    assert Pattern.path(64).names[:2] == ("v0", "v1")


def test_from_networkx():
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph()
    graph.add_node("a", kind="Person")
    graph.add_edge("a", "b", type="PAYS")
    graph.add_edge(7, "a")
    assert Pattern.from_networkx(graph, "kind", "type") == Pattern(
        "(a:Person), (b), (7), (a)-[:PAYS]->(b), (7)-->(a)"
    )
    assert Pattern.from_networkx(networkx.petersen_graph()).automorphism_count() == 120
    double = networkx.MultiGraph([(0, 1), (0, 1), (1, 0)])
    assert len(Pattern.from_networkx(double).edges) == 1


def test_patterns_are_values():
    p, q = Pattern("(a)-[e]->(b:X)"), Pattern("(a)-[e]->(b:X)")
    assert p == q
    assert hash(p) == hash(q)
    assert p != Pattern("(a)-->(b:X)")
    assert p != "(a)-[e]->(b:X)"
    assert Pattern(p) == p
    assert copy.copy(p) is p
    assert copy.deepcopy(p) is p
    assert pickle.loads(pickle.dumps(p)) == p
    with pytest.raises(AttributeError, match="a pattern cannot be changed"):
        p.names = ()
    with pytest.raises(AttributeError, match="a pattern cannot be changed"):
        del p.edges
    assert p.index("b") == p.index(1) == 1


def test_masks():
    some = np.array([True, False, True])
    p = Pattern("(a)-[e]->(b)-[f]->(c)").where(a=some, e=[False, True], edge=[True, True])
    some[:] = False
    assert p.masks == (Mask([True, False, True]), None, None)
    assert [edge.mask for edge in p.edges] == [Mask([False, True]), Mask([True, True])]
    assert not p.masks[0].array.flags.writeable
    assert str(p) == "(a)-[e]->(b), (b)-[f]->(c) /* masks on a, e, f */"
    both = p.where(a=np.array([True, True, False]))
    assert both.masks[0] == Mask([True, False, False])
    assert repr(both.masks[0]) == "Mask(1 of 3)"
    assert len(both.masks[0]) == 3
    assert pickle.loads(pickle.dumps(both)) == both
    assert both != p


def test_masks_that_share_memory():
    fixed = np.ones(3, dtype=bool)
    fixed.flags.writeable = False
    assert Mask(fixed).array is fixed
    view = np.ones(6, dtype=bool)[:3]
    view.flags.writeable = False
    assert Mask(view).array is not view
    assert Mask(np.ones(8, dtype=bool)) != Mask(np.ones(9, dtype=bool))
    assert Mask(fixed) != [True, True, True]


def test_a_vertex_called_edge_or_self():
    p = Pattern("(edge)--(self)").where(edge=[True], self=[False])
    assert p.masks == (Mask([True]), Mask([False]))
    assert p.edges[0].mask is None


def test_a_mask_with_a_comment_in_its_name():
    p = Pattern("(`*/ (x)`)--(b)").where(**{"*/ (x)": [True]})
    assert Pattern(str(p)) == Pattern("(`*/ (x)`)--(b)")


def test_masks_break_symmetry():
    p = Pattern("(a)--(b)--(c)")
    assert p.where(a=[True, False]).automorphism_count() == 1
    assert p.where(a=[True, False], c=[True, False]).automorphism_count() == 2
    assert p.where(a=[True, False], c=[False, True]).automorphism_count() == 1
    assert p.where(edge=[True, False]).automorphism_count() == 2


def test_where_comparisons():
    p = Pattern("(a)-[e]->(b)")
    q = p.where(
        "a.time < b.time", "3 >= e.w AND a.ok = true", Comparison(Column(1, "x"), "==", np.float64(2.5))
    )
    assert q.comparisons == (
        Comparison(Column(0, "time"), "<", Column(1, "time")),
        Comparison(Column("e", "w"), "<=", 3),
        Comparison(Column(0, "ok"), "==", True),
        Comparison(Column(1, "x"), "==", 2.5),
    )
    assert q.where("a.time < b.time") == q
    assert p.comparisons == ()


def test_to_undirected():
    p = Pattern("(a)-->(b), (b)-->(a), (b)-[:X]->(c), !(c)-->(a)").to_undirected()
    assert p == Pattern("(a)--(b), (b)-[:X]-(c), !(a)--(c)")
    assert not p.is_directed
    assert Pattern("(a)-[e]->(b)").where("e.x > 3").to_undirected().comparisons


def test_catalogue_names():
    for name in Pattern.catalogue():
        p = Pattern.named(re.sub("{.}", "3", name))
        assert p.num_vertices >= 1
        if "{" not in name and name not in ("vertex", "k5-e"):
            assert Pattern.named(p.usual_name).is_isomorphic(p)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("triangle", "K3", "clique3", "3clique", "cycle3", "C3"), "(a)--(b)--(c)--(a)"),
        (("wedge", "path3", "cherry", "star2"), "(a)--(b)--(c)"),
        (("tailed_triangle", "paw", "Tailed Triangle"), "(a)--(b)--(c)--(a)--(d)"),
        (("4cycle", "cycle4", "biclique2x2", "grid2x2", "k2,2"), "(a)--(b)--(c)--(d)--(a)"),
        (("4path", "path4", "p4"), "(a)--(b)--(c)--(d)"),
        (("3star", "star3", "claw"), "(a)--(b), (a)--(c), (a)--(d)"),
        (("diamond", "book2"), "(a)--(b)--(c)--(d)--(a)--(c)"),
        (("house",), "(a)--(b)--(c)--(d)--(a), (a)--(r)--(b)"),
        (("gem", "fan4"), "(h)--(a)--(b)--(c)--(d)--(h), (b)--(h)--(c)"),
        (("W4", "wheel4"), "(h)--(a)--(b)--(c)--(d)--(h)--(b), (h)--(c), (a)--(d)"),
        (("bowtie", "butterfly"), "(x)--(a)--(b)--(x)--(c)--(d)--(x)"),
        (("bull",), "(x)--(a)--(b)--(c)--(a), (b)--(y)"),
        (("k23", "K2,3", "biclique2x3"), "(a)--(x)--(b)--(y)--(a)--(z)--(b)"),
        (("prism", "prism3"), "(a)--(b)--(c)--(a)--(x)--(y)--(z)--(x), (b)--(y), (c)--(z)"),
        (("K5_minus_edge", "K5-e"), "(a)--(b)--(c)--(a)--(x)--(b)--(y)--(a), (x)--(c)--(y)"),
        (("vertex",), "(a)"),
    ],
)
def test_catalogue_shapes(names, text):
    for name in names:
        assert Pattern.named(name).is_isomorphic(Pattern(text)), name


def test_constructors_agree_with_names():
    made = {
        "triangle": Pattern.triangle(),
        "wedge": Pattern.wedge(),
        "tailed_triangle": Pattern.tailed_triangle(),
        "diamond": Pattern.diamond(),
        "house": Pattern.house(),
        "gem": Pattern.gem(),
        "bowtie": Pattern.butterfly(),
        "bull": Pattern.bull(),
        "fan5": Pattern.fan(5),
        "book3": Pattern.book(3),
        "wheel5": Pattern.wheel(5),
        "star4": Pattern.star(4),
        "petersen": Pattern.petersen(),
    }
    for name, pattern in made.items():
        assert pattern == Pattern.named(name)
        assert pattern.usual_name == name


def test_usual_names_only_for_plain_patterns():
    assert Pattern("(a:X)--(b)--(c)--(a)").usual_name is None
    assert Pattern("(a)-->(b)").usual_name is None
    assert Pattern("(a)--(b)--(c), !(a)--(c)").usual_name is None
    assert len({p.usual_name for p in connected_patterns(4)}) == 6
