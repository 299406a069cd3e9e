"""Canonical forms: equal exactly for isomorphic patterns.

Individualisation and refinement, level by level: of all branches only those with the smallest trace are kept,
and of branches that an automorphism carries into each other only one. What is left at the end differs at most
in its adjacency, of which the smallest is the form.
"""

from __future__ import annotations

from typing import Any

from subiso.pattern.automorphism import is_transposition, orbits_along
from subiso.pattern.refine import Cells, bits, color_cells, individualize, refine, smallest_cell
from subiso.pattern.structure import Structure

CanonicalForm = tuple[Any, ...]
EASY_TO_COMPARE = 8
"""Vertices of patterns whose forms cost nothing to speak of; larger ones may cost more than to count twice."""
_Orbits = dict[tuple[int, ...], list[int]]


def canonical_labelling(structure: Structure) -> tuple[CanonicalForm, tuple[int, ...]]:
    """The form, and the nodes in canonical order."""
    cells = color_cells(structure)
    refine(structure, cells, cells.copy())
    frontier = [cells]
    known: _Orbits = {}
    while (position := smallest_cell(structure, frontier[0])) >= 0:
        frontier = _next_level(structure, frontier, position, known)
    leaves = [tuple(cell.bit_length() - 1 for cell in leaf) for leaf in frontier]
    rows, order = min((_rows(structure, leaf), leaf) for leaf in leaves)
    colors = tuple(structure.colors[node] for node in order)
    form = (structure.real, colors, structure.color_keys, structure.relation_keys, rows)
    return form, order


def _next_level(structure: Structure, frontier: list[Cells], position: int, known: _Orbits) -> list[Cells]:
    best: list[int] | None = None
    kept: list[Cells] = []
    for cells in frontier:
        for node in _representatives(structure, cells, position, known):
            child, trace = individualize(structure, cells, position, node)
            if best is None or trace < best:
                best, kept = trace, [child]
            elif trace == best:
                kept.append(child)
    return kept


def _representatives(structure: Structure, cells: Cells, position: int, known: _Orbits) -> list[int]:
    """One node of the cell for each orbit of the automorphisms that keep `cells`."""
    found: list[int] = []
    for node in bits(cells[position]):
        if not any(is_transposition(structure, node, other) for other in found):
            found.append(node)
    if len(found) == 1:
        return found
    key = tuple(cells)
    if key not in known:
        # One search answers for a whole path of the tree, the one that always takes the first node.
        known.update(orbits_along(structure, cells))
    orbit_of = known[key]
    first: dict[int, int] = {}
    for node in bits(cells[position]):
        first.setdefault(orbit_of[node], node)
    return list(first.values())


def _rows(structure: Structure, order: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    place = [0] * structure.size
    for at, node in enumerate(order):
        place[node] = at
    result = []
    for relation in structure.relations:
        rows = []
        for node in order:
            row = 0
            for other in bits(relation[node]):
                row |= 1 << place[other]
            rows.append(row)
        result.append(tuple(rows))
    return tuple(result)
