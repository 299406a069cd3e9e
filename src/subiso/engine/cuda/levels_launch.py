"""Launches of schedule `levels`: one step of a stage, on how many blocks; or all of a descent's steps at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from subiso.engine.cuda.levels_kernel import LevelsKernel, Output, Step
from subiso.engine.cuda.levels_kernels import Kernels
from subiso.engine.cuda.levels_layout import DESCENT_ARGS, DESCENT_STEP
from subiso.engine.cuda.levels_prepare import Args, Prepared
from subiso.engine.cuda.levels_tune import AT_ONCE_BLOCKS, LevelsWishes
from subiso.engine.cuda.machine import Kernel, Machine
from subiso.engine.cuda.tune import resident_blocks


class Launcher:
    """For runs to inherit."""

    def __init__(self, machine: Machine, kernels: Kernels, prepared: Prepared, wishes: LevelsWishes) -> None:
        self.machine, self.kernels, self.prepared, self.wishes = machine, kernels, prepared, wishes
        self.shape = prepared.shape
        self.lowered, self.stages = self.shape.lowered, self.shape.stages
        self.last = len(self.stages) - 1
        self.launches = 0
        self.noted: list[bytes] | None = None
        """Launches that are noted as steps (DESCENT_STEP) instead of being made."""
        self.ready: dict[tuple[Step, Output], tuple[LevelsKernel, int, int]] = {}
        """The kernel of a step, its blocks and their shared memory."""

    def _launch(self, step: Step, args: Args, output: Output = "pairs", reads: int | None = None) -> None:
        """`reads` is the stage whose relations are read, if any are."""
        if reads is not None:
            self.prepared.store.use(reads, args)
        if self.noted is not None:
            self.noted.append(args.tobytes() + self.kernels.kind(step, output))
            return
        found = self.ready.get((step, output))
        if found is None:
            kernel = self.kernels.of(step, output)
            found = self.ready[step, output] = kernel, self._blocks(kernel), self.kernels.shared(kernel)
        self.launches += 1
        self.machine.launch(*found, args)

    def _blocks(self, kernel: LevelsKernel) -> int:
        resident = self._resident(kernel, self.kernels.shared(kernel))
        return self.wishes.blocks or self._useful(resident * self.machine.description.multiprocessors)

    def _resident(self, kernel: Kernel, shared: int) -> int:
        """Blocks that a multiprocessor holds at once."""
        registers = self.machine.registers(kernel)
        return resident_blocks(self.machine.description, self.wishes.warps_per_block, shared, registers)

    def _useful(self, blocks: int) -> int:
        """No more than the largest table has rows for."""
        return max(1, min(blocks, -(-max(self.prepared.capacities) // self.wishes.warps_per_block)))

    def _clear(self, address: int, words: int) -> None:
        args = self.prepared.clear_args
        args["cleared"], args["cleared_words"] = address, words
        self._launch("clear", args)

    def _make_descent(self, noted: list[bytes]) -> Callable[[], None]:
        """What launches all these steps at once, again and again."""
        kernel, steps = self.kernels.descent, b"".join(noted)
        scratch = self.kernels.shared(self.kernels.of("join", "pairs"))
        memory, args = self.prepared.memory, np.zeros((), DESCENT_ARGS)
        address = memory._upload(np.frombuffer(steps + bytes(8), np.uint8))
        args["steps"], args["num_steps"], args["arrived"] = address, len(noted), address + len(steps)
        args["control"], args["scratch"] = memory.state.address, scratch
        shared = scratch + DESCENT_STEP.itemsize
        resident = min(AT_ONCE_BLOCKS, self._resident(kernel, shared))
        blocks = self.wishes.blocks or self._useful(resident * self.machine.description.multiprocessors)
        return lambda: self.machine.launch(kernel, blocks, shared, args)
