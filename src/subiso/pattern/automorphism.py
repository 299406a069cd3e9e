"""The automorphism group of a pattern: exact order, orbits and generators, without listing the group.

A chain of stabilisers: fix base vertices one by one until refinement leaves nothing to choose; then, from the
last one back, look for one automorphism to every vertex that might be an image of the base vertex and is not
yet known to be. The order is the product of the orbits' sizes along the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from subiso.pattern.refine import (
    Cells,
    bits,
    color_cells,
    individualize,
    refine,
    smallest_cell,
)
from subiso.pattern.structure import Structure

Permutation = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A permutation group on the pattern's vertices."""

    order: int
    orbits: tuple[tuple[int, ...], ...]
    generators: tuple[Permutation, ...]


def stabilizer(structure: Structure, fixed: Sequence[int] = (), extra: Sequence[int] | None = None) -> Group:
    """The automorphisms that keep every vertex of `fixed`, and every class of `extra`, in place."""
    cells = color_cells(structure, extra)
    refine(structure, cells, cells.copy())
    for vertex in fixed:
        position = next(i for i, cell in enumerate(cells) if cell >> vertex & 1)
        if cells[position] != 1 << vertex:
            cells, _ = individualize(structure, cells, position, vertex)
    return group_of_cells(structure, cells)


def group_of_cells(structure: Structure, cells: Cells) -> Group:
    """The automorphisms that map every cell of an equitable ordered partition onto itself."""
    if len(cells) == structure.size:
        return Group(1, tuple((v,) for v in range(structure.real)), ())
    return _Chain(structure, cells).group()


def orbits_along(structure: Structure, cells: Cells) -> dict[tuple[int, ...], list[int]]:
    """For `cells`, and for what is left of them as one base after the other is fixed: who shares an orbit.

    Each list gives every node, edge nodes too, a number that is the same within an orbit.
    """
    chain = _Chain(structure, cells)
    found = {}
    for level in reversed(range(len(chain.bases))):
        chain.orbit_size(level)
        found[tuple(chain.levels[level])] = [chain.find(node) for node in range(structure.size)]
    return found


def is_transposition(structure: Structure, a: int, b: int) -> bool:
    """Whether exchanging two nodes of one colour, and nothing else, is an automorphism."""
    others = ~(1 << a | 1 << b)
    return all(
        (row[a] ^ row[b]) & others == 0 and row[a] >> b & 1 == row[b] >> a & 1 for row in structure.relations
    )


class _Chain:
    def __init__(self, structure: Structure, cells: Cells) -> None:
        self.structure = structure
        self.bases: list[int] = []
        self.positions: list[int] = []
        self.levels: list[Cells] = []
        self.traces: list[list[int]] = []
        while (position := smallest_cell(structure, cells)) >= 0:
            base = next(bits(cells[position]))
            self.bases.append(base)
            self.positions.append(position)
            self.levels.append(cells)
            cells, trace = individualize(structure, cells, position, base)
            self.traces.append(trace)
        self.leaf = cells
        self.parent = list(range(structure.size))
        self.generators: list[Permutation] = []

    def group(self) -> Group:
        real = self.structure.real
        order = 1
        for level in reversed(range(len(self.bases))):
            if self.bases[level] < real:  # edge nodes follow their vertices and count nothing
                order *= self.orbit_size(level)
        orbits: dict[int, list[int]] = {}
        for vertex in range(real):
            orbits.setdefault(self.find(vertex), []).append(vertex)
        found = tuple(permutation[:real] for permutation in self.generators)
        return Group(order, tuple(tuple(orbit) for orbit in orbits.values()), found)

    def orbit_size(self, level: int) -> int:
        base, cell = self.bases[level], self.levels[level][self.positions[level]]
        failed: list[int] = []
        for node in bits(cell):
            root = self.find(node)
            if root == self.find(base) or any(self.find(other) == root for other in failed):
                continue
            permutation = self.exchange(base, node) or self.search(level, node)
            if permutation is None:
                failed.append(node)
            else:
                self.generators.append(permutation)
                for u, v in enumerate(permutation):
                    self.join(u, v)
        root = self.find(base)
        return sum(self.find(node) == root for node in bits(cell))

    def exchange(self, a: int, b: int) -> Permutation | None:
        if not is_transposition(self.structure, a, b):
            return None
        image = list(range(self.structure.size))
        image[a], image[b] = b, a
        return tuple(image)

    def search(self, level: int, target: int) -> Permutation | None:
        """An automorphism that keeps the bases before `level` and sends its base to `target`, or None."""
        depth = len(self.bases)
        choices = [iter((target,))]
        states = [self.levels[level]]
        while choices:
            at = level + len(choices) - 1
            node = next(choices[-1], None)
            if node is None:
                choices.pop()
                states.pop()
                continue
            cells, trace = individualize(self.structure, states[-1], self.positions[at], node)
            if trace != self.traces[at]:
                continue
            if at + 1 < depth:
                states.append(cells)
                choices.append(iter(self.candidates(cells, at + 1)))
                continue
            permutation = self.read_leaf(cells)
            if permutation is not None:
                return permutation
        return None

    def candidates(self, cells: Cells, level: int) -> list[int]:
        # The base itself first: most automorphisms move little.
        cell, base = cells[self.positions[level]], self.bases[level]
        nodes = list(bits(cell))
        if cell >> base & 1:
            nodes.remove(base)
            nodes.insert(0, base)
        return nodes

    def read_leaf(self, cells: Cells) -> Permutation | None:
        image = [0] * self.structure.size
        for source, target in zip(self.leaf, cells, strict=True):
            image[source.bit_length() - 1] = target.bit_length() - 1
        return tuple(image) if is_automorphism(self.structure, image) else None

    def find(self, node: int) -> int:
        parent = self.parent
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    def join(self, a: int, b: int) -> None:
        low, high = sorted((self.find(a), self.find(b)))
        self.parent[high] = low


def is_automorphism(structure: Structure, image: Sequence[int]) -> bool:
    """Whether a permutation that keeps node colours keeps every coloured pair too."""
    for relation in structure.relations:
        for node, row in enumerate(relation):
            mapped = 0
            for other in bits(row):
                mapped |= 1 << image[other]
            if mapped != relation[image[node]]:
                return False
    return True


def closure(generators: Sequence[Permutation], count: int) -> list[Permutation]:
    """Every element of the group that the generators make, sorted."""
    identity = tuple(range(count))
    elements = {identity}
    frontier = [identity]
    while frontier:
        found = []
        for element in frontier:
            for generator in generators:
                product = tuple([generator[v] for v in element])
                if product not in elements:
                    elements.add(product)
                    found.append(product)
        frontier = found
    return sorted(elements)
