"""Quotients of a problem: what is counted when vertices of different components fall on the same data vertex."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from subiso.pattern import PatternEdge
from subiso.plan.problem import Link, PairCheck, Problem

Blocks = tuple[tuple[int, ...], ...]


def coincidences(problem: Problem, groups: Sequence[Sequence[int]]) -> Iterator[Blocks]:
    """Every way in which vertices of different groups coincide (at least two): blocks of vertices, single ones too.

    Vertices that are in no group stay alone.
    """
    grouped = {v for group in groups for v in group}
    alone = tuple((v,) for v in range(problem.num_vertices) if v not in grouped)
    for blocks in _merged(problem, [tuple(group) for group in groups]):
        if any(len(block) > 1 for block in blocks):
            yield tuple(sorted((*alone, *blocks)))


def _merged(problem: Problem, groups: list[tuple[int, ...]]) -> Iterator[Blocks]:
    """Blocks with at most one vertex of each group."""
    if not groups:
        yield ()
        return
    for blocks in _merged(problem, groups[1:]):
        yield from _placed(problem, groups[0], list(blocks), 0)


def _placed(
    problem: Problem, group: tuple[int, ...], blocks: list[tuple[int, ...]], used: int
) -> Iterator[Blocks]:
    """The blocks with every vertex of a group in a block of its own, or added to one of those not `used`."""
    if not group:
        yield tuple(blocks)
        return
    first = group[0]
    yield from _placed(problem, group[1:], [*blocks, (first,)], used | 1 << len(blocks))
    for i, block in enumerate(blocks):
        if not used >> i & 1 and all(_may_meet(problem, first, v) for v in block):
            grown = [*blocks[:i], tuple(sorted((*block, first))), *blocks[i + 1 :]]
            yield from _placed(problem, group[1:], grown, used | 1 << i)


def _may_meet(problem: Problem, u: int, v: int) -> bool:
    return not problem.overlaps or bool(problem.overlaps[u] >> v & 1)


def quotient(problem: Problem, blocks: Blocks) -> Problem | None:
    """The problem with one vertex for each block, which meets the conditions of all its members; None where these
    contradict each other."""
    place = {v: i for i, block in enumerate(blocks) for v in block}

    links = {}
    for link, (ahead, back) in zip(problem.links, _fans(problem), strict=True):
        new = _moved(link, place)
        links[new] = (ahead, back) if new.a == place[link.a] else (back, ahead)
    forbidden = tuple(_moved(link, place) for link in problem.forbidden)
    if links.keys() & set(forbidden):
        return None
    return replace(
        problem,
        pattern=problem.pattern.merged(blocks),
        unique=True,
        links=tuple(links),
        forbidden=forbidden,
        absent=tuple(_moved_edge(edge, place) for edge in problem.absent),
        pairs=tuple(PairCheck(place[c.a], c.op, place[c.b], c.left_key, c.right_key) for c in problem.pairs),
        filters=tuple(_filters(problem, block) for block in blocks) if problem.filters else (),
        anchored=frozenset(place[v] for v in problem.anchored),
        sizes=tuple(min(problem.sizes[v] for v in block) for block in blocks) if problem.sizes else (),
        fans=tuple(links.values()) if problem.fans else (),
        overlaps=_overlaps(problem, blocks),
        apart=any(problem.filters),
        implied=frozenset((place[v], relation, f) for v, relation, f in problem.implied),
        imposed=tuple(sorted({(place[a], place[b]) for a, b in problem.imposed})),
    )


def _moved(link: Link, place: dict[int, int]) -> Link:
    a, b = place[link.a], place[link.b]
    return Link(a, b, link.forward, link.backward) if a < b else Link(b, a, link.backward, link.forward)


def _moved_edge(edge: PatternEdge, place: dict[int, int]) -> PatternEdge:
    source, target = place[edge.source], place[edge.target]
    if not edge.directed and source > target:
        source, target = target, source
    return replace(edge, source=source, target=target)


def _fans(problem: Problem) -> Sequence[tuple[float, float]]:
    return problem.fans or ((1.0, 1.0),) * len(problem.links)


def _filters(problem: Problem, block: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({f for v in block for f in problem.filters[v]}))


def _overlaps(problem: Problem, blocks: Blocks) -> tuple[int, ...]:
    if not problem.overlaps:
        return ()
    return tuple(
        sum(
            1 << j
            for j, other in enumerate(blocks)
            if all(_may_meet(problem, u, v) for u in block for v in other)
        )
        for block in blocks
    )
