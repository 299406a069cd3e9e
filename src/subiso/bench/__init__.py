"""Benchmarks with expected answers, run by `subiso bench` and `python -m bench`.

A suite is a TOML file of cases (suite.py says what it holds); running one gives a Report with our times
beside the peers'. A wrong count is a failed benchmark, whatever the time.
"""

from subiso.bench.command import main
from subiso.bench.run import Options, run_suite
from subiso.bench.suite import Case, Query, Suite, load_suite, suites

__all__ = ["Case", "Options", "Query", "Suite", "load_suite", "main", "run_suite", "suites"]
