"""Colour refinement of ordered partitions, with sets of nodes as bits of Python integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from subiso.pattern.structure import Structure

Cells = list[int]


def bits(mask: int) -> Iterator[int]:
    """The members of a set of nodes, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def color_cells(structure: Structure, extra: Sequence[int] | None = None) -> Cells:
    """The cells of equal colour, in order of colour; `extra` colours real vertices further apart."""
    groups: dict[tuple[int, int], int] = {}
    for node, color in enumerate(structure.colors):
        key = (color, extra[node] if extra is not None and node < structure.real else 0)
        groups[key] = groups.get(key, 0) | 1 << node
    return [groups[key] for key in sorted(groups)]


def refine(structure: Structure, cells: Cells, queue: list[int]) -> list[int]:
    """Split `cells` in place until each node of a cell sees every cell equally often.

    `queue` holds the sets to split by. Returns the trace: numbers that are equal whenever the two inputs are
    isomorphic, so that different traces prove two branches of a search different.
    """
    trace: list[int] = []
    size = structure.size
    for splitter in queue:  # the list grows while we walk it
        if len(cells) == size:
            break
        if splitter & (splitter - 1) == 0:
            node = splitter.bit_length() - 1
            for relation in structure.relations:
                if relation[node]:
                    _split_by_set(cells, relation[node], queue, trace)
        else:
            for relation in structure.relations:
                _split_by_counts(cells, relation, splitter, queue, trace)
    return trace


def _split_by_set(cells: Cells, members: int, queue: list[int], trace: list[int]) -> None:
    position = 0
    while position < len(cells):
        cell = cells[position]
        inside = cell & members
        if inside:
            trace.append(position)
            trace.append(inside.bit_count())
            if inside != cell:
                cells[position : position + 1] = [cell ^ inside, inside]
                queue.append(cell ^ inside)
                queue.append(inside)
                position += 1
        position += 1
    trace.append(-1)


def _split_by_counts(
    cells: Cells, relation: Sequence[int], splitter: int, queue: list[int], trace: list[int]
) -> None:
    position = 0
    while position < len(cells):
        cell = cells[position]
        if cell & (cell - 1) == 0:
            trace.append((relation[cell.bit_length() - 1] & splitter).bit_count())
            position += 1
            continue
        groups: dict[int, int] = {}
        rest = cell
        while rest:
            low = rest & -rest
            count = (relation[low.bit_length() - 1] & splitter).bit_count()
            groups[count] = groups.get(count, 0) | low
            rest ^= low
        trace.append(len(groups))
        if len(groups) == 1:
            trace.append(count)
            position += 1
            continue
        counts = sorted(groups)
        pieces = [groups[count] for count in counts]
        for count, piece in zip(counts, pieces, strict=True):
            trace.append(count)
            trace.append(piece.bit_count())
        cells[position : position + 1] = pieces
        queue.extend(pieces)
        position += len(pieces)
    trace.append(-1)


def individualize(structure: Structure, cells: Cells, position: int, node: int) -> tuple[Cells, list[int]]:
    """A refined copy of `cells` in which `node` stands alone, before the rest of its cell."""
    single = 1 << node
    result = cells.copy()
    result[position : position + 1] = [single, cells[position] ^ single]
    trace = refine(structure, result, [single])
    return result, trace


def smallest_cell(structure: Structure, cells: Cells) -> int:
    """Where to branch: the first smallest cell of several nodes, vertices before edge nodes; -1: nowhere.

    Small cells keep a search inside the part of the pattern that it has already touched.
    """
    best, best_size = -1, 1 << 30
    real = (1 << structure.real) - 1
    for position, cell in enumerate(cells):
        if cell & (cell - 1):
            cell_size = cell.bit_count() + (0 if cell & real else 1 << 20)
            if cell_size < best_size:
                best, best_size = position, cell_size
    return best
