"""The SIMT shim itself: right kernels run, wrong ones are caught and named."""

from __future__ import annotations

import numpy as np
import pytest
from shim import simt

ORDERS = ["forward", "reverse", "random"]
POISON = 0xA5A5A5A5


def run(name: str, words: int = 256, **options: object) -> np.ndarray:
    numbers = np.arange(256, dtype=np.uint32) * 7
    out = np.zeros(words, np.uint32)
    simt.probe(name, numbers, out, **options)
    return out


@pytest.mark.parametrize("order", ORDERS)
def test_warps_of_several_blocks_run(order: str) -> None:
    out = run("reverse", blocks=2, threads=64, shared=256, order=order, seed=5)
    expected = (np.arange(128, dtype=np.uint32) * 7).reshape(4, 32)[:, ::-1].ravel()
    assert out[:128].tolist() == expected.tolist()


def test_a_removed_sync_shows() -> None:
    """Without it some order of the lanes reads what was not yet written."""
    expected = run("reverse", shared=128)[:32].tolist()
    wrong = [
        order
        for order in ORDERS
        if run("reverse_without_sync", shared=128, order=order, seed=1)[:32].tolist() != expected
    ]
    assert wrong == ORDERS


@pytest.mark.parametrize("order", ORDERS)
def test_warp_calls(order: str) -> None:
    out = run("warp_sums", order=order)
    x = np.arange(32) * 7
    assert out[:32].tolist() == np.cumsum(x).tolist()
    assert set(out[32:64].tolist()) == {int(x.sum())}
    assert out[64:96].tolist() == x[::-1].tolist()
    assert set(out[96:128].tolist()) == {0xAAAAAAAA}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("foreign_mask", r"thread (5|37) is at ballot \(.*probes.cpp:\d+, mask ff00\)"),
        (
            "different_masks",
            r"sync_warp \(.*probes.cpp:\d+, mask .*, but (block 0, thread \d+ is|its own)|nobody can go on",
        ),
        ("divergent_calls", r"but block 0, thread \d+ is at (ballot|sync_warp)"),
        ("early_exit", r"but block 0, thread (3|35) has left the kernel|nobody can go on: block 0"),
        ("missing_barrier", "has left the kernel|nobody can go on"),
    ],
)
def test_bad_calls_are_named(name: str, message: str, order: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        run(name, threads=64, order=order, seed=3)


def test_an_absent_lane_gives_poison() -> None:
    assert set(run("absent_lane")[:16].tolist()) == {POISON}


def test_shared_memory_is_poisoned_and_guarded() -> None:
    assert set(run("read_unwritten", shared=128)[:32].tolist()) == {POISON}
    with pytest.raises(RuntimeError, match="block 0 wrote past the end of its shared memory"):
        run("overrun", shared=128)


@pytest.mark.parametrize("order", ORDERS)
def test_blocks_interleave(order: str) -> None:
    run("wait_for_last", blocks=3, order=order)


@pytest.mark.parametrize("order", ORDERS)
def test_livelock_is_reported(order: str) -> None:
    with pytest.raises(RuntimeError, match=r"still waits after 1000 turns \(.*probes.cpp:\d+\): livelock"):
        run("wait_for_nobody", order=order)


def test_random_orders_interleave_between_load_and_store() -> None:
    found = {int(run("lost_update", order="random", seed=seed)[0]) for seed in range(8)}
    assert min(found) < 32
    assert int(run("lost_update", order="forward")[0]) == 32


def test_totals_carry() -> None:
    out = run("wide_total", order="random", seed=2)
    low, high = out[:4].view(np.uint64).tolist()
    total = (high << 64 | low) - (1 << 128 if high >> 63 else 0)
    assert total == 32 * 2**63 - sum(range(32)) - 2**70


def test_a_seed_replays() -> None:
    runs = [run("lost_update", order="random", seed=11)[0] for _ in range(3)]
    assert len(set(runs)) == 1
