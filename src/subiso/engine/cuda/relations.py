"""Relations as kernels read them: lists on the device, and hubs as bit rows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.layout import CSR
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.tune import Wishes
from subiso.filter.resolve import Resolved

NO_HUB = 0xFFFFFFFF
"""No vertex has a bit row."""


def relation_entries(
    graph: DeviceGraph,
    resolved: Resolved,
    wishes: Wishes,
    kept: list[Any],
    *,
    wide: bool,
    only: Collection[int] | None = None,
) -> list[NDArray[Any]]:
    """One element of layout.CSR per relation; what they point to is added to `kept`.

    With `only` the others are left out, as elements that point nowhere.
    """
    entries = []
    for number, csr in enumerate(resolved.csrs):
        if only is not None and number not in only:
            entries.append(np.zeros((), CSR))
            continue
        lists = graph.csr(csr, wide=wide)
        hubs = graph.hubs(csr, lists, wide=wide, most_bytes=wishes.hub_bytes, least=wishes.hub_length)
        kept += [lists, hubs]
        entry = np.zeros((), CSR)
        entry["bounds"], entry["neighbors"] = lists.bounds.address, lists.neighbors.address
        entry["first_hub"], entry["symmetric"] = NO_HUB, resolved.reverse[number] == number
        if hubs is not None:
            entry["hubs"], entry["words"], entry["first_hub"] = hubs.rows.address, hubs.words, hubs.first
        entries.append(entry)
    return entries
