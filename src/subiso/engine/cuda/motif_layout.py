"""The structures that host and kernels of motif sums share, as NumPy types, and the sums (kernels/motifs.cuh)."""

from __future__ import annotations

import numpy as np

from subiso.engine.cuda.layout import CODEGREES, CSR, FEW_RELATIONS

SUMS = {
    "stars2": 2,
    "stars3": 6,
    "stars4": 24,
    "paths": 1,
    "spiders": 2,
    "long_paths": 2,
    "triangle_ends": 1,
    "triangle_degrees": 1,
    "triangle_pairs": 2,
    "triangle_meetings": 2,
    "books2": 2,
    "books3": 6,
    "bulls": 1,
    "tails": 1,
    "darts": 2,
    "cycles4": 2,
    "cycle_triangles": 1,
    "closed_walks5": 1,
    "tails_up": 1,
    "square_degrees": 2,
    "common3": 6,
    "fans": 1,
    "kites": 1,
    "wheels": 2,
    "spokes": 1,
    "clique_edges": 2,
    "clique_degrees": 2,
    "clique_books": 2,
    "clique_pairs": 2,
    "cliques3": 1,
}
"""In the kernels' order; what a kernel's total is divided by (falling factorials, and what is found from both ends)."""

BOARD = np.dtype(
    {
        "names": ["stop", "sums"],
        "formats": [np.uint32, (np.uint64, (len(SUMS), 2))],
        "offsets": [256, 384],
        "itemsize": -(-(384 + 16 * len(SUMS)) // 128) * 128,
    }
)
"""`stop` stands where the control block of a search has it (layout.CONTROL)."""

RANGE = np.dtype(
    [(name, np.uint32) for name in ("begin", "end", "narrow_end", "half_end", "words", "unused")]
)
TILE = np.dtype([("range", RANGE), ("lower", np.uint64), ("upper", np.uint64), ("cuts", np.uint64)])
FAR = np.dtype([("range", RANGE), ("counts", np.uint64), ("ends", np.uint64), ("capacity", np.uint64)])

MOTIF_ARGS = np.dtype(
    [
        ("relations", CSR, FEW_RELATIONS),
        ("more_relations", np.uint64),
        ("table", CODEGREES),
        ("control", np.uint64),
        ("ticket", np.uint64),
        ("seeds", np.uint64),
        ("parts", np.uint64),
        ("starts", np.uint64),
        ("num_units", np.uint64),
        ("sources", np.uint64),
        ("num_entries", np.uint64),
        ("triangles", np.uint64),
        ("corners", np.uint64),
        ("reach", np.uint64),
        ("pairs", np.uint64),
        ("numbers", np.uint64),
        ("pair_words", np.uint64),
        ("sets", np.uint64),
        ("set_words", np.uint64),
        ("rows", np.uint64),
        ("row_words", np.uint64),
        ("tile", TILE),
        ("far", FAR),
        ("num_vertices", np.uint32),
        ("capacity", np.uint32),
    ]
)
