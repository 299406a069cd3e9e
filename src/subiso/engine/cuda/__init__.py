"""The CUDA engine: kernels compiled for the present device, run through CuPy. One host file per schedule.

`count` and `stream` are the face that engines have; they run on the first device. `engine_on("cuda:1")` gives the
same face for another. Nothing here imports CuPy before a device is asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from subiso.engine.base import Outcome, Params
from subiso.engine.query import Query

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine
    from subiso.engine.cuda.memory import Cache
    from subiso.engine.cuda.stream import CudaStream

SCHEDULES = ("auto", "fine", "stack", "wedge", "local", "levels", "pipeline")


@cache
def engine_on(device: str = "cuda", schedule: str = "auto") -> CudaEngine:
    """The engine of a device ("cuda", "cuda:1") or of several ("cuda:0,1", "cuda:all").

    UnsupportedError says why where there is none. Engines of one device share its copies of graphs.
    """
    from subiso.engine.cuda.device import open_devices
    from subiso.engine.cuda.engine import CudaEngine

    machines = open_devices(device)
    caches = _caches(device)
    return CudaEngine(machines, schedule=schedule, caches=caches, host=schedule == "auto", haste=True)


@cache
def _caches(device: str) -> list[Cache]:
    from subiso.engine.cuda.device import open_devices
    from subiso.engine.cuda.memory import Cache

    return [Cache(machine) for machine in open_devices(device)]


def why_not(device: str = "cuda") -> str | None:
    """Why a device cannot be used; None when it can (`device="auto"` asks)."""
    from subiso.engine.cuda import device as devices

    reasons = (devices.why_not(number) for number in devices.parse_device(device) or (0,))
    return next((reason for reason in reasons if reason is not None), None)


def count(query: Query, params: Params = Params()) -> Outcome:  # noqa: B008 (frozen)
    """Count the query's matches on the first device."""
    return engine_on().count(query, params)


def stream(query: Query, params: Params = Params()) -> CudaStream:  # noqa: B008 (frozen)
    """List the query's matches on the first device, batch by batch."""
    return engine_on().stream(query, params)
