"""Calls in threads of their own, beside the one that waits for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def begin_aside(call: Callable[[], Result]) -> Future[Result]:
    """What the call gives or raises, once it has ended; RuntimeError where there can be no more threads.

    Executors take no work once the main thread has ended, while other threads may still count: so this is none.

    >>> begin_aside(lambda: 6 * 7).result()
    42
    """
    result: Future[Result] = Future()
    threading.Thread(target=_fill, args=(result, call)).start()
    return result


def _fill(result: Future[Result], call: Callable[[], Result]) -> None:
    try:
        result.set_result(call())
    except BaseException as error:  # it is raised where the result is asked for
        result.set_exception(error)
