"""The steps of schedule `levels`, a few launches each: from phases to stages, and the columns their tables carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from subiso.engine.cuda.levels_phases import Phase
from subiso.engine.cuda.pool import NO_ORIGIN
from subiso.engine.cuda.tables import EDGE, NO_EDGE, Lowered


@dataclass(frozen=True)
class Stage:
    """Reads the table of an earlier stage; `lists` leaves lists of candidates for `combine`, all others a table."""

    kind: Literal["seed", "join", "lists", "combine", "sift"]
    source: int
    """The stage whose table is read; -1 = none."""
    known: int
    """Positions that its rows hold."""
    width: int = 1
    """Positions that are added."""
    levels: tuple[int, ...] = ()
    """Whose demands are checked: one per set of candidates; of a sift, the first of its checks."""
    members: tuple[int, ...] = (0,)
    """Per added position its set."""
    sifted: tuple[int, ...] = ()
    """The positions that a sift's checks speak of."""

    @property
    def end(self) -> int:
        """Positions that the rows hold afterwards."""
        return self.known + self.width


def make_stages(phases: Sequence[Phase]) -> list[Stage]:
    """
    >>> [s.kind for s in make_stages([Phase(1, levels=(1,)), Phase(2, (0, 0), levels=(2,))])]
    ['seed', 'join', 'lists', 'combine']
    """
    stages = [Stage("seed", -1, 0)]
    table = 0
    for phase in phases:
        if phase.width == 1:
            stages.append(Stage("join", table, phase.first, 1, phase.levels))
        else:
            stages.append(Stage("lists", table, phase.first, 0, phase.levels, phase.members))
            stages.append(Stage("combine", table, phase.first, phase.width, phase.levels, phase.members))
        table = len(stages) - 1
        for check in phase.checks:
            known = phase.first + phase.width
            stages.append(Stage("sift", table, known, 0, (check.level,), (), check.positions))
            table = len(stages) - 1
    return stages


def columns_of_tables(
    lowered: Lowered, stages: Sequence[Stage], *, live: bool = True
) -> list[tuple[int, ...]]:
    """Per stage the positions that its table carries: those that a later stage or a size asks for, or all.

    Listings need whole matches, and so does telling data edges apart. Lists of candidates are no table, and what the
    last stage finds is counted or leaves, unless sizes hang below it.
    """
    whole = not live or lowered.tail == "rows" or lowered.edges
    sizes = range(lowered.num_levels, lowered.num_levels + int(lowered.tables["num_sizes"]))
    found: list[tuple[int, ...]] = []
    for number, stage in enumerate(stages):
        if stage.kind == "lists" or (number + 1 == len(stages) and lowered.tail != "sizes"):
            found.append(())
            continue
        asked = {p for size in sizes for p in positions_asked(lowered, size)}
        for later in stages[number + 1 :]:
            asked |= _read(lowered, later)
        found.append(tuple(p for p in range(stage.end) if whole or p in asked))
    return found


def _read(lowered: Lowered, stage: Stage) -> set[int]:
    """The positions of its source that a stage reads."""
    levels = range(stage.levels[0], stage.levels[0] + len(stage.sifted)) if stage.sifted else stage.levels
    return set(stage.sifted) | {p for level in levels for p in positions_asked(lowered, level)}


def relations_read(lowered: Lowered, stages: Sequence[Stage]) -> list[frozenset[int]]:
    """Per stage the relations that it reads, and so does who looks its candidates up before; last, the tail's."""
    found = [_relations(lowered, stage) for stage in stages]
    sizes = range(lowered.num_levels, lowered.num_levels + int(lowered.tables["num_sizes"]))
    found.append(_of_levels(lowered, sizes, 0, lowered.num_levels))
    return found


def _relations(lowered: Lowered, stage: Stage) -> frozenset[int]:
    if stage.kind == "combine":
        return _of_levels(lowered, range(stage.known, stage.end), stage.known, stage.end)
    levels = range(stage.levels[0], stage.levels[0] + len(stage.sifted)) if stage.sifted else stage.levels
    return _of_levels(lowered, levels, 0, stage.known)


def _of_levels(lowered: Lowered, levels: Iterable[int], begin: int, end: int) -> frozenset[int]:
    """The relations of levels' operations on positions from `begin` to `end`."""
    first, ops = lowered.tables["first"], lowered.tables["ops"]
    return frozenset(
        int(op["a"])
        for level in levels
        for op in ops[int(first[level][begin]) : int(first[level][end])]
        if op["kind"] in (EDGE, NO_EDGE)
    )


def positions_asked(lowered: Lowered, level: int) -> set[int]:
    """Positions that a level has operations for."""
    first = lowered.tables["first"][level].tolist()
    return {p for p in range(len(first) - 1) if first[p] != first[p + 1]}


def has_operands(lowered: Lowered, level: int, known: int) -> bool:
    """Candidates of a level are looked up in lists beside the one that they come from."""
    return len(_list_ops(lowered, level, known, (EDGE, NO_EDGE))) > 1


def rarest_list(lowered: Lowered, level: int, known: int, entries: Sequence[int]) -> int:
    """The operation of a level on positions before `known` whose relation has fewest edges (`entries`, by relation)."""
    lists = [(entries[relation], number) for number, relation in _list_ops(lowered, level, known, (EDGE,))]
    return min(lists, default=(0, NO_ORIGIN))[1]


def _list_ops(lowered: Lowered, level: int, known: int, kinds: Sequence[int]) -> list[tuple[int, int]]:
    """(number, relation) of a level's operations of these kinds on positions before `known`."""
    first = lowered.tables["first"][level]
    ops = lowered.tables["ops"][int(first[0]) : int(first[known])]
    return [(number, int(op["a"])) for number, op in enumerate(ops) if op["kind"] in kinds]
