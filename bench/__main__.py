"""`python -m bench run small_cpu`: the benchmarks, from the repository; tables are kept in bench/results."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent

if find_spec("subiso") is None:  # not installed: the sources beside us
    sys.path.insert(0, str(HERE.parent / "src"))

from subiso.bench import main  # noqa: E402

sys.exit(main(results=HERE / "results", program="python -m bench"))
