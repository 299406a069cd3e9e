"""The seeds of schedule `local`, sorted by the size of their neighbourhoods; kept with the graph where possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.local_tables import LoweredLocal
from subiso.filter.resolve import Resolved
from subiso.storage.layout import Layout


def seeds_by_size(
    resolved: Resolved, lowered: LoweredLocal, seeds: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The seeds whose neighbourhoods can hold a match, largest first, and the sizes of these."""

    def ordered() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        bounds = resolved.csrs[lowered.relation].bounds
        begins = bounds[1::2] if lowered.above else bounds[:-1:2]
        sizes = (bounds[2::2] - begins)[seeds].astype(np.uint32)
        order = np.argsort(~sizes, kind="stable")
        return seeds[order], sizes[order]

    relation, layout = resolved.relations[lowered.relation], resolved.layout
    if isinstance(layout, Layout) and seeds is layout.all_ranks and relation.fit is None:
        key = ("seeds by neighbourhood", relation.direction, lowered.above)
        found, sizes = layout.graph.derived(key, ordered)
    else:
        found, sizes = ordered()
    end = len(sizes) - int(np.searchsorted(sizes[::-1], lowered.least, "left"))
    return found[:end], sizes[:end]
