"""Canonical forms: equal exactly for isomorphic patterns.

Individualisation and refinement, level by level: of all branches only those with the smallest trace are kept, and of
branches that an automorphism carries into each other only one. What is left at the end differs at most in its
adjacency, of which the smallest is the form.
"""

from __future__ import annotations

from typing import Any

from subiso.pattern.automorphism import group_of_cells, is_transposition
from subiso.pattern.refine import Cells, bits, color_cells, individualize, refine, smallest_cell
from subiso.pattern.structure import Structure

CanonicalForm = tuple[Any, ...]


def canonical_labelling(structure: Structure) -> tuple[CanonicalForm, tuple[int, ...]]:
    """The form, and the nodes in canonical order."""
    cells = color_cells(structure)
    refine(structure, cells, cells.copy())
    frontier = [cells]
    while (position := smallest_cell(structure, frontier[0])) >= 0:
        frontier = _next_level(structure, frontier, position)
    leaves = [tuple(cell.bit_length() - 1 for cell in leaf) for leaf in frontier]
    rows, order = min((_rows(structure, leaf), leaf) for leaf in leaves)
    colors = tuple(structure.colors[node] for node in order)
    form = (structure.real, colors, structure.color_keys, structure.relation_keys, rows)
    return form, order


def _next_level(structure: Structure, frontier: list[Cells], position: int) -> list[Cells]:
    best: list[int] | None = None
    kept: list[Cells] = []
    for cells in frontier:
        for node in _representatives(structure, cells, position):
            child, trace = individualize(structure, cells, position, node)
            if best is None or trace < best:
                best, kept = trace, [child]
            elif trace == best:
                kept.append(child)
    return kept


def _representatives(structure: Structure, cells: Cells, position: int) -> list[int]:
    """One node of the cell for each orbit of the automorphisms that keep `cells`."""
    found: list[int] = []
    for node in bits(cells[position]):
        if not any(is_transposition(structure, node, other) for other in found):
            found.append(node)
    if len(found) == 1 or found[0] >= structure.real:
        return found
    orbits = group_of_cells(structure, cells).orbits
    cell = cells[position]
    return [orbit[0] for orbit in orbits if cell >> orbit[0] & 1]


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
