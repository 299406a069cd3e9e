"""How much faster several processes are at memory-bound work than one: the yardstick for thread scaling.

Shared cores rarely give twice the speed; comparing with what independent processes reach in the same session
separates our losses from the machine's. Run as a module, this file is one such process.
"""

from __future__ import annotations

import subprocess
import sys
import time

TABLE = 16 << 20  # entries of 4 bytes: larger than the caches
READS = 4 << 20


def probe_scaling(processes: int, repeat: int = 3) -> float:
    """Work per second of `processes` processes, relative to one; the best of `repeat` rounds each."""
    alone = min(max(_round(1)) for _ in range(repeat))
    together = min(max(_round(processes)) for _ in range(repeat))
    return processes * alone / together


def _round(processes: int) -> list[float]:
    """Seconds each process took, all working at the same time."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.argv=['probe']\n{_SOURCE}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]
    try:
        for worker in workers:
            assert worker.stdout is not None
            worker.stdout.readline()  # "ready"
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        return [float(worker.communicate()[0]) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


# Random reads in a large table: bound by memory, like looking up scattered neighbour lists.
_SOURCE = f"""
import time
import numpy as np
table = np.arange({TABLE}, dtype=np.uint32)
where = np.random.default_rng(0).integers(0, {TABLE}, {READS})
table[where].sum()
print("ready", flush=True)
input()
start = time.perf_counter()
for _ in range(8):
    table[where].sum()
print(time.perf_counter() - start, flush=True)
"""


def import_seconds(repeat: int = 5) -> dict[str, float]:
    """Wall seconds, best of `repeat`, that importing adds to the interpreter's start."""
    bare = _best("pass", repeat)
    return {
        "interpreter": bare,
        "import numpy": _best("import numpy", repeat) - bare,
        "import subiso": _best("import subiso", repeat) - bare,
        "import Graph, Pattern, count": _best("from subiso import Graph, Pattern, count", repeat) - bare,
        "interpreter, import and triangles of a small graph": _best(_FIRST_COUNT, repeat),
    }


_FIRST_COUNT = """
import subiso
from subiso.graph.generators import erdos_renyi
subiso.count(erdos_renyi(1000, m=5000, seed=1), subiso.Pattern.clique(3))
"""


def _best(source: str, repeat: int) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
        times.append(time.perf_counter() - start)
        if done.returncode:
            return float("nan")
    return min(times)
