"""Resident memory of this process and its peak since a moment of one's choice (on Linux; elsewhere None)."""

from __future__ import annotations

import ctypes
import gc
import re
import subprocess
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")
MEGABYTE = 1e6


def reset_peak() -> None:
    """Gives freed memory back and forgets the peak so far."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # the kernel's way of resetting VmHWM
    except (OSError, AttributeError):
        return


def resident() -> float | None:
    """Megabytes held now."""
    return _field("VmRSS")


def peak() -> float | None:
    """Most megabytes held since `reset_peak`."""
    return _field("VmHWM")


def bare_interpreter() -> float | None:
    """Megabytes that Python needs with nothing but NumPy."""
    read = "import numpy; print(open('/proc/self/status').read())"
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=False)
    return _in(done.stdout, "VmRSS")


def _field(name: str) -> float | None:
    return _in(STATUS.read_text(), name) if STATUS.exists() else None


def _in(status: str, name: str) -> float | None:
    found = re.search(rf"^{name}:\s+(\d+) kB", status, flags=re.MULTILINE)
    return int(found[1]) * 1024 / MEGABYTE if found else None
