"""The machine a benchmark ran on, in words: no names of hosts or people."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path


def describe() -> dict[str, str]:
    """CPU, cores this process may use, memory, and the versions that matter.

    >>> sorted(describe())
    ['caches', 'cores', 'cpu', 'memory', 'numpy', 'python', 'system']
    """
    import numpy as np

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "cpu": _first(r"^model name\s*:\s*(.+)$", "/proc/cpuinfo") or platform.machine(),
        "cores": str(cores),
        "caches": _caches(),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _first(pattern: str, file: str) -> str | None:
    try:
        found = re.search(pattern, Path(file).read_text(), flags=re.MULTILINE)
    except OSError:
        return None
    return found[1].strip() if found else None


def _memory() -> str:
    kilobytes = _first(r"^MemTotal:\s+(\d+) kB$", "/proc/meminfo")
    return f"{int(kilobytes) / 1024**2:.0f} GiB" if kilobytes else "unknown"


def _caches() -> str:
    found = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        if kind != "Instruction":
            found.append(f"L{level} {size}")
    return ", ".join(found) or "unknown"
