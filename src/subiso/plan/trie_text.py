"""Prints plans of one search as nested loops: those that several plans share once, with what each plan sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from subiso.plan.merge import Group
from subiso.plan.plan import CountTail, Plan, SetRef, Source
from subiso.plan.text import Writer


def trie_text(group: Group, names: Sequence[str]) -> list[str]:
    """The loops of a group of plans, whose counts have these names. Vertices are a, b, ... as they are matched."""
    writers = [_Spelled(_lettered(plan)) for plan in group.plans]
    return _below(group, names, writers, (), list(range(len(writers))))


def _below(
    group: Group, names: Sequence[str], writers: Sequence[_Spelled], path: tuple[int, ...], members: list[int]
) -> list[str]:
    """The plans that have a path in common, from there on."""
    depth = len(path)
    children: dict[int, list[int]] = {}
    lines = []
    for i in members:
        if len(group.levels[i]) == depth:
            lines += writers[i].tail_lines(names[i], depth)
        else:
            children.setdefault(group.levels[i][depth], []).append(i)
    for level, below in children.items():
        note = f"  # shared by {len(below)}" if len(below) > 1 else ""
        lines.append(writers[below[0]].level_line(depth) + note)
        lines += _below(group, names, writers, (*path, level), below)
    return lines


def _lettered(plan: Plan) -> Plan:
    """The plan with its vertices named by their place in its order."""
    tail = plan.tail.vertices if isinstance(plan.tail, CountTail) else ()
    letters = {v: _letter(i) for i, v in enumerate((*plan.order, *tail))}
    return replace(plan, names=tuple(letters[v] for v in range(len(plan.names))))


def _letter(i: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[i] if i < 26 else f"v{i}"


class _Spelled(Writer):
    """Sets are spelled out, since plans number them differently."""

    def source(self, source: Source) -> str:
        if isinstance(source, SetRef):
            return f"({self.expression(self.plan.sets[source.index].expression)})"
        return super().source(source)

    def level_line(self, depth: int) -> str:
        if depth == 0:
            return self.seed_line()
        return self.indent(depth) + self.loop(depth, self.plan.extends[depth - 1])

    def tail_lines(self, name: str, depth: int) -> list[str]:
        assert isinstance(self.plan.tail, CountTail)
        divided = f", / {self.plan.tail.divisor} in the end" if self.plan.tail.divisor != 1 else ""
        *sizes, total = self.count_tail(self.plan.tail, name)
        return [self.indent(depth) + line for line in (*sizes, total + divided)]
