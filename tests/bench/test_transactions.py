"""bench/gpu/transactions.py: what Nsight Compute prints, summed up by query and switch."""

from __future__ import annotations

import pytest
from bench.gpu.transactions import REQUESTS, SECTORS, WAYS, parse_output, report

PRINTED = "\n".join(
    [
        "==PROF== Connected to process 7",
        f"READ\tNELL-995\t{WAYS[0]}\t0\t2\t5\t1.5\t0.5",
        f"READ\tNELL-995\t{WAYS[1]}\t0\t1\t5\t1.5\t0.75",
        '"ID","Kernel Name","Metric Name","Metric Value"',
        *(
            f'"{number}","subiso_levels_join","{metric}","{value}"'
            for number, metric, value in (
                (0, REQUESTS, "10"),
                (0, SECTORS, "1,000"),
                (1, SECTORS, "1,000"),
                (2, SECTORS, "4,000"),
            )
        ),
    ]
)


def test_launches_belong_to_their_switch(capsys: pytest.CaptureFixture[str]) -> None:
    found, owners = parse_output(PRINTED)
    assert [read.sectors for read in found.values()] == [2000.0, 4000.0]
    assert found["NELL-995", WAYS[0]].requests == 10.0
    assert report(found, owners) == 0
    assert "2.00" in capsys.readouterr().out


def test_other_counts_are_wrong() -> None:
    found, owners = parse_output(PRINTED.replace("\t1\t5\t", "\t1\t6\t"))
    assert report(found, owners) == 1
