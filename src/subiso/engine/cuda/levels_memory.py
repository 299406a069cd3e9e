"""Device memory of schedule `levels`: the state of all stages, their tables, and lists of candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.layout import CONTROL
from subiso.engine.cuda.levels_layout import HAND, LEVEL_ROWS, LEVEL_STATE, NO_SLOT, TILE
from subiso.engine.cuda.levels_stages import Stage
from subiso.engine.cuda.machine import Machine


class LevelsMemory(Buffers):
    """Per stage what it leaves: a table with up to two sets of candidates, or lists (`hand`)."""

    def __init__(
        self,
        machine: Machine,
        stages: Sequence[Stage],
        slots: Sequence[tuple[int, ...]],
        capacities: Sequence[int],
        room: int,
    ) -> None:
        """`room` is for elements of a list."""
        super().__init__(machine)
        self.stages, self.slots, self.capacities, self.room = stages, slots, capacities, room
        self.first_state = [0]
        """Per stage the number of its first state; stages before one that makes two lists have two."""
        for number in range(len(stages)):
            self.first_state.append(self.first_state[-1] + self.num_sets(number))
        self._allocate_state()
        self.tables = [self._sets(number) for number in range(len(stages))]
        self.hands = [self._hand(number) for number in range(len(stages))]

    def num_sets(self, number: int) -> int:
        """Sets of candidates of a stage's rows, and states."""
        after = self.stages[number + 1] if number + 1 < len(self.stages) else None
        return len(after.levels) if after is not None and after.kind == "lists" else 1

    @property
    def num_states(self) -> int:
        return self.first_state[-1]

    @property
    def state_bytes(self) -> int:
        return CONTROL.itemsize + self.num_states * LEVEL_STATE.itemsize

    def cleared(self, number: int) -> tuple[int, int]:
        """(address, words): states and sums of a stage and of those after it. States ascend and sums descend, so that
        they lie together."""
        begin = self._state_address(number, 0)
        end = self.tiles[number] + 8 * self._num_tiles(number) * self.num_sets(number)
        return begin, (end - begin) // 4

    @property
    def everything(self) -> tuple[int, int]:
        """The same of all stages, with the control block."""
        begin, words = self.cleared(0)
        return self.state.address, words + (begin - self.state.address) // 4

    def _state_address(self, number: int, which: int) -> int:
        at = self.first_state[number] + which
        return self.state.address + CONTROL.itemsize + at * LEVEL_STATE.itemsize

    def _num_tiles(self, number: int) -> int:
        return -(-self.capacities[number] // TILE)

    def _allocate_state(self) -> None:
        """The control block, the states, and the sums of tiles, last stage first."""
        sizes = [8 * self._num_tiles(n) * self.num_sets(n) for n in range(len(self.stages))]
        self.state = self._allocate(self.state_bytes + sum(sizes))
        first = self.state.address + self.state_bytes
        self.tiles = [first + sum(sizes[number + 1 :]) for number in range(len(self.stages))]

    def _sets(self, number: int) -> list[NDArray[Any]]:
        """A stage's table, once per set of candidates; only a counter of rows where it has none."""
        slots, capacity = self.slots[number], self.capacities[number]
        found: list[NDArray[Any]] = []
        for which in range(self.num_sets(number)):
            rows = np.zeros((), LEVEL_ROWS) if which == 0 else found[0].copy()
            rows["state"] = self._state_address(number, which)
            rows["rows"] = self._state_address(number, 0)
            rows["tiles"] = self.tiles[number] + 8 * self._num_tiles(number) * which
            if which == 0:
                rows["slot"] = NO_SLOT
                rows["slot"][list(slots)] = range(len(slots))
                if slots:
                    rows["capacity"] = capacity
                    rows["columns"] = self._allocate(4 * len(slots) * capacity).address
            if slots:
                each = {"sizes": 4, "starts": 8, "offsets": 8, "lists": 4, "grid_list": 4}
                for name, nbytes in each.items():
                    rows[name] = self._allocate(nbytes * (capacity + 1)).address
            found.append(rows)
        return found

    def _hand(self, number: int) -> NDArray[Any]:
        hand = np.zeros((), HAND)
        stage = self.stages[number]
        if stage.kind != "lists":
            return hand
        rows = self.capacities[stage.source]
        hand["state"], hand["tiles"] = self._state_address(number, 0), self.tiles[number]
        hand["offsets"] = self._allocate(8 * (rows + 1)).address
        counts = self._allocate(4 * rows * len(stage.levels)).address
        for which in range(len(stage.levels)):
            hand["lists"][which] = self._allocate(4 * self.room).address
            hand["counts"][which] = counts + 4 * rows * which
        hand["room"] = self.room
        return hand
