"""Local counts of `subiso count --per` as a table with a row per vertex or edge of the graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from subiso.graph import Graph


def emit_local(
    graph: Graph, per: str, counts: list[tuple[str, Any]], format: str | None, output: Path | None
) -> None:
    """Write the counts of one or more patterns, given with their texts, beside the graph's ids."""
    import pyarrow as pa

    from subiso.cli.output import emit_table
    from subiso.result.convert import arrow_ids

    ids = np.arange(graph.num_vertices) if graph.ids is None else graph.ids
    columns: dict[str, Any] = {"vertex": arrow_ids(ids)}
    if per == "edge":
        sources, targets = graph.edge_endpoints()
        columns = {"source": arrow_ids(ids[sources]), "target": arrow_ids(ids[targets])}
    for text, values in counts:
        if per == "role":
            before = f"{text}: " if len(counts) > 1 else ""
            columns.update({before + " ".join(role): values[role[0]] for role in values.names})
        else:
            columns[text if len(counts) > 1 else "count"] = values
    emit_table(pa.table(columns), format, output)
