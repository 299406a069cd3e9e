"""Picks the engine for `engine=`, `device=` and `schedule=`, and checks the arguments that say how to run."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from subiso.engine.base import Engine, Params, Switches
from subiso.engine.query import Query
from subiso.errors import QueryError, UnsupportedError

if TYPE_CHECKING:
    from subiso.plan.explain import DeviceNotes

ENGINES = ("auto", "cpu", "reference")
DEVICES = ("auto", "cpu", "cuda")


def choose_engine(
    engine: str = "auto", device: str = "auto", schedule: str | None = None, *, counting: bool = False
) -> Engine:
    """The engine to run on: the native one unless another is asked for.

    For `counting` "auto" is left open until the query is known, where a device may be present.

    >>> choose_engine("reference").__name__
    'subiso.engine.reference'
    """
    _check_names(engine, device, schedule)
    if _is_cuda(device):
        return _cuda_engine(engine, device, schedule)
    if engine == "auto":
        devices = counting and device == "auto" and _has_cupy()
        engine = "auto" if devices else "cpu"
    return cast(Engine, importlib.import_module(f"subiso.engine.{engine}"))


def choose_estimator(engine: str = "auto", device: str = "auto", schedule: str | None = None) -> Any:
    """The module whose `estimate_all` serves `approx=`; it walks on the CPU.

    >>> choose_estimator().__name__
    'subiso.engine.approximate'
    """
    module = choose_engine(engine, device, schedule)
    if getattr(module, "__name__", "") != "subiso.engine.cpu":
        asked = f'engine="{engine}"' if engine != "auto" else f'device="{device}"'
        raise UnsupportedError(f"approx= with {asked}", hint="estimates are made on the CPU: leave it out")
    return importlib.import_module("subiso.engine.approximate")


def explain_device(query: Query, device: str = "auto", schedule: str | None = None) -> DeviceNotes:
    """What `explain` says of the device; needs none to say it."""
    from subiso.plan.explain import DeviceNotes

    _check_names("auto", device, schedule)
    if device == "cpu":
        return DeviceNotes()
    why = ""
    if not _is_cuda(device):
        from subiso.engine.auto import on_device

        taken, why = on_device(query)
        if not taken:
            return DeviceNotes((f"device    the CPU: {why}",))
        device = "cuda"
    from subiso.engine.cuda.explain import device_notes

    notes = device_notes(query, device, schedule or "auto")
    return replace(notes, lines=(f"{notes.lines[0]}: {why}", *notes.lines[1:])) if why else notes


def explain_several(
    queries: Sequence[Query], params: Params, device: str = "auto", schedule: str | None = None
) -> Any:
    """What `explain` says of several queries; needs no device to say it."""
    _check_names("auto", device, schedule)
    if _is_cuda(device):
        from subiso.engine.cuda.explain_set import explain_set_on

        return explain_set_on(queries, device, schedule or "auto")
    from subiso.engine.auto import on_device
    from subiso.engine.explain_set import explain_set

    return explain_set(queries, params, None if device == "cpu" else lambda query: on_device(query)[0])


@cache
def _has_cupy() -> bool:
    """Looked for once: a search of all folders takes a third of a small query's time."""
    return importlib.util.find_spec("cupy") is not None


def _is_cuda(device: str) -> bool:
    return device == "cuda" or device.startswith("cuda:")


def _check_names(engine: str, device: str, schedule: str | None) -> None:
    if device not in DEVICES and not _is_cuda(device):
        raise QueryError(f"unknown device {device!r}", hint="the devices are " + ", ".join(DEVICES))
    if engine not in ENGINES:
        raise QueryError(f"unknown engine {engine!r}", hint="the engines are " + ", ".join(ENGINES))
    if schedule is not None and not _is_cuda(device):
        raise UnsupportedError(
            f"schedule={schedule!r}: schedules belong to CUDA devices",
            hint='leave schedule= out, or say device="cuda"',
        )
    if schedule is not None:
        from subiso.engine.cuda import SCHEDULES

        if schedule not in SCHEDULES:
            raise UnsupportedError(
                f"schedule={schedule!r} is not in this version",
                hint="the schedules are " + ", ".join(SCHEDULES),
            )


def _cuda_engine(engine: str, device: str, schedule: str | None) -> Engine:
    from subiso.engine import cuda

    if engine != "auto":
        raise QueryError(f'engine="{engine}" does not run on device="{device}"', hint="leave engine= out")
    return cast(Engine, cuda.engine_on(device, schedule or "auto"))


def make_params(
    threads: int | None = None,
    timeout: float | None = None,
    progress: Callable[[float], None] | None = None,
    switches: Switches | None = None,
) -> Params:
    """Params with checked values.

    >>> make_params(threads=0)
    Traceback (most recent call last):
    subiso.errors.QueryError: threads is 0; it must be a whole number from 1, or None for all cores
    """
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
        raise QueryError(f"threads is {threads!r}; it must be a whole number from 1, or None for all cores")
    if timeout is not None:
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout >= 0:
            raise QueryError(f"timeout is {timeout!r}; it must be seconds, 0 or more, or None for no limit")
        timeout = None if math.isinf(timeout) else float(timeout)
    if progress is not None and not callable(progress):
        raise QueryError("progress must be a function of one number, the fraction done")
    if not isinstance(switches, Switches | None):
        raise QueryError(f"switches is {switches!r}", hint="say which: switches=Switches(sums=False)")
    return Params(threads=threads, timeout=timeout, progress=progress, switches=switches or Params.switches)
