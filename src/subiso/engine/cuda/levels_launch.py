"""Launches of schedule `levels`: which kernel a step of a stage runs, on how many blocks, and all that a run needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from subiso.engine.cuda.hubs import HubKernel
from subiso.engine.cuda.levels_kernel import READING, WRITING, DescentKernel, LevelsKernel, Output, Step
from subiso.engine.cuda.levels_layout import DESCENT_ARGS, DESCENT_STEP, SCRATCH_BYTES, STAGES, sharing_bytes
from subiso.engine.cuda.levels_prepare import Args, Outline, Prepared
from subiso.engine.cuda.levels_tune import AT_ONCE_BLOCKS, LevelsWishes
from subiso.engine.cuda.machine import Kernel, Machine
from subiso.engine.cuda.tune import resident_blocks

_KEPT = ("buffer", "tuples")
"""Where a link finds results, if not as pairs."""


class Launcher:
    """For runs to inherit."""

    prepared: Prepared

    def __init__(self, machine: Machine, outline: Outline, wishes: LevelsWishes) -> None:
        """`prepared` is to be set before the first launch."""
        self.machine, self.outline, self.wishes = machine, outline, wishes
        self.lowered, self.stages = outline.lowered, outline.stages
        self.last = len(self.stages) - 1
        self.launches = 0
        self.noted: list[tuple[LevelsKernel, Args]] | None = None
        """Launches that are noted instead of being made."""
        self.ready: dict[tuple[Step, Output], tuple[LevelsKernel, int, int]] = {}
        """The kernel of a step, its blocks and their shared memory."""

    def _outputs(self, number: int) -> tuple[Output, ...]:
        """What becomes of a stage's results, launch by launch."""
        if number == self.last and self.lowered.tail == "count":
            return ("total",)
        if self.stages[number].kind != "join" or self.wishes.output == "atomic":
            return ("pairs",)
        return ("buffer",) if self.wishes.output == "prealloc" else ("counts", "write")

    def _launch(
        self,
        step: Step,
        args: Args,
        output: Output = "pairs",
        reads: int | None = None,
    ) -> None:
        """`reads` is the stage whose relations are read, if any are."""
        if reads is not None:
            self.prepared.store.use(reads, args)
        if self.noted is not None:
            self.noted.append((self._kernel(step, output), args.copy()))
            return
        found = self.ready.get((step, output))
        if found is None:
            kernel = self._kernel(step, output)
            found = self.ready[step, output] = kernel, self._blocks(kernel), self._shared(kernel)
        self.launches += 1
        self.machine.launch(*found, args)

    def _kernel(self, step: Step, output: Output) -> LevelsKernel:
        return LevelsKernel(
            step,
            output if step in WRITING or (step == "link" and output in _KEPT) else "pairs",
            self.lowered.edges and step in ("seed", "join"),
            self.lowered.narrow or step != "tail",
            self.outline.wide and step in READING,
            32 * self.wishes.warps_per_block,
            self.outline.storage if step in READING else "csr",
            self.outline.operands if step == "join" else "read",
        )

    @property
    def kernels(self) -> list[Kernel]:
        """What is going to be launched; where the first descent is one launch, that is most likely all."""
        steps = [self._descent_kernel()] if self.outline.at_once else self._kernels()
        return [*steps, *([HubKernel(self.outline.wide)] if self.outline.hubs else [])]

    def _kernels(self) -> Iterator[LevelsKernel]:
        yield self._kernel("clear", "pairs")
        for number, stage in enumerate(self.stages):
            if stage.kind == "lists":
                yield self._kernel("join", "buffer")
                yield from (self._kernel(step, "pairs") for step in ("tally", "products"))
                continue
            outputs = self._outputs(number)
            yield from (self._kernel(stage.kind, output) for output in outputs)
            if outputs != ("total",):
                yield self._kernel("link", "tuples" if stage.kind == "combine" else outputs[-1])
            if outputs[0] in ("counts", "buffer"):
                yield self._kernel("places", "pairs")
        if self.last:
            yield self._kernel("offsets", "pairs")
        if self.lowered.tail == "sizes":
            yield self._kernel("tail", "pairs")

    def _shared(self, kernel: LevelsKernel) -> int:
        staged, warps = self.outline.staged if kernel.step in WRITING else 0, self.wishes.warps_per_block
        together = sharing_bytes(warps, staged) if kernel.sharing else 0
        return warps * (SCRATCH_BYTES + 4 * STAGES * staged) + together

    def _blocks(self, kernel: LevelsKernel) -> int:
        resident = self._resident(kernel, self._shared(kernel))
        return self.wishes.blocks or self._useful(resident * self.machine.description.multiprocessors)

    def _resident(self, kernel: Kernel, shared: int) -> int:
        """Blocks that a multiprocessor holds at once."""
        registers = self.machine.registers(kernel)
        return resident_blocks(self.machine.description, self.wishes.warps_per_block, shared, registers)

    def _useful(self, blocks: int) -> int:
        """No more than the largest table has rows for."""
        return max(1, min(blocks, -(-max(self.prepared.capacities) // self.wishes.warps_per_block)))

    # ---- a descent in one launch ---------------------------------------------------------------------------------
    def _descent_kernel(self) -> DescentKernel:
        """With the steps that any run of its kind needs, so that there are few such kernels."""
        usual: list[Step] = ["clear", "seed", "join", "link", "offsets"]
        usual += ["tail"] if self.lowered.tail == "sizes" else []
        kernels = [self._kernel(step, "pairs") for step in usual]
        kernels += [self._kernel("join", "total")] if self.lowered.tail == "count" else []
        steps = dict.fromkeys([*kernels, *self._kernels()])
        outline = self.outline
        return DescentKernel(tuple(steps), outline.storage, outline.wide, 32 * self.wishes.warps_per_block)

    def _make_descent(self, noted: list[tuple[LevelsKernel, Args]]) -> Callable[[], None]:
        """What launches all these steps at once, again and again."""
        kernel = self._descent_kernel()
        steps = np.zeros(len(noted), DESCENT_STEP)
        for step, (which, args) in zip(steps, noted, strict=True):
            step["args"], step["kind"] = args, kernel.steps.index(which)
        memory, scratch = self.prepared.memory, self._shared(self._kernel("join", "pairs"))
        args = np.zeros((), DESCENT_ARGS)
        args["steps"], args["num_steps"] = memory._upload(steps), len(noted)
        args["arrived"], args["control"] = memory._upload(np.zeros(1, np.uint64)), memory.state.address
        args["scratch"] = scratch
        shared = scratch + DESCENT_STEP.itemsize
        resident = min(AT_ONCE_BLOCKS, self._resident(kernel, shared))
        blocks = self.wishes.blocks or self._useful(resident * self.machine.description.multiprocessors)
        return lambda: self.machine.launch(kernel, blocks, shared, args)

    def _clear(self, address: int, words: int) -> None:
        args = self.prepared.clear_args
        args["cleared"], args["cleared_words"] = address, words
        self._launch("clear", args)
