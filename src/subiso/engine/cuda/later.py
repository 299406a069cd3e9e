"""Compiles kernels in a process of its own, for which nobody waits.

A thread would not do: an interpreter that ends while NVRTC is at work either waits for it or pulls the ground from
under it. The process ends by itself, whatever becomes of its parent; what it writes into the cache is there as a whole
or not at all, and a cache that was removed meanwhile stays removed.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import IO

from subiso.engine.cuda.compile import Source, Toolchain, binary, cache_directory
from subiso.errors import SubisoError

_LIMIT = 300
"""Seconds after which the process gives up."""
_NICE = 10
_running: list[subprocess.Popen[bytes]] = []
"""The last one."""


def order(sources: Sequence[Source], toolchain: str) -> bool:
    """Starts the process; False where one is still at work, or where there is no interpreter to start.

    `toolchain` is where it finds its compiler: `module:function`, which returns a Toolchain.
    """
    if any(process.poll() is None for process in _running):
        return False
    if not Path(sys.executable or "").name.startswith("py"):
        return False  # embedded in another program, which must not be started again
    directory = str(cache_directory().resolve())
    request = {
        "toolchain": toolchain,
        "directory": directory,
        "sources": [asdict(source) for source in sources],
    }
    with tempfile.TemporaryFile() as file, contextlib.suppress(OSError):  # no room for another process
        file.write(json.dumps(request).encode())
        file.seek(0)
        _running[:] = [
            subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=file,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
                cwd=directory,  # nothing to import there
                start_new_session=True,
            )
        ]
        return True
    return False


@atexit.register
def _forget() -> None:
    """Who still works is on his own: nobody is to be warned of it."""
    for process in _running:
        if process.poll() is None:
            process.returncode = 0


def work(request: IO[str]) -> None:
    """What the process does."""
    asked = json.load(request)
    module, _, function = asked["toolchain"].partition(":")
    toolchain: Toolchain = getattr(importlib.import_module(module), function)()
    directory = Path(asked["directory"])
    sources = [Source(**{**fields, "flags": tuple(fields["flags"])}) for fields in asked["sources"]]

    def compile_text(text: str, options: tuple[str, ...]) -> bytes:
        built = toolchain.compile(text, options)
        if not directory.is_dir():
            raise SubisoError(f"the kernel cache {directory} is gone")
        return built

    def compile_one(source: Source) -> None:
        with contextlib.suppress(SubisoError):  # whoever needs it will say so
            binary(source, toolchain.name, compile_text, directory)

    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        list(pool.map(compile_one, sources))


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(_NICE)
        signal.alarm(_LIMIT)
    work(sys.stdin)
