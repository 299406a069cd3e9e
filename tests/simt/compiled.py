"""Kernels as Python writes them for NVRTC, compiled by g++ and run through the shim."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from subiso.engine.cuda.compile import KERNELS, headers_digest
from subiso.engine.cuda.machine import Kernel

NATIVE = Path(__file__).parent / "native"
ORDERS = {"forward": 0, "reverse": 1, "random": 2, "unfair": 3}
_FLAGS = (
    "-std=c++20",
    "-O1",
    "-fPIC",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fno-strict-aliasing",
    "-DSUBISO_SIMT",
)
_BEFORE = """#include <string>
#define __global__
#define __grid_constant__
"""
_AFTER = """
extern "C" const char* run(const void* bytes, unsigned blocks, unsigned threads, unsigned long shared, int order,
                           unsigned long seed, void* poke, unsigned long poke_after, unsigned long* turns,
                           unsigned long* atomics) {
  static std::string error;
  subiso::simt::Launch how{blocks, threads, shared, static_cast<subiso::simt::Order>(order), seed, 2000000,
                           static_cast<unsigned*>(poke), poke_after, atomics};
  const auto& args = *static_cast<const %s*>(bytes);
  try {
    *turns = subiso::simt::launch(how, [&] { %s(args); });
  } catch (const std::exception& e) {
    error = e.what();
    return error.c_str();
  }
  return nullptr;
}
"""


def launch(
    kernel: Kernel,
    args: NDArray[Any],
    blocks: int,
    shared: int,
    order: str,
    seed: int,
    poke: int = 0,
    poke_after: int = 0,
) -> tuple[int, int]:
    """Runs a kernel to its end; the number of turns that its lanes took, and that of their atomic operations."""
    turns, atomics = ctypes.c_ulong(), ctypes.c_ulong()
    error = _load(kernel)(
        args.tobytes(),
        blocks,
        kernel.threads,
        shared,
        ORDERS[order],
        seed,
        poke,
        poke_after,
        ctypes.byref(turns),
        ctypes.byref(atomics),
    )
    if error is not None:
        raise RuntimeError(error.decode())
    return turns.value, atomics.value


@cache
def _load(kernel: Kernel) -> Any:
    # The number of threads is no part of the code here, so it is not compiled once for each.
    body = re.sub(r"__launch_bounds__\([^)]*\)", "", kernel.text())
    text = _BEFORE + body + _AFTER % (kernel.args_type, kernel.name)
    run = ctypes.CDLL(str(_build(text, _simt_object()))).run
    run.restype = ctypes.c_char_p
    numbers = [ctypes.c_ulong, ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong]
    run.argtypes = [ctypes.c_char_p, *[ctypes.c_uint] * 2, *numbers, *[ctypes.POINTER(ctypes.c_ulong)] * 2]
    return run


@cache
def _simt_object() -> Path:
    return _build((NATIVE / "simt.cpp").read_text(), None)


def _build(text: str, linked: Path | None) -> Path:
    """An object, or with an object a shared library; kept in the temporary folder under a hash of all that is in it."""
    shim = "".join(path.read_text() for path in sorted(NATIVE.glob("*.hpp")))
    content = "\0".join([text, headers_digest(), shim, *_FLAGS, linked.name if linked else ""])
    folder = Path(tempfile.gettempdir()) / f"subiso-simt-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    stem = folder / hashlib.sha256(content.encode()).hexdigest()[:32]
    target = stem.with_suffix(".so" if linked else ".o")
    if target.exists():
        return target
    source = stem.with_suffix(".cpp")
    source.write_text(text)
    fresh = stem.with_suffix(f".{os.getpid()}")
    command = ["g++", *_FLAGS, f"-I{NATIVE}", f"-I{KERNELS}", str(source), "-o", str(fresh)]
    command += [str(linked), "-shared"] if linked else ["-c"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    fresh.rename(target)
    return target
