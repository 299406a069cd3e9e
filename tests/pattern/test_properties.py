"""Symmetry and text of random patterns, against definitions that share no code with the library."""

import itertools
import pickle

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from subiso.errors import PatternError
from subiso.pattern import Column, Comparison, Mask, Pattern, PatternEdge
from subiso.pattern.build import finish, sorted_conjunction

MASKS = [Mask(np.array([True, False])), Mask(np.array([False, True]))]
FLIP = {">": "<", ">=": "<="}


# ---- random patterns ---------------------------------------------------------------------------


@st.composite
def patterns(draw, most=6, names=None):
    """Few kinds of things per pattern, so that many of them keep some symmetry."""
    n = draw(st.integers(1, most))
    directed = draw(st.sampled_from([(False,), (True,), (False, True)]))
    labels = draw(
        st.sampled_from([(None,), (None,), (None, frozenset("X")), (frozenset("X"), frozenset("XY"))])
    )
    groups = draw(
        st.sampled_from([((),), ((),), ((), (frozenset("A"),)), ((frozenset({1, "A"}), frozenset("B")), ())])
    )
    masks = draw(st.sampled_from([(None,), (None,), (None, *MASKS)]))
    edge_masks = draw(st.sampled_from([(None,), (None,), (None, MASKS[0])]))
    tree = [(draw(st.integers(0, v - 1)), v) for v in range(1, n)]
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    more = draw(st.lists(pairs, max_size=2 * n))
    dense = draw(st.booleans())
    if dense:
        more += list(itertools.combinations(range(n), 2))
    edges = []
    for i, (u, v) in enumerate(tree + more):
        one = draw(st.sampled_from(directed))
        turned = draw(st.booleans()) if one else u > v
        source, target = (v, u) if turned else (u, v)
        name = f"e{i}" if draw(st.booleans()) else None
        edges.append(
            PatternEdge(
                source, target, one, draw(st.sampled_from(labels)), name, draw(st.sampled_from(edge_masks))
            )
        )
    anti = [
        PatternEdge(min(u, v), max(u, v), draw(st.sampled_from(directed)), draw(st.sampled_from(labels)))
        for u, v in draw(st.lists(pairs, max_size=2))
    ]
    kept = [edge.name for edge in edges if edge.name]
    comparisons = draw(st.lists(comparison(list(range(n)), kept), max_size=3)) if draw(st.booleans()) else []
    try:
        parts = finish(
            names or tuple(f"v{i}" for i in range(n)),
            tuple(sorted_conjunction(draw(st.sampled_from(groups))) for _ in range(n)),
            edges,
            anti,
            masks=tuple(draw(st.sampled_from(masks)) for _ in range(n)),
            comparisons=comparisons,
        )
    except PatternError:  # contradictory, or a comparison of an edge that was merged away
        assume(False)
    return Pattern._make(parts)


def comparison(vertices, edges):
    owner = st.sampled_from(vertices + edges)
    side = st.builds(Column, owner, st.sampled_from(["x", "y"]))
    op = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    return st.builds(Comparison, side, op, side | st.sampled_from([1, 2.5, "s", True]))


SHAPES = [
    "clique3",
    "clique4",
    "cycle4",
    "cycle5",
    "path3",
    "path4",
    "star3",
    "diamond",
    "biclique2x3",
    "edge",
]


@st.composite
def compared_patterns(draw):
    """A symmetric shape whose every edge has a name, with comparisons that break its symmetry, or do not."""
    shape = Pattern.named(draw(st.sampled_from(SHAPES)))
    n = shape.num_vertices
    directed = draw(st.booleans())
    pairs = [(e.source, e.target) for e in shape.edges]
    if directed and draw(st.booleans()):
        pairs += [(v, u) for u, v in pairs]
    edges = [PatternEdge(u, v, directed, None, f"e{i}") for i, (u, v) in enumerate(pairs)]
    owners = draw(
        st.sampled_from([list(range(n)), [e.name for e in edges], [*range(n), *(e.name for e in edges)]])
    )
    side = st.builds(Column, st.sampled_from(owners), st.just("x"))
    op = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    found = draw(st.lists(st.builds(Comparison, side, op, side), min_size=1, max_size=5))
    return Pattern._make(finish(shape.names, shape.vertex_labels, edges, comparisons=found))


# ---- the definition of an isomorphism ----------------------------------------------------------


def normal(comparison):
    left, op, right = comparison
    if op in FLIP and isinstance(right, tuple):
        return (right, FLIP[op], left)
    if op in ("==", "!=") and isinstance(right, tuple):
        return (frozenset((left, right)), op)
    return (left, op, right)


def compared(pattern, vertex, edge):
    """The comparisons with every owner renamed; edges are given by their place in the list."""
    place = {e.name: i for i, e in enumerate(pattern.edges) if e.name}

    def rename(side):
        if not isinstance(side, Column):
            return side
        owner = ("v", vertex[side.owner]) if isinstance(side.owner, int) else ("e", edge[place[side.owner]])
        return (owner, side.column)

    return {normal((rename(c.left), c.op, rename(c.right))) for c in pattern.comparisons}


def ends(edge, image):
    pair = (image[edge.source], image[edge.target])
    return pair if edge.directed and edge.source != edge.target else frozenset(pair)


def same(p, q, image):
    """Whether `image` maps p onto q: vertices, edges (by some bijection), anti-edges and comparisons."""
    identity = list(range(q.num_vertices))
    for v, w in enumerate(image):
        if p.masks[v] != q.masks[w] or set(p.vertex_labels[v]) != set(q.vertex_labels[w]):
            return False

    def kinds(edges, mapping):
        return [(ends(e, mapping), e.labels, e.mask) for e in edges]

    if set(kinds(p.anti_edges, image)) != set(kinds(q.anti_edges, identity)):
        return False
    if len(p.edges) != len(q.edges):
        return False
    targets = kinds(q.edges, identity)
    choices = [[i for i, kind in enumerate(targets) if kind == one] for one in kinds(p.edges, image)]
    wanted = compared(q, identity, range(len(q.edges)))
    return any(
        len(set(choice)) == len(choice) and compared(p, image, choice) == wanted
        for choice in itertools.product(*choices)
    )


def images(p, q):
    return [image for image in itertools.permutations(range(p.num_vertices)) if same(p, q, image)]


# ---- symmetry ----------------------------------------------------------------------------------


def orbits(group, n):
    return {frozenset(image[v] for image in group) for v in range(n)}


@settings(max_examples=250, deadline=None)
@given(patterns(), st.data())
def test_automorphisms_are_those_of_the_definition(p, data):
    n = p.num_vertices
    assume(sum(edge.name is not None for edge in p.edges) < 9)
    group = images(p, p)
    assert p.automorphisms() == group
    assert p.automorphism_count() == len(group)
    assert set(map(frozenset, p.orbits_under())) == orbits(group, n)
    fixed = data.draw(st.lists(st.integers(0, n - 1), max_size=3))
    kept = [image for image in group if all(image[v] == v for v in fixed)]
    assert p.automorphism_count(fixed) == len(kept)
    assert set(map(frozenset, p.orbits_under(fixed))) == orbits(kept, n)
    colors = data.draw(st.lists(st.sampled_from("rg"), min_size=n, max_size=n))
    kept = [image for image in kept if all(colors[v] == colors[image[v]] for v in range(n))]
    assert set(map(frozenset, p.orbits_under(fixed, colors))) == orbits(kept, n)


@settings(max_examples=400, deadline=None)
@given(compared_patterns(), st.data())
def test_comparisons_count_in_symmetry(p, data):
    group = images(p, p)
    assert p.automorphisms() == group
    q = renumbered(p, data.draw(st.permutations(range(p.num_vertices))))
    assert q.canonical_form() == p.canonical_form()


def renumbered(p, image):
    """The same pattern with vertex v called image[v], and its edges in another order under other names."""
    back = sorted(range(p.num_vertices), key=lambda v: image[v])
    rename = {e.name: f"f{i}" for i, e in enumerate(p.edges) if e.name}

    def edge(e):
        u, v = image[e.source], image[e.target]
        u, v = (u, v) if e.directed or u <= v else (v, u)
        return PatternEdge(u, v, e.directed, e.labels, rename.get(e.name), e.mask)

    def side(s):
        if not isinstance(s, Column):
            return s
        return Column(image[s.owner] if isinstance(s.owner, int) else rename[s.owner], s.column)

    return Pattern._make(
        finish(
            tuple(f"w{i}" for i in range(p.num_vertices)),
            tuple(p.vertex_labels[v] for v in back),
            [edge(e) for e in reversed(p.edges)],
            [edge(e) for e in reversed(p.anti_edges)],
            masks=tuple(p.masks[v] for v in back),
            comparisons=[Comparison(side(c.left), c.op, side(c.right)) for c in reversed(p.comparisons)],
        )
    )


@settings(max_examples=200, deadline=None)
@given(patterns(most=9), st.data())
def test_renumbering_changes_no_canonical_form(p, data):
    q = renumbered(p, data.draw(st.permutations(range(p.num_vertices))))
    assert q.canonical_form() == p.canonical_form()
    assert q.is_isomorphic(p)
    assert q.automorphism_count() == p.automorphism_count()


@settings(max_examples=150, deadline=None)
@given(patterns(most=4), patterns(most=4))
def test_forms_are_equal_only_for_isomorphic_patterns(p, q):
    expected = p.num_vertices == q.num_vertices and bool(images(p, q))
    assert p.is_isomorphic(q) == expected
    assert (p.canonical_form() == q.canonical_form()) == expected


@settings(max_examples=150, deadline=None)
@given(patterns(most=4), st.data())
def test_forms_tell_near_patterns_apart(p, data):
    """One change, be it of a label, a direction or a comparison, is seen (unless it is none)."""
    n = p.num_vertices
    change = data.draw(st.sampled_from(["label", "mask", "anti", "comparison"]))
    v, w = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    parts = p._parts()
    options = {"masks": parts.masks, "comparisons": parts.comparisons}
    labels, anti = list(parts.vertex_labels), list(parts.anti_edges)
    if change == "label":
        labels[v] = (frozenset("Z"),)
    elif change == "mask":
        options["masks"] = tuple(MASKS[1] if u == v else mask for u, mask in enumerate(parts.masks))
    elif change == "anti":
        anti.append(PatternEdge(v, w, True, frozenset("Q")))
    else:
        options["comparisons"] = (*parts.comparisons, Comparison(Column(v, "x"), "<", Column(w, "y")))
    q = Pattern._make(finish(p.names, tuple(labels), p.edges, anti, **options))
    assert p.is_isomorphic(q) == bool(images(p, q))


# ---- text --------------------------------------------------------------------------------------

any_name = st.text(min_size=1, max_size=5) | st.sampled_from(
    ["match", "WHERE", "_0", "_e0", "1", "`", "a b", "é"]
)
any_label = (
    st.text(max_size=5) | st.integers(-(2**63), 2**64 - 1) | st.sampled_from(['"', "\\", "\n\0", "A", "3"])
)
any_constant = (
    st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | st.text(max_size=5) | st.booleans()
)


@settings(max_examples=120, deadline=None)
@given(patterns(most=5), st.data())
def test_text_reads_back(p, data):
    n = p.num_vertices
    count = n + sum(edge.name is not None for edge in p.edges)
    fresh = data.draw(st.lists(any_name, min_size=count, max_size=count, unique=True))
    rename = dict(zip([e.name for e in p.edges if e.name], fresh[n:], strict=True))
    alternatives = st.none() | st.frozensets(any_label, min_size=1, max_size=2)
    groups = st.lists(st.frozensets(any_label, min_size=1, max_size=2), max_size=2)

    def side(s, constant):
        return Column(rename.get(s.owner, s.owner), s.column) if isinstance(s, Column) else constant

    edges = [
        PatternEdge(e.source, e.target, e.directed, data.draw(alternatives), rename.get(e.name))
        for e in p.edges
    ]
    comparisons = [
        Comparison(side(c.left, None), c.op, side(c.right, data.draw(any_constant))) for c in p.comparisons
    ]
    labels = tuple(sorted_conjunction(data.draw(groups)) for _ in range(n))
    try:
        q = Pattern._make(finish(tuple(fresh[:n]), labels, edges, p.anti_edges, comparisons=comparisons))
    except PatternError:  # edges that became equal, or contradict an anti-edge
        assume(False)
    assert Pattern(q.to_text()) == q
    assert Pattern(str(q)) == q
    assert hash(Pattern(str(q))) == hash(q)


@settings(max_examples=100, deadline=None)
@given(patterns())
def test_masks_are_left_out_of_the_text_and_kept_by_pickle(p):
    parts = p._parts()
    bare = [PatternEdge(e.source, e.target, e.directed, e.labels, e.name) for e in p.edges]
    without = Pattern._make(
        finish(p.names, p.vertex_labels, bare, p.anti_edges, comparisons=parts.comparisons)
    )
    assert Pattern(str(p)) == without
    again = pickle.loads(pickle.dumps(p))
    assert again == p
    assert hash(again) == hash(p)
