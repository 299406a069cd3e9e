"""Native objects go when their owners do: nothing is left at the end of a program that used everything, or failed."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

EVERYTHING = """
import warnings, numpy as np, subiso as si
from subiso.errors import SubisoError

g = si.generators.with_labels(si.generators.rmat(scale=8, seed=1), 3, seed=1)
pattern = "(a:0)--(b:1)--(c:2)--(a)"
si.count(g, pattern), si.count(g, [pattern, si.Pattern.house()]), si.motifs(g, 4), si.motifs(g, 3, labels=True)
si.count(g, pattern, per="edge"), si.count(g, si.Pattern.cycle(5), approx=0.1, seed=1, threads=1)
half = iter(si.match(g, "(a)--(b)--(c)"))  # never read to its end
next(half)
kept = si.match(g, pattern).to_arrow()
for timeout in (0.0, 1e-4):
    try:
        si.count(g, si.Pattern.cycle(8), timeout=timeout)
    except SubisoError:
        pass
class Owner:  # a cycle, which only the collector can take apart
    pass
owner = Owner()
owner.self, owner.matches = owner, iter(si.match(g, pattern))
"""


def end_of(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stderr


def test_nothing_is_left() -> None:
    assert end_of(EVERYTHING, SUBISO_LEAK_WARNINGS="1") == ""


@pytest.mark.skipif(
    "tsan" in os.environ.get("LD_PRELOAD", ""), reason="it reports the threads that are held here"
)
def test_what_others_hold_is_told_on_request_only() -> None:
    """Otherwise the test above could not fail, and every run of a test suite would end with warnings."""
    held = "\nimport ctypes\nctypes.pythonapi.Py_IncRef(ctypes.py_object(half))"
    assert "leaked" in end_of(EVERYTHING + held, SUBISO_LEAK_WARNINGS="1")
    assert end_of(EVERYTHING + held) == ""
