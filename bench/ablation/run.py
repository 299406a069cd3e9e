"""All studies of the ablation, or some: tables to the terminal, text, JSON and SVG files to a folder.

From the repository's root, on a machine with a CUDA device, with the graphs packed by bench/gpu/pack.py:

    PYTHONPATH=src python bench/ablation/run.py --data carry --out DIR [--only batching tau] [--graphs wiki-Vote]

A wrong count makes the exit status 1; a claim that does not hold is printed as such.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.ablation import batching, hubs, memory, sharing, split, stack, tau, twigs  # noqa: E402
from bench.ablation.rehearse import compile_all, kernels_of  # noqa: E402
from bench.ablation.setting import Setting, failure  # noqa: E402
from bench.ablation.study import Study  # noqa: E402
from bench.checked import check_graphs, run_script  # noqa: E402
from subiso.bench.data import DataFolder  # noqa: E402

# What takes longest comes last, and gets the time that the others have left.
STUDIES = {
    "memory": (memory.study,),
    "split": (split.study,),
    "tau": (tau.study,),
    "hubs": (hubs.study, hubs.growing_hub),
    "sharing": (sharing.study, sharing.levels),
    "twigs": (twigs.study, twigs.sweeps, twigs.switches),
    "stack": (stack.study, stack.unrolling),
    "batching": (batching.study,),
}


def main() -> int:
    options = parse()
    from subiso.engine.cuda.device import open_devices

    data = DataFolder(options.data)
    check_graphs(data, options.graphs)
    machine = open_devices(options.device)[0]
    setting = Setting(machine, data, tuple(options.graphs or ()), options.limit, options.repeat)
    chosen = [function for name in options.only or STUDIES for function in STUDIES[name]]
    started = time.perf_counter()
    kernels = kernels_of(setting, [study for study in chosen if study is not split.study])
    compile_all(kernels, machine.description.architecture)
    took = time.perf_counter() - started
    print(f"{machine.description}\n{len(kernels)} kernels ready after {took:.1f} s\n", flush=True)
    return run_all(setting, chosen, options.out, options.seconds - took)


def run_all(
    setting: Setting, studies: Sequence[Callable[[Setting], Study]], out: Path, seconds: float
) -> int:
    """Runs studies; each may take its share of the seconds that are left, after which tries are left out."""
    end = time.perf_counter() + seconds
    wrong = 0
    for i, function in enumerate(studies):
        started = time.perf_counter()
        share = (end - started) / (len(studies) - i)
        setting.deadline = started + share
        try:
            found = function(setting)
        except Exception as error:  # the other studies are still wanted
            traceback.print_exc()
            found = Study(f"failed-{i}", "a study that failed", [{"state": failure(error)}])
        about = {
            "date": datetime.date.today().isoformat(),
            "device": setting.machine.description.name,
            "limit_s": setting.limit,
            "took_s": round(time.perf_counter() - started, 1),
        }
        found.write(out, about)
        wrong += found.wrong
        print(f"{found.text()}\n({about['date']}, {about['device']}, {about['took_s']} s)\n", flush=True)
    print(f"{wrong} rows wrong; files in {out}")
    return int(wrong > 0)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path("carry"), help="folder with load.py, *.npz and rmat.py"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=list(STUDIES))
    parser.add_argument("--graphs", nargs="*", help="instead of each study's own")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=float, default=2.0, help="seconds of one run")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--seconds", type=float, default=230.0, help="for all studies; later tries are left out"
    )
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
