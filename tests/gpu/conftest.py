"""These tests need a CUDA device and CuPy; without them they are skipped. They share the shim's random queries."""

import sys
from pathlib import Path

import pytest

from subiso.engine.cuda import why_not

sys.path.insert(0, str(Path(__file__).parents[1] / "simt"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    reason = why_not() if here else None
    for item in here:
        item.add_marker(pytest.mark.gpu)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))
