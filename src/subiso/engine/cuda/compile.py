"""Kernels from text to binaries, through a cache on disk.

The contract: a binary's key is a hash of the kernel's name, the compiler and its version, all flags, the text, every
header of kernels/, and the architecture. A binary is built in a directory of its own that is then renamed, so that
readers see it whole or not at all. What is read from the cache is checked against its own digest and rebuilt when it
does not fit. Nothing is ever written into the package. The place is $SUBISO_CACHE, else the user's cache directory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from subiso.errors import SubisoError

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
# Lambdas carry no execution space, and NVRTC would take them for host code.
FLAGS = ("--std=c++17", "--device-int128", "-default-device")
QUICK = "--Ofast-compile=min"
"""For kernels that are compiled in a third of the time then, and hardly slower."""
HASTY = "--Ofast-compile=max"
"""For a first version of any kernel (binaries.py): a third of the time, and 7 to 50 times slower."""
LEVELS_SINCE = (13, 0)
"""The NVRTC that knows both."""
_BINARY, _DIGEST = "kernel.cubin", "digest"

Compiler = Callable[[str, tuple[str, ...]], bytes]
"""Text and flags in, binary out; CompileError when the text is wrong."""


@dataclass(frozen=True)
class Toolchain:
    """A compiler with its name and version."""

    name: str
    compile: Compiler
    has_levels: bool = True
    """It knows --Ofast-compile."""


class CompileError(SubisoError):
    """Raised when a kernel does not compile: a fault of subiso or of the CUDA installation, never of a query."""


@dataclass(frozen=True)
class Source:
    """A kernel to compile."""

    name: str
    text: str
    architecture: str
    flags: tuple[str, ...] = FLAGS

    @property
    def options(self) -> tuple[str, ...]:
        return (*self.flags, f"--gpu-architecture={self.architecture}", f"-I{KERNELS}")

    def key(self, compiler: str) -> str:
        """The hash that names the binary."""
        parts = [self.name, compiler, *self.flags, self.architecture, self.text, headers_digest()]
        digest = hashlib.sha256()
        for part in parts:
            digest.update(len(part).to_bytes(8, "little") + part.encode())
        return digest.hexdigest()[:40]


@cache
def headers_digest() -> str:
    """A hash of every header in kernels/."""
    digest = hashlib.sha256()
    for path in sorted(KERNELS.glob("*.cuh")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def cache_directory() -> Path:
    """$SUBISO_CACHE, else `subiso` in the user's cache directory."""
    place = os.environ.get("SUBISO_CACHE")
    if place:
        return Path(place)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "subiso"


def binary(source: Source, compiler: str, compile_text: Compiler, directory: Path | None = None) -> Path:
    """The path of the compiled kernel; compiles it unless the cache has it. `compiler` is its name and version."""
    directory = cache_directory() if directory is None else directory
    found = cached(source, compiler, directory)
    if found is not None:
        return found
    entry = directory / source.key(compiler)
    _put(entry, compile_text(source.text, source.options))
    return entry / _BINARY


def cached(source: Source, compiler: str, directory: Path | None = None) -> Path | None:
    """The path of the compiled kernel where the cache has it, whole."""
    directory = cache_directory() if directory is None else directory
    entry = directory / source.key(compiler)
    return entry / _BINARY if _is_whole(entry) else None


def _is_whole(entry: Path) -> bool:
    try:
        found = hashlib.sha256((entry / _BINARY).read_bytes()).hexdigest()
        return found == (entry / _DIGEST).read_text()
    except (OSError, UnicodeDecodeError):
        return False


def _put(entry: Path, built: bytes) -> None:
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix="building-", dir=entry.parent))
    except OSError as error:
        raise SubisoError(
            f"the kernel cache {entry.parent} cannot be written: {error}",
            hint="set SUBISO_CACHE to a directory that can",
        ) from error
    try:
        (place / _BINARY).write_bytes(built)
        (place / _DIGEST).write_text(hashlib.sha256(built).hexdigest())
        if entry.is_dir():  # broken, or it would have been used
            shutil.rmtree(entry, ignore_errors=True)
        with contextlib.suppress(OSError):  # another process was faster; its entry is as good
            if not entry.is_dir():
                entry.unlink(missing_ok=True)
            place.rename(entry)
    finally:
        shutil.rmtree(place, ignore_errors=True)
