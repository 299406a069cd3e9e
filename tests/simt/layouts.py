"""Checks structures that host and kernels share: NumPy types against the headers, by the compiler."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from compiled import NATIVE

from subiso.engine.cuda.compile import KERNELS


def assert_same_layout(
    folder: Path,
    headers: Sequence[str],
    kinds: Mapping[str, np.dtype[np.void]],
    *,
    skip: tuple[str, ...] = (),
    more: Sequence[str] = (),
) -> None:
    """Sizes, and offsets of all fields but those that begin with `skip`. `more` are conditions."""
    lines = [
        *(f'#include "{header}.cuh"' for header in headers),
        "#include <cstddef>",
        "using namespace subiso;",
    ]
    for number, (name, dtype) in enumerate(kinds.items()):
        lines += [
            f"using Type{number} = {name};",
            f"static_assert(sizeof(Type{number}) == {dtype.itemsize});",
        ]
        for field in dtype.names or ():
            if not field.startswith(skip):
                at = dtype.fields[field][1]  # type: ignore[index]
                lines.append(f"static_assert(offsetof(Type{number}, {field}) == {at});")
    lines += [f"static_assert({condition});" for condition in more]
    source = folder / "layout.cpp"
    source.write_text("\n".join(lines))
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", "-DSUBISO_SIMT"]
    command += [f"-I{NATIVE}", f"-I{KERNELS}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
