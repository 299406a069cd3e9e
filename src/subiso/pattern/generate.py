"""All connected patterns of a size, and the names of those that have one."""

from __future__ import annotations

from functools import cache

from subiso.errors import PatternError
from subiso.pattern.canonical import CanonicalForm, canonical_labelling
from subiso.pattern.catalogue import usual_names
from subiso.pattern.check import neighbor_masks
from subiso.pattern.elements import plain_edge
from subiso.pattern.pattern import Pattern
from subiso.pattern.structure import plain_structure

_LARGEST = 7


def connected_patterns(k: int) -> list[Pattern]:
    """Every connected graph of k vertices once, by number of edges; as in the catalogue where it has a name.

    >>> [len(connected_patterns(k)) for k in (3, 4, 5)]
    [2, 6, 21]
    >>> [p.usual_name for p in connected_patterns(4)]
    ['path4', 'claw', 'cycle4', 'tailed_triangle', 'diamond', 'clique4']
    """
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= _LARGEST:
        raise PatternError(f"all connected patterns are known of 1 to {_LARGEST} vertices, not of {k!r}")
    return [pattern for pattern, _ in _connected(k)]


@cache
def _connected(k: int) -> tuple[tuple[Pattern, CanonicalForm], ...]:
    if k == 1:
        one = Pattern.clique(1)
        return ((one, one.canonical_form()),)
    found: dict[CanonicalForm, tuple[int, ...]] = {}
    # Each connected graph has a vertex that can be taken away without breaking it: so adding one finds all.
    for smaller, _ in _connected(k - 1):
        base = smaller.neighbor_masks
        for joined in range(1, 1 << (k - 1)):
            rows = tuple(row | (joined >> v & 1) << (k - 1) for v, row in enumerate(base))
            form, _ = canonical_labelling(plain_structure((*rows, joined)))
            if form not in found:
                found[form] = form[-1][0]
    names = _names(k)
    result = []
    for form, rows in found.items():
        if form in names:
            pattern = Pattern.named(names[form])
        else:
            edges = [(u, v) for u in range(k) for v in range(u + 1, k) if rows[u] >> v & 1]
            pattern = Pattern.from_edges(edges)
        result.append((pattern, form))
    result.sort(key=lambda item: (len(item[0].edges), _degrees(item[0]), item[1]))
    return tuple(result)


def _degrees(pattern: Pattern) -> list[int]:
    return sorted((mask.bit_count() for mask in pattern.neighbor_masks), reverse=True)


@cache
def _names(count: int) -> dict[CanonicalForm, str]:
    result: dict[CanonicalForm, str] = {}
    for name, edges in usual_names(count):
        masks = neighbor_masks(count, [plain_edge(u, v, False) for u, v in edges])
        form, _ = canonical_labelling(plain_structure(tuple(masks)))
        result.setdefault(form, name)
    return result


def is_plain(pattern: Pattern) -> bool:
    """Whether a pattern is a mere graph: no directions, labels, loops, anti-edges or conditions.

    >>> is_plain(Pattern("(a)--(b)")), is_plain(Pattern("(a)-->(b)"))
    (True, False)
    """
    plain = not any(pattern.vertex_labels) and not any(pattern.masks) and not pattern.comparisons
    edges_plain = all(
        not edge.directed and edge.labels is None and edge.mask is None and edge.source != edge.target
        for edge in pattern.edges
    )
    return plain and edges_plain and not pattern.anti_edges


def usual_name(pattern: Pattern) -> str | None:
    """The catalogue's name of a pattern, None where it has none or where it carries labels or conditions."""
    if not is_plain(pattern):
        return None
    return _names(pattern.num_vertices).get(pattern.canonical_form())
