"""Which kernels a run of schedule `levels` needs, by its shape: those of its steps, or one for all of them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property

from subiso.engine.cuda.hubs import HubKernel
from subiso.engine.cuda.levels_kernel import READING, WRITING, DescentKernel, LevelsKernel, Output, Step
from subiso.engine.cuda.levels_layout import SCRATCH_BYTES, STAGES, sharing_bytes
from subiso.engine.cuda.levels_shape import Shape
from subiso.engine.cuda.levels_tune import LevelsWishes
from subiso.engine.cuda.machine import Kernel

STEPS: dict[str, Step] = {"seed": "seed", "join": "join", "combine": "combine", "sift": "sift"}
"""Kind of a stage -> the step that finds its results."""
_FOUND: dict[Output, Output] = {"buffer": "buffer", "tuples": "tuples"}
"""Where a link finds results, if not as pairs."""


class Kernels:
    """Of one run."""

    def __init__(self, shape: Shape, wishes: LevelsWishes) -> None:
        self.shape, self.wishes = shape, wishes
        self.lowered, self.stages = shape.lowered, shape.stages
        self.of = cache(self._of)
        """(step, output) -> its kernel,"""
        self.kind = cache(self._kind)
        """and its number among the steps of a descent"""

    def outputs(self, number: int) -> tuple[Output, ...]:
        """What becomes of a stage's results, launch by launch."""
        if number + 1 == len(self.stages) and self.lowered.tail == "count":
            return ("total",)
        if self.stages[number].kind != "join" or self.wishes.output == "atomic":
            return ("pairs",)
        return ("buffer",) if self.wishes.output == "prealloc" else ("counts", "write")

    def first(self) -> Iterator[Kernel]:
        """Those of the preparation and of the first descent."""
        if self.shape.hubs:
            yield HubKernel(self.shape.wide)
        yield from [self.descent] if self.shape.at_once else self.steps()

    def steps(self) -> Iterator[LevelsKernel]:
        """Those of all stages."""
        yield self.of("clear", "pairs")
        for number, stage in enumerate(self.stages):
            if stage.kind == "lists":
                yield self.of("join", "buffer")
                yield from (self.of(step, "pairs") for step in ("tally", "products"))
                continue
            outputs = self.outputs(number)
            yield from (self.of(STEPS[stage.kind], output) for output in outputs)
            if outputs != ("total",):
                yield self.of("link", "tuples" if stage.kind == "combine" else outputs[-1])
            if outputs[0] in ("counts", "buffer"):
                yield self.of("places", "pairs")
        if len(self.stages) > 1:
            yield self.of("offsets", "pairs")
        if self.lowered.tail == "sizes":
            yield self.of("tail", "pairs")

    @cached_property
    def descent(self) -> DescentKernel:
        """All steps in one; also those that other runs of its kind need, so that there are few such kernels."""
        usual: list[Step] = ["clear", "seed", "join", "link", "offsets"]
        usual += ["tail"] if self.lowered.tail == "sizes" else []
        kernels = [self.of(step, "pairs") for step in usual]
        kernels += [self.of("join", "total")] if self.lowered.tail == "count" else []
        steps = tuple(dict.fromkeys([*kernels, *self.steps()]))
        return DescentKernel(steps, self.shape.storage, self.shape.wide, 32 * self.wishes.warps_per_block)

    def shared(self, kernel: LevelsKernel) -> int:
        """Bytes of a block's shared memory."""
        warps = self.wishes.warps_per_block
        staged = self.wishes.staged_lists if kernel.step in WRITING else 0
        together = sharing_bytes(warps, staged) if kernel.sharing else 0
        return warps * (SCRATCH_BYTES + 4 * STAGES * staged) + together

    def _kind(self, step: Step, output: Output) -> bytes:
        return self.descent.steps.index(self.of(step, output)).to_bytes(8, "little")

    def _of(self, step: Step, output: Output) -> LevelsKernel:
        return LevelsKernel(
            step,
            output if step in WRITING else _FOUND.get(output, "pairs") if step == "link" else "pairs",
            self.lowered.edges and step in ("seed", "join"),
            self.lowered.narrow or step != "tail",
            self.shape.wide and step in READING,
            32 * self.wishes.warps_per_block,
            self.shape.storage if step in READING else "csr",
            step == "join" and self.wishes.reuse == "block" and self.wishes.staged_lists > 0,
        )
