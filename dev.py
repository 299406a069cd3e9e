#!/usr/bin/env python3
"""Sets everything up in .venv and runs one job. Needs Python 3.11 or later and a C++20 compiler, nothing else.

python dev.py demo       install subiso into .venv and run the README's first commands
python dev.py test       build in place and run the tests; further arguments go to pytest
python dev.py lint       ruff and mypy
python dev.py sanitize   the engine's tests on builds with address, undefined-behaviour and thread sanitizers
python dev.py all        all of these
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / "python"
BUILD_TOOLS = ["cmake>=3.18", "ninja"]
# What the sanitizers look at: tests that run native code hard, in two halves side by side. (Hypothesis draws fewer
# examples there.)
SANITIZED = [
    ["tests/native"],
    [
        "tests/plan",
        "tests/property",
        "tests/graph/test_build.py",
        "tests/formats/test_text_parser.py",
        "--ignore=tests/property/test_alone.py",  # single techniques, all of which run in the mixes beside it
        # Planning, mostly; larger patterns are there.
        "--deselect=tests/plan/test_decompose.py::test_patterns_of_six_vertices",
    ],
]


def run(*command: object, env: dict[str, str] | None = None) -> None:
    """Runs a command in the project's folder; a failure ends this program."""
    words = [str(word) for word in command]
    print("+", " ".join(words), flush=True)
    status = subprocess.run(words, cwd=ROOT, env={**os.environ, **(env or {})}, check=False).returncode
    if status:
        sys.exit(status)


def run_together(commands: list[list[object]], env: dict[str, str]) -> None:
    """Runs commands side by side, and prints what each said when all are done; a failure ends this program."""

    def start(command: list[object]) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in command]
        print("+", " ".join(words), flush=True)
        return subprocess.run(
            words,
            cwd=ROOT,
            env={**os.environ, **env},
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    with ThreadPoolExecutor(len(commands)) as pool:
        done = list(pool.map(start, commands))
    for each in done:
        print(each.stdout, flush=True)
    if any(each.returncode for each in done):
        sys.exit(1)


def once(name: str, content: str, action: object) -> None:
    """Does something unless it was done before for the same content."""
    stamp = VENV / f"{name}.stamp"
    digest = hashlib.sha256(content.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    action()  # type: ignore[operator]
    stamp.write_text(digest)


def sources() -> str:
    """Names and contents of all that an installed subiso is made of, for `once`."""
    files = [ROOT / "pyproject.toml", ROOT / "CMakeLists.txt"]
    files += [f for folder in ("native", "src") for f in sorted((ROOT / folder).rglob("*.*"))]
    kept = [f for f in files if f.is_file() and f.suffix not in (".so", ".pyc")]
    return "\n".join(f"{f.relative_to(ROOT)} {hashlib.sha256(f.read_bytes()).hexdigest()}" for f in kept)


def make_venv() -> None:
    """Creates .venv if it is not there."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this file is run by whatever Python there is)
        sys.exit("subiso needs Python 3.11 or later")
    if not PYTHON.exists():
        run(sys.executable, "-m", "venv", VENV)


def install_requirements() -> None:
    """Installs what building, testing and linting need, as pyproject.toml lists it."""
    make_venv()
    import tomllib  # from Python 3.11 on, which make_venv has checked

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    wanted = [
        *BUILD_TOOLS,
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(r for name in ("interop", "test", "lint") for r in extras[name] if not r.startswith("subiso")),
    ]
    once("requirements", "\n".join(wanted), lambda: run(PYTHON, "-m", "pip", "install", "-q", *wanted))


def cmake(preset: str, *options: str) -> Path:
    """Configures and builds one preset; gives its build folder."""
    folder = ROOT / "build" / preset
    tool = BIN / "cmake"
    path = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    run(tool, "--preset", preset, f"-DPython_EXECUTABLE={PYTHON}", *options, env=path)
    run(tool, "--build", "--preset", preset, env=path)
    return folder


def install() -> None:
    """Compiles subiso and puts it into .venv."""
    print("Compiling takes a minute or two; pip says nothing meanwhile.", flush=True)
    run(PYTHON, "-m", "pip", "install", "-q", ROOT)


def demo() -> None:
    """Installs subiso as a user would, and runs the first commands of the README."""
    make_venv()
    once("install", sources(), install)
    subiso, graph = BIN / "subiso", ROOT / "build" / "pay.subiso"
    graph.parent.mkdir(exist_ok=True)
    run(subiso, "generate", "transactions", "n=5000", "m=60000", "rings=12", "seed=7", "-o", graph)
    run(subiso, "count", graph, "(a)-->(b)-->(c)-->(a)")
    rich = "WHERE e.amount > 1000 AND f.amount > 1000 AND g.amount > 1000"
    run(subiso, "match", graph, "--sorted", f"(a)-[e]->(b)-[f]->(c)-[g]->(a) {rich}")


def test(*arguments: str) -> None:
    """Builds in place and runs the tests."""
    install_requirements()
    cmake("dev")
    path = {"PYTHONPATH": str(ROOT / "src")}
    run(PYTHON, "-m", "pytest", "-n", os.environ.get("SUBISO_TEST_PROCESSES", "auto"), *arguments, env=path)


def lint() -> None:
    """Checks style and types."""
    install_requirements()
    run(BIN / "ruff", "check", ".")
    run(BIN / "ruff", "format", "--check", ".")
    run(BIN / "mypy")


def library_path(name: str) -> str:
    """Where the compiler keeps a library."""
    found = subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def sanitize() -> None:
    """Runs the engine's tests under sanitizers; they are loaded before Python, which is not built with them."""
    install_requirements()
    settings = {
        "asan": ("libasan.so", {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}),
        # No suppressions: the interpreter's lock is seen even though the interpreter is not instrumented.
        "tsan": ("libtsan.so", {"TSAN_OPTIONS": "exitcode=66"}),
    }
    for preset, (library, options) in settings.items():
        folder = cmake(preset)
        package = folder / "site" / "subiso"
        shutil.rmtree(package, ignore_errors=True)
        shutil.copytree(
            ROOT / "src" / "subiso", package, ignore=shutil.ignore_patterns("*.so", "__pycache__")
        )
        for extension in folder.glob("_native*.so"):
            shutil.copy(extension, package)
        env = {
            # The sanitizers look for libstdc++ at start, when Python has not loaded it yet.
            "LD_PRELOAD": f"{library_path(library)} {library_path('libstdc++.so.6')}",
            "PYTHONPATH": str(package.parent),
            **options,
        }
        path = f"pythonpath={package.parent} ."
        flags = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:doctest", "-m", "not slow", "-o", path]
        flags += ["--hypothesis-profile=sanitize", "--capture=sys"]  # reports go past pytest to the terminal
        # The tests' own flags ask for doctests, which need not run twice. Two processes, as the workers of a plugin
        # would not hand on what a sanitizer says when they end.
        command = [PYTHON, "-m", "pytest", "-o", "addopts=-q --import-mode=importlib", *flags]
        run_together([[*command, *half] for half in SANITIZED], env)


def everything() -> None:
    """All jobs, the quickest first."""
    for job in (demo, lint, test, sanitize):
        job()


JOBS = {"demo": demo, "test": test, "lint": lint, "sanitize": sanitize, "all": everything}


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in JOBS:
        sys.exit(__doc__)
    JOBS[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
