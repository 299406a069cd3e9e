"""Pattern: the small labelled graph that is looked for. Immutable; knows nothing of graphs and plans."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, Self

from subiso.errors import PatternError
from subiso.pattern import build
from subiso.pattern.automorphism import Group, Permutation, closure, stabilizer
from subiso.pattern.canonical import CanonicalForm, canonical_labelling
from subiso.pattern.catalogue import Catalogue
from subiso.pattern.check import neighbor_masks
from subiso.pattern.elements import Comparison, Mask, PatternEdge
from subiso.pattern.structure import Structure, colored, structure_of


class Pattern(Catalogue):
    """A pattern from text, as in Cypher's MATCH or in GraphFrames' motifs.

    >>> p = Pattern("(a:Person)-[:PAYS]->(b), (b)-->(c), !(a)--(c)")
    >>> p.names, p.num_vertices, p.is_directed
    (('a', 'b', 'c'), 3, True)
    >>> print(p)
    (a:Person)-[:PAYS]->(b), (b)-->(c), !(a)--(c)
    >>> Pattern.clique(4).automorphism_count()
    24
    """

    __slots__ = ("_cache", "anti_edges", "comparisons", "edges", "masks", "names", "vertex_labels")

    names: tuple[str, ...]
    vertex_labels: tuple[build.Conjunction, ...]
    edges: tuple[PatternEdge, ...]
    anti_edges: tuple[PatternEdge, ...]
    masks: tuple[Mask | None, ...]
    comparisons: tuple[Comparison, ...]
    _cache: dict[Any, Any]

    def __init__(self, text: str | Pattern) -> None:
        from subiso.pattern.text import parse

        if isinstance(text, Pattern):
            self._fill(text._parts())
        elif isinstance(text, str):
            self._fill(parse(text))
        else:
            raise PatternError(
                f"a pattern is made from text, not from {type(text).__name__}",
                hint="Pattern.from_edges and Pattern.from_networkx take other things",
            )

    def _fill(self, parts: build.Parts) -> None:
        put = object.__setattr__
        put(self, "names", parts.names)
        put(self, "vertex_labels", parts.vertex_labels)
        put(self, "edges", parts.edges)
        put(self, "anti_edges", parts.anti_edges)
        put(self, "masks", parts.masks)
        put(self, "comparisons", parts.comparisons)
        put(self, "_cache", {})

    @classmethod
    def _make(cls, parts: build.Parts) -> Self:
        self = object.__new__(cls)
        self._fill(parts)
        return self

    def _parts(self) -> build.Parts:
        return build.Parts(
            self.names, self.vertex_labels, self.edges, self.anti_edges, self.masks, self.comparisons
        )

    # ---- other ways in ------------------------------------------------------------------------------------

    @classmethod
    def from_edges(  # type: ignore[override]
        cls,
        edges: Iterable[Any],
        vertex_labels: Any = None,
        edge_labels: Any = None,
        directed: bool = False,
        anti_edges: Iterable[Any] = (),
        names: Sequence[str] | None = None,
    ) -> Self:
        """A pattern from pairs of vertices, which are indices (or names, where `names` is given).

        `vertex_labels` has one entry per vertex (or is a mapping): None is any label, a set means one of
        them, a list or tuple all of them. `edge_labels` has one entry per edge (or is a mapping from pairs):
        None, a label, or several to choose from.

        >>> print(Pattern.from_edges([(0, 1), (1, 2), (0, 2)], vertex_labels=[3, 3, None]))
        (a:3)--(b:3), (b)--(c), (a)--(c)
        >>> print(Pattern.from_edges([("x", "y")], None, [{"PAYS", "OWES"}], directed=True, names=["x", "y"]))
        (x)-[:OWES|PAYS]->(y)
        """
        parts = build.from_edges(
            edges, vertex_labels, edge_labels, directed, anti_edges=anti_edges, names=names
        )
        return cls._make(parts)

    @classmethod
    def from_networkx(
        cls, graph: Any, vertex_label: str | None = None, edge_label: str | None = None
    ) -> Self:
        """A pattern from a NetworkX graph; the two names say which attributes hold labels.

        Vertices keep the graph's order and are called as its nodes.
        """
        from subiso.pattern.interop import from_networkx

        return cls._make(from_networkx(graph, vertex_label, edge_label))

    @classmethod
    def from_dotmotif(cls, text: str) -> Self:
        """A pattern from DotMotif's language.

        >>> print(Pattern.from_dotmotif("A -> B [weight > 3]; B -> C; A !> C"))
        (A)-[_e0]->(B), (B)-->(C), !(A)-->(C) WHERE _e0.weight > 3
        """
        from subiso.pattern.dotmotif import parse_dotmotif

        return cls._make(parse_dotmotif(text))

    def where(self, /, *comparisons: str | Comparison, **masks: Any) -> Self:
        """The same pattern with further conditions.

        Masks are boolean arrays by vertex (`where(a=ages > 30)`) or, for a named edge, by edge
        (`where(e=big)`); `edge=` applies to every edge, unless something is called "edge". They stand in the order
        of the graph: vertices in that of `graph.ids`, edges by id, whose rows in the table that they came from are
        `graph.edge_rows`. Comparisons are text: "a.time < b.time", "a.age > 30", "e.amount >= 100".

        >>> print(Pattern("(a)-[e]->(b)").where("a.age > 30", "e.amount >= 100"))
        (a)-[e]->(b) WHERE a.age > 30 AND e.amount >= 100
        """
        from subiso.pattern.conditions import restrict

        return self._make(restrict(self._parts(), comparisons, masks))

    def with_edges(self, edges: Iterable[PatternEdge], *, anti_edges: Iterable[PatternEdge] = ()) -> Self:
        """The same vertices with these edges and anti-edges in place of the pattern's own.

        >>> p = Pattern("(a)--(b), (b)--(c)")
        >>> p.with_edges([*p.edges, PatternEdge(0, 2, directed=False)]).is_isomorphic(Pattern.clique(3))
        True
        """
        return self._make(
            build.finish(
                self.names,
                self.vertex_labels,
                edges,
                anti_edges,
                masks=self.masks,
                comparisons=self.comparisons,
            )
        )

    def merged(self, blocks: Sequence[Sequence[int]]) -> Self:
        """One vertex for each block of vertices, with the conditions and edges of all of them.

        >>> Pattern.path(4).merged([[0, 3], [1], [2]]).is_isomorphic(Pattern.clique(3))
        True
        """
        return self._make(build.merge_vertices(self._parts(), blocks))

    def with_labels(self, labels: Sequence[build.Conjunction]) -> Self:
        """The same pattern with these constraints on its vertices' labels, in the form of `vertex_labels`.

        >>> print(Pattern.path(3).with_labels(Pattern("(x:A)--(y:B)--(z:A)").vertex_labels))
        (a:A)--(b:B), (b)--(c:A)
        """
        if len(labels) != self.num_vertices:
            raise PatternError(f"{len(labels)} vertex labels for {self.num_vertices} vertices")
        return self._make(self._parts()._replace(vertex_labels=tuple(labels)))

    def to_undirected(self) -> Self:
        """The same pattern with every direction forgotten; edges that become equal merge."""

        def turn(edges: tuple[PatternEdge, ...]) -> list[PatternEdge]:
            return [build.make_edge(e.source, e.target, False, e.labels, e.name, mask=e.mask) for e in edges]

        return self._make(
            build.finish(
                self.names,
                self.vertex_labels,
                turn(self.edges),
                turn(self.anti_edges),
                masks=self.masks,
                comparisons=self.comparisons,
            )
        )

    # ---- what it is ---------------------------------------------------------------------------------------

    @property
    def num_vertices(self) -> int:
        return len(self.names)

    @property
    def is_directed(self) -> bool:
        """Whether any edge or anti-edge has a direction."""
        return any(e.directed for e in self.edges) or any(e.directed for e in self.anti_edges)

    @property
    def neighbor_masks(self) -> tuple[int, ...]:
        """For each vertex its neighbours, in either direction, as bits of an int; loops left out."""
        found = self._cache.get("neighbors")
        if found is None:
            found = self._cache["neighbors"] = tuple(neighbor_masks(self.num_vertices, self.edges))
        return found

    def index(self, vertex: str | int) -> int:
        """The index of a vertex given by name, or by index itself.

        >>> Pattern("(a)--(b)").index("b")
        1
        """
        if isinstance(vertex, str):
            if vertex in self.names:
                return self.names.index(vertex)
            raise PatternError(
                f"the pattern has no vertex {vertex!r}", hint=f"it has {', '.join(self.names)}"
            )
        if isinstance(vertex, bool) or not isinstance(vertex, int) or not 0 <= vertex < len(self.names):
            raise PatternError(f"the pattern has no vertex {vertex!r}; it has {len(self.names)}")
        return vertex

    @property
    def usual_name(self) -> str | None:
        """What the catalogue calls this shape, if it has a name and neither labels nor direction.

        >>> Pattern("(x)--(y)--(z)--(x)").usual_name
        'triangle'
        """
        if "usual_name" not in self._cache:
            from subiso.pattern.generate import usual_name

            self._cache["usual_name"] = usual_name(self)
        return self._cache["usual_name"]  # type: ignore[no-any-return]

    # ---- symmetry -----------------------------------------------------------------------------------------

    def _structure(self) -> Structure:
        found = self._cache.get("structure")
        if found is None:
            found = self._cache["structure"] = structure_of(self)
        return found

    def _group(self, fixed: Iterable[int | str] = (), extra_colors: Any = None) -> Group:
        key = (frozenset([self.index(v) for v in fixed]), self._ranks(extra_colors))
        found: Group | None = self._cache.get(key)
        if found is None:
            whole: Group | None = self._cache.get((frozenset(), None))
            # A subgroup of the trivial group needs no search.
            trivial = whole is not None and whole.order == 1
            found = whole if trivial and whole else stabilizer(self._structure(), sorted(key[0]), key[1])
            self._cache[key] = found
        return found

    def _ranks(self, colors: Mapping[int, Hashable] | Sequence[Hashable] | None) -> tuple[int, ...] | None:
        if colors is None:
            return None
        if isinstance(colors, Mapping):
            given = {self.index(v): color for v, color in colors.items()}
            # A colour apart from every given one, for the vertices that are not named.
            values: list[Any] = [(given[v],) if v in given else () for v in range(self.num_vertices)]
        else:
            values = list(colors)
            if len(values) != self.num_vertices:
                raise PatternError(f"{len(values)} colours for {self.num_vertices} vertices")
        ranks: dict[Any, int] = {}
        return tuple(ranks.setdefault(value, len(ranks)) for value in values)

    def automorphism_count(
        self,
        fixed: Iterable[int | str] = (),
        extra_colors: Mapping[int, Hashable] | Sequence[Hashable] | None = None,
    ) -> int:
        """How many automorphisms there are; with `fixed`, only those that leave these vertices in place.

        `extra_colors` is as for `orbits_under`.

        >>> Pattern.star(63).automorphism_count() == __import__("math").factorial(63)
        True
        """
        return self._group(fixed, extra_colors).order

    def orbits_under(
        self,
        fixed: Sequence[int | str] = (),
        extra_colors: Mapping[int, Hashable] | Sequence[Hashable] | None = None,
    ) -> tuple[tuple[int, ...], ...]:
        """Orbits of the automorphisms that keep each vertex of `fixed` in place, smallest vertex first.

        `extra_colors` (a sequence by vertex, or a mapping from some vertices) keeps vertices of different
        colours apart, as anchors do.

        >>> Pattern.diamond().orbits_under()
        ((0, 2), (1, 3))
        >>> Pattern.diamond().orbits_under([0])
        ((0,), (1, 3), (2,))
        """
        return self._group(fixed, extra_colors).orbits

    def automorphisms(self, limit: int = 100_000) -> list[Permutation]:
        """Every automorphism as a tuple of images, sorted; more than `limit` of them are refused.

        >>> Pattern.path(3).automorphisms()
        [(0, 1, 2), (2, 1, 0)]
        """
        group = self._group()
        if group.order > limit:
            raise PatternError(
                f"the pattern has {group.order} automorphisms, more than the limit of {limit}",
                hint="automorphism_count() and orbits_under() need no list",
            )
        return closure(group.generators, self.num_vertices)

    def canonical_form(self, extra_colors: Sequence[Any] | None = None) -> CanonicalForm:
        """A hashable value that two patterns share exactly when they are isomorphic; names play no part.

        `extra_colors`, comparable values by vertex, must then agree as well.

        >>> Pattern("(a)-->(b)").canonical_form() == Pattern("(x)<--(y)").canonical_form()
        True
        >>> Pattern.path(3).canonical_form([1, 0, 0]) == Pattern.path(3).canonical_form([0, 0, 1])
        True
        """
        if extra_colors is not None:
            return canonical_labelling(colored(self._structure(), extra_colors))[0]
        found = self._cache.get("canonical")
        if found is None:
            found = self._cache["canonical"] = canonical_labelling(self._structure())[0]
        return found

    def is_isomorphic(self, other: Pattern) -> bool:
        """Whether a renumbering turns one into the other, with labels, direction and conditions."""
        if (self.num_vertices, len(self.edges)) != (other.num_vertices, len(other.edges)):
            return False
        return self.canonical_form() == other.canonical_form()

    # ---- text and protocol --------------------------------------------------------------------------------

    def to_text(self, *, masks: str = "error") -> str:
        """Text that Pattern() reads back into an equal pattern.

        Masks cannot be written: with them this is an error, or with ``masks="comment"`` a comment names them.
        """
        from subiso.pattern.write import write

        if masks not in ("error", "comment"):
            raise PatternError(f'masks= is "error" or "comment", not {masks!r:.80}')
        return write(self._parts(), masks)

    def __str__(self) -> str:
        return self.to_text(masks="comment")

    def __repr__(self) -> str:
        return f"Pattern({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self._parts() == other._parts() if isinstance(other, Pattern) else NotImplemented

    def __hash__(self) -> int:
        found = self._cache.get("hash")
        if found is None:
            found = self._cache["hash"] = hash(self._parts())
        return found

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a pattern cannot be changed: {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a pattern cannot be changed: {name}")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (type(self), tuple(self._parts())))


def _restore(cls: type[Pattern], parts: tuple[Any, ...]) -> Pattern:
    return cls._make(build.Parts(*parts))
