"""Groups and canonical forms of graphs whose symmetry is known."""

import itertools
import math
import random

import pytest

from subiso.pattern import Pattern, connected_patterns


def renumbered(pattern, seed):
    order = list(range(pattern.num_vertices))
    random.Random(seed).shuffle(order)
    return Pattern.from_edges([(order[e.source], order[e.target]) for e in pattern.edges])


def rook():
    cells = list(itertools.product(range(4), repeat=2))
    pairs = itertools.combinations(cells, 2)
    return [(4 * a + b, 4 * c + d) for (a, b), (c, d) in pairs if (a == c) != (b == d)]


def shrikhande():
    steps = {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
    pairs = itertools.combinations(itertools.product(range(4), repeat=2), 2)
    return [(4 * a + b, 4 * c + d) for (a, b), (c, d) in pairs if ((c - a) % 4, (d - b) % 4) in steps]


def under_one_hub(*graphs):
    """Graphs of 16 vertices side by side, each vertex joined to vertex 0."""
    edges = []
    for i, graph in enumerate(graphs):
        first = 1 + 16 * i
        edges += [(0, first + v) for v in range(16)] + [(first + u, first + v) for u, v in graph]
    return Pattern.from_edges(edges)


def twisted(twist):
    """The construction of Cai, Fürer and Immerman over K4: refinement alone cannot tell the two apart."""
    numbers = {}

    def number(*key):
        return numbers.setdefault(key, len(numbers))

    base = list(itertools.combinations(range(4), 2))
    edges = []
    for v in range(4):
        around = [edge for edge in base if v in edge]
        for size in (0, 2):
            for chosen in itertools.combinations(around, size):
                edges += [(number(v, chosen), number(v, edge, edge in chosen)) for edge in around]
    for i, (u, v) in enumerate(base):
        cross = twist and i == 0
        edges += [(number(u, (u, v), bit), number(v, (u, v), bit ^ cross)) for bit in (False, True)]
    return Pattern.from_edges(edges)


def paley(prime):
    squares = {x * x % prime for x in range(1, prime)}
    pairs = itertools.combinations(range(prime), 2)
    return Pattern.from_edges([(u, v) for u, v in pairs if (v - u) % prime in squares])


def binary_tree(depth):
    return Pattern.from_edges([((v - 1) // 2, v) for v in range(1, 2**depth - 1)])


F = math.factorial
GROUPS = {
    "vertex": (Pattern.clique(1), 1),
    "clique5": (Pattern.clique(5), 120),
    "clique64": (Pattern.clique(64), F(64)),
    "cycle3": (Pattern.cycle(3), 6),
    "cycle64": (Pattern.cycle(64), 128),
    "directed cycle": (Pattern.from_edges([(i, (i + 1) % 64) for i in range(64)], directed=True), 64),
    "path2": (Pattern.path(2), 2),
    "path64": (Pattern.path(64), 2),
    "directed path": (Pattern.from_edges([(0, 1), (1, 2)], directed=True), 1),
    "star63": (Pattern.star(63), F(63)),
    "petersen": (Pattern.petersen(), 120),
    "biclique3x3": (Pattern.biclique(3, 3), 72),
    "biclique2x3": (Pattern.biclique(2, 3), 12),
    "biclique32x32": (Pattern.biclique(32, 32), 2 * F(32) ** 2),
    "grid4x4": (Pattern.grid(4, 4), 8),
    "grid3x5": (Pattern.grid(3, 5), 4),
    "grid8x8": (Pattern.grid(8, 8), 8),
    "wheel4": (Pattern.wheel(4), 8),
    "wheel3": (Pattern.wheel(3), 24),
    "prism": (Pattern.prism(), 12),
    "cube": (Pattern.named("cube"), 48),
    "hypercube6": (Pattern.hypercube(6), 2**6 * F(6)),
    "octahedron": (Pattern.named("octahedron"), 48),
    "binary tree": (binary_tree(6), 2**31),
    "rook": (Pattern.from_edges(rook()), 1152),
    "shrikhande": (Pattern.from_edges(shrikhande()), 192),
    "three under a hub": (under_one_hub(rook(), shrikhande(), rook()), 1152**2 * 2 * 192),
    "paley61": (paley(61), 61 * 30),
}


@pytest.mark.parametrize("name", GROUPS)
def test_known_groups(name):
    pattern, order = GROUPS[name]
    assert pattern.automorphism_count() == order
    other = renumbered(pattern, 7) if not pattern.is_directed and pattern.edges else pattern
    assert other.automorphism_count() == order
    assert other.canonical_form() == pattern.canonical_form()
    assert sum(map(len, pattern.orbits_under())) == pattern.num_vertices


def test_strongly_regular_twins_are_told_apart():
    assert not Pattern.from_edges(rook()).is_isomorphic(Pattern.from_edges(shrikhande()))
    assert twisted(False).automorphism_count() == twisted(True).automorphism_count()
    assert not twisted(False).is_isomorphic(twisted(True))
    assert twisted(True).is_isomorphic(renumbered(twisted(True), 3))


def test_branches_that_look_alike_are_all_followed():
    """Vertices of the two graphs look the same for a while, so the first one found must not decide."""
    pattern = under_one_hub(rook(), shrikhande())
    assert len({renumbered(pattern, seed).canonical_form() for seed in range(8)}) == 1


@pytest.mark.parametrize(("k", "count"), [(1, 1), (2, 1), (3, 2), (4, 6), (5, 21), (6, 112), (7, 853)])
def test_connected_patterns(k, count):
    found = connected_patterns(k)
    assert len(found) == count
    assert len({p.canonical_form() for p in found}) == count
    assert all(p.num_vertices == k for p in found)
    if k <= 5:
        # The number of labelled connected graphs, counted in another way.
        labelled = sum(math.factorial(k) // p.automorphism_count() for p in found)
        assert labelled == {1: 1, 2: 1, 3: 4, 4: 38, 5: 728}[k]


def test_labels_and_direction_break_symmetry():
    assert Pattern("(a:A)--(b:A)--(c:B)--(a)").automorphism_count() == 2
    assert Pattern("(a)-->(b)-->(c)-->(a)").automorphism_count() == 3
    assert Pattern("(a)-->(b)<--(c)").automorphism_count() == 2
    assert Pattern("(a)-[:X]-(b)-[:Y]-(c)").automorphism_count() == 1
    assert Pattern("(a)--(b)--(c)--(d)--(a), !(a)--(c)").automorphism_count() == 4
    assert Pattern("(a)<-->(b)").automorphism_count() == 2
    assert Pattern("(a)--(b) WHERE a.x < b.x").automorphism_count() == 1
    assert Pattern("(a)--(b) WHERE a.x <> b.x").automorphism_count() == 2
    assert Pattern("(a)--(b) WHERE a.x < b.x AND b.x < a.x").automorphism_count() == 2
    assert Pattern("(a)--(a), (a)--(b)").automorphism_count() == 1


def test_comparisons_of_edges():
    ordered = "(c)-[e]->(a), (c)-[f]->(b), (c)-[g]->(d)"
    assert Pattern(ordered).automorphism_count() == 6
    assert Pattern(ordered + " WHERE e.t < f.t").automorphism_count() == 1
    assert Pattern(ordered + " WHERE e.t < g.t AND f.t < g.t").automorphism_count() == 2
    assert Pattern(ordered + " WHERE e.t < f.t AND f.t < g.t AND g.t < e.t").automorphism_count() == 3
    assert Pattern(ordered + " WHERE e.t < a.t AND f.t < b.t").automorphism_count() == 2
    assert Pattern("(a)-[e]->(b), (b)-[f]->(a) WHERE e.t < f.t").automorphism_count() == 1
    assert Pattern("(a)-[e]->(b), (b)-[f]->(a) WHERE e.t <> f.t").automorphism_count() == 2
    assert Pattern("(a)-[e]-(b)-[f]-(c) WHERE e.w > 3").automorphism_count() == 1
    assert Pattern("(a)-[e]-(b)-[f]-(c) WHERE e.w > 3 AND f.w > 3").automorphism_count() == 2
    # Two parallel edges may change places without moving a vertex: that is no further automorphism.
    assert Pattern("(a)-[e]-(b), (a)-[f]-(b) WHERE e.t <> f.t").automorphism_count() == 2


def test_many_compared_edges():
    star = ", ".join(f"(c)-[e{i}]->(v{i})" for i in range(20))
    pairs = " AND ".join(f"e{i}.t <> e{j}.t" for i in range(20) for j in range(i))
    assert Pattern(f"{star} WHERE {pairs}").automorphism_count() == F(20)
    ring = ", ".join(f"(a)-[e{i}]->(b)" for i in range(60))
    around = " AND ".join(f"e{i}.t <> e{(i + 1) % 60}.t" for i in range(60))
    p = Pattern(f"{ring} WHERE {around}")
    assert p.automorphism_count() == 1
    assert p.canonical_form() == Pattern(str(p)).canonical_form()


def test_orbits_of_a_chain_of_stabilisers():
    p = Pattern.clique(4)
    assert p.orbits_under() == ((0, 1, 2, 3),)
    assert p.orbits_under([2]) == ((0, 1, 3), (2,))
    assert p.orbits_under([2, 0]) == ((0,), (1, 3), (2,))
    assert p.orbits_under([], {1: "anchor"}) == ((0, 2, 3), (1,))
    assert p.orbits_under([], ["x", "x", "y", "y"]) == ((0, 1), (2, 3))
    assert p.orbits_under(["a"]) == ((0,), (1, 2, 3))
    assert p.automorphism_count([0, 1]) == 2


def test_the_group_is_closed_and_exact():
    for p in connected_patterns(5):
        group = p.automorphisms()
        assert len(group) == p.automorphism_count()
        edges = {frozenset((e.source, e.target)) for e in p.edges}
        for image in group:
            assert {frozenset((image[u], image[v])) for u, v in map(tuple, edges)} == edges
        brute = sum(
            {frozenset((image[u], image[v])) for u, v in map(tuple, edges)} == edges
            for image in itertools.permutations(range(5))
        )
        assert brute == len(group)
