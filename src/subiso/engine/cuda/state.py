"""What launches of one run share on the device: the control block, who is idle, the mailboxes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.layout import BLOCK, CONTROL, offset_of
from subiso.engine.cuda.machine import Machine
from subiso.engine.cuda.tune import LaunchConfig

_GRACE = 64  # turns that an idle block waits for blocks that have not started
_UNUSED = (1 << 64) - 1


class RunState:
    """The control block and the mailboxes of one kernel's run."""

    def __init__(self, machine: Machine, config: LaunchConfig) -> None:
        self.machine = machine
        warps = config.blocks * config.warps_per_block
        words = -(-config.blocks // 32)
        control = np.zeros((), CONTROL)
        control["rows_end"] = _UNUSED
        blocks = np.zeros(config.blocks, BLOCK)
        blocks["busy"] = config.warps_per_block
        self.parts = [control, blocks, np.zeros(words, np.uint32), np.zeros(warps, np.uint32)]
        self.offsets = np.cumsum([0, *(part.nbytes for part in self.parts)])
        self.image = np.concatenate([np.frombuffer(part.tobytes(), np.uint8) for part in self.parts])
        self.buffer = machine.allocate(len(self.image))
        self.mails = machine.allocate(warps * config.mail_bytes)
        self.nbytes = len(self.image) + warps * config.mail_bytes

    def reset(self, first_unit: int = 0) -> None:
        """For a new run."""
        begin = offset_of("next")
        self.image[begin : begin + 8].view(np.uint64)[0] = first_unit
        self.machine.write(self.buffer, self.image)

    def resume(self) -> None:
        """For the next launch of the same run: counts, the place in the pool and the mail stay."""
        begin, end = offset_of("stop"), int(self.offsets[3])
        self.machine.write(self.buffer, self.image[begin:end], begin)

    def fill(self, args: NDArray[Any], config: LaunchConfig) -> None:
        names = ("control", "blocks", "idle_blocks", "mail_states")
        for name, offset in zip(names, self.offsets[:-1], strict=True):
            args[name] = self.buffer.address + int(offset)
        args["mails"], args["mail_bytes"], args["grace"] = self.mails.address, config.mail_bytes, _GRACE
