"""What filters on a device ask of candidates, as the tables that kernels/filters.cuh reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.filter_kernel import ASK, FILTER_ARGS, NO_VERTEX, REPORT, VERTEX
from subiso.engine.cuda.filter_tune import FilterWishes, pieces_of
from subiso.engine.cuda.machine import Machine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.filter.candidates import Part, kind_of
from subiso.filter.narrow import Asked
from subiso.filter.signature import pattern_signatures
from subiso.storage.layout import Layout


@dataclass
class _Asks:
    """The questions to the candidates of one pattern vertex."""

    once: dict[tuple[tuple[int, ...], int], int] = field(default_factory=dict)
    """(kind of neighbour, relation) -> how many of it; the kind () is any."""
    again: list[tuple[int, int, int]] = field(default_factory=list)
    """(neighbour in the pattern, relation, number of the fan)"""


class FilterTables(Buffers):
    """The tables of one query, and room for its candidates."""

    def __init__(self, machine: Machine, graph: DeviceGraph, asked: Asked, wishes: FilterWishes) -> None:
        super().__init__(machine)
        self.graph, self.asked, self.wishes = graph, asked, wishes
        self.vertices = [v for v, mine in enumerate(asked.begun.filtered) if mine]
        """Pattern vertices with candidates; everything here is by their place in it."""
        self.words = 2 * (-(-graph.layout.num_vertices // 64))
        signed = "signature" in asked.begun.used
        self.signatures = asked.signatures if signed else None
        self.asks = self._questions()
        self.bits = self._allocate(max(4 * self.words * len(self.vertices), 1))
        self.all = self._allocate(max(4 * self.words, 1))
        self.counts = self._allocate(max(4 * self.words, 1))
        chunk, self.blocks = pieces_of(self.words, len(self.vertices), machine.description, wishes)
        self.args = self._args(chunk)

    def _questions(self) -> list[_Asks]:
        """What is asked of the candidates of every vertex: the same as native/filter/narrow.cpp asks."""
        asked, used = self.asked, self.asked.begun.used
        asks = [_Asks() for _ in asked.parts]
        ends = [end for k in asked.links for end in ((k.a, k.b, k.forward), (k.b, k.a, k.backward))]
        for a, b, relation in dict.fromkeys(ends):
            kinds = {()} if "degree" in used else set[tuple[int, ...]]()
            kinds |= {kind_of(asked.parts[b])} if "frequency" in used else set()
            for kind in sorted(kinds):
                before = asks[a].once.get((kind, relation), 0)
                asks[a].once[kind, relation] = before + 1 if asked.query.injective else 1
        if "refine" in used:
            for number, (a, b, relation) in enumerate(ends):
                asks[a].again.append((b, relation, number))
            for mine in asks:  # refinement asks more than for one
                mine.once = {key: count for key, count in mine.once.items() if count > 1}
        return [asks[v] for v in self.vertices]

    def _args(self, chunk: int) -> NDArray[Any]:
        parts, wanted = self._parts()
        vertices, asks = self._tables(parts)
        report = np.zeros((), REPORT)
        report["changed"][0] = 1
        fans = np.zeros((len(asks), 2), np.uint64)
        self.fan_bytes = fans.nbytes
        addresses = np.array([address for mine in parts for address in mine], np.uint64)
        images = [report, fans, vertices, asks, addresses, wanted]
        at = np.cumsum([0, *(image.nbytes for image in images)])
        self.tables = self._allocate(int(at[-1]))
        self.machine.write(self.tables, np.frombuffer(b"".join(i.tobytes() for i in images), np.uint8))
        args = np.zeros((), FILTER_ARGS)
        for name, offset in zip(("report", "fans", "vertices", "asks", "parts", "wanted"), at, strict=False):
            args[name] = self.tables.address + int(offset)
        args["all"], args["counts"] = self.all.address, self.counts.address
        args["num_vertices"] = self.graph.layout.num_vertices
        args["pieces"] = (self.words, chunk, len(self.vertices))
        table = self.signatures
        if table is not None:
            columns = self.graph.array(table.words)
            self.kept.append(columns)
            args["table"], args["signature_words"] = columns.address, table.num_bits // 64
        return args

    def _parts(self) -> tuple[list[list[int]], NDArray[np.uint64]]:
        """The bitmaps that each vertex's candidates must be in, as addresses; and the signatures."""
        asked, layout = self.asked, self.graph.layout
        assert isinstance(layout, Layout)
        here: dict[int, int] = {}

        def address(part: Part) -> int:
            if id(part.bits) not in here:
                if part.kept:
                    buffer = self.graph.array(part.bits)
                    self.kept.append(buffer)
                    here[id(part.bits)] = buffer.address
                else:
                    here[id(part.bits)] = self._upload(part.bits)
            return here[id(part.bits)]

        everyone = [Part(layout.everyone, True)]
        parts = [[address(part) for part in asked.parts[v] or everyone] for v in self.vertices]
        if self.signatures is None:
            return parts, np.zeros(0, np.uint64)
        signatures = pattern_signatures(asked.query, self.signatures)
        return parts, np.array([signatures[v] for v in self.vertices], np.uint64).reshape(-1)

    def _tables(self, parts: list[list[int]]) -> tuple[NDArray[Any], NDArray[Any]]:
        asked = self.asked
        kinds = {kind_of(asked.parts[v]): i for i, v in reversed(list(enumerate(self.vertices)))}
        place = {v: i for i, v in enumerate(self.vertices)}
        wanted = {kind for mine in self.asks for kind, _ in mine.once if kind}
        given = {kind: self._given(kinds[kind], parts) for kind in wanted}
        vertices = np.zeros(len(self.vertices), VERTEX)
        asks: list[tuple[int, ...]] = []
        self.first_again: list[int] = []
        first_part = 0
        for i, mine in enumerate(self.asks):
            one, kind = vertices[i], kind_of(asked.parts[self.vertices[i]])
            one["bits"] = self._bits(i)
            if kind in given and kinds[kind] == i and len(parts[i]) > 1:
                one["given"] = given[kind]
            one["first_part"], one["end_part"] = first_part, first_part + len(parts[i])
            first_part += len(parts[i])
            one["first_ask"] = len(asks)
            for (other_kind, relation), count in mine.once.items():
                asks.append((*self._lists(relation), given.get(other_kind, 0), NO_VERTEX, count))
            one["first_again"] = len(asks)
            self.first_again.append(len(asks))
            for b, relation, _ in mine.again:
                others = (self._bits(place[b]), place[b]) if b in place else (0, NO_VERTEX)
                asks.append((*self._lists(relation), *others, 1))
            one["end_ask"] = len(asks)
        return vertices, np.array(asks, ASK)

    def _given(self, vertex: int, parts: list[list[int]]) -> int:
        """Where the candidates by labels and conditions alone are to be found."""
        if len(parts[vertex]) == 1:
            return parts[vertex][0]
        return self._allocate(4 * self.words).address

    def _bits(self, vertex: int) -> int:
        return self.bits.address + 4 * self.words * vertex

    def _lists(self, relation: int) -> tuple[int, int]:
        lists = self.graph.csr(self.asked.csrs[relation], wide=False)
        self.kept.append(lists)
        return lists.bounds.address, lists.neighbors.address
