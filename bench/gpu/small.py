"""Small queries with known answers, for compute-sanitizer: tables and compiled plans, counts, sizes, rows, motifs,
wheels."""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import replace
from math import comb

import numpy as np
from bench.checked import check_names, run_script

from subiso.engine.base import Params, Switches
from subiso.engine.cuda.by_sums import sums_way
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.filter_tune import FilterWishes
from subiso.engine.cuda.hood_tune import HoodWishes
from subiso.engine.cuda.levels_tune import LevelsWishes, Limits
from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.cuda.motif_seeds import MotifWishes
from subiso.engine.cuda.pipeline_tune import PipelineWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.motifs import count_motifs, count_motifs_on
from subiso.engine.query import make_query
from subiso.filter.narrow import FILTERS
from subiso.graph import Graph
from subiso.pattern import Pattern, connected_patterns

N = 24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all of them by default")
    chosen = parser.parse_args().parts or list(PARTS)
    check_names("part", chosen, list(PARTS))
    graph = Graph.from_edges(*zip(*itertools.combinations(range(N), 2), strict=True))
    for name in chosen:
        PARTS[name](graph)
    print("all right")


def searches(graph: Graph) -> None:
    """Schedules `fine`, `stack` and `wedge`, as `auto` has them."""
    for fixed, tau in itertools.product((True, False), (0, 10_000)):
        wishes = Wishes(blocks=6, warps_per_block=4, fixed=fixed, tau=tau, row_capacity=1000)
        check(CudaEngine(open_device(), wishes), graph)


def levels(graph: Graph) -> None:
    """Schedule `levels`: every way to write results, rows of every size."""
    for output in ("atomic", "prealloc", "twice"):
        own = LevelsWishes(output=output, rows=3000, limits=Limits(16, 20, 21))
        check(CudaEngine(open_device(), Wishes(levels=own), schedule="levels"), graph)


def pipelines(graph: Graph) -> None:
    """Schedule `pipeline`, also with tiny chunks and tables."""
    tiny = PipelineWishes(chunk_rows=512, table_bytes=1 << 16, least_turns=16, unit=32)
    for own in (PipelineWishes(), tiny):
        wishes = Wishes(blocks=6, warps_per_block=4, row_capacity=1000, pipeline=own)
        joins(CudaEngine(open_device(), wishes, schedule="pipeline"), graph)


def neighborhoods(graph: Graph) -> None:
    """Schedule `local`: every class of neighbourhoods; second vertices with rows of their own, or too many; cliques set
    by set, of every width and in parts, in graphs with all edges and with absent ones."""
    large = LocalWishes(warp_limit=0, block_limit=0)
    for fixed, capacity in itertools.product((True, False), (8, 256)):
        for small in (replace(large, inner_capacity=capacity), LocalWishes(warp_limit=8)):
            engine = CudaEngine(open_device(), Wishes(fixed=fixed, local=replace(small, cliques=False)))
            assert engine.count(make_query(graph, Pattern.clique(6))).count == comb(N, 6)
    groups = [(u, v) for u, v in itertools.combinations(range(3 * N), 2) if u // 3 != v // 3]
    apart = Graph.from_edges(*zip(*groups, strict=True))
    for capacities, k in itertools.product(
        ((128, 256, 384, 512), (256,), (300,), (512,), (8, 12)), (5, 6, 7)
    ):
        engine = CudaEngine(
            open_device(), Wishes(local=replace(large, clique_capacities=capacities, parts=3))
        )
        assert engine.count(make_query(graph, Pattern.clique(k))).count == comb(N, k)
        assert engine.count(make_query(apart, Pattern.clique(k))).count == comb(N, k) * 3**k


def filters(_: Graph) -> None:
    """Candidates and a candidate graph that the device makes: labels in turn around a ring of vertices and chords."""
    ends = [(i, (i + step) % 90) for i in range(90) for step in (1, 2, 4)]
    graph = Graph.from_edges(*zip(*ends, strict=True), vertex_labels=list("ABC") * 30)
    query = make_query(graph, "(a:A)--(b:B)--(c:C)--(a)", unique=False)
    params = Params(switches=Switches(filters=FILTERS, candidate_graph="always"))
    counts = {
        CudaEngine(open_device(), Wishes(filters=FilterWishes(place=place)), schedule="fine")
        .count(query, params)
        .count
        for place in ("host", "device")
    }
    assert len(counts) == 1 and counts != {0}, counts


def check(engine: CudaEngine, graph: Graph) -> None:
    known = {
        Pattern.clique(4): comb(N, 4),
        Pattern.cycle(4): 3 * comb(N, 4),
        Pattern.diamond(): 6 * comb(N, 4),
        Pattern.star(3): N * comb(N - 1, 3),
    }
    for pattern, expected in known.items():
        query = make_query(graph, pattern)
        counted = engine.count(query).count
        listed = sum(len(batch) for batch in engine.stream(query, Params()))
        assert counted == listed == expected, (pattern, counted, listed, expected)
    anchored = make_query(graph, Pattern.clique(5), anchor={0: 0})
    assert engine.count(anchored).count == comb(N - 1, 4)
    homomorphisms = make_query(graph, Pattern.path(3), mode="edge-isomorphism")
    assert engine.count(homomorphisms).count == N * (N - 1) * (N - 2)


def motifs(_: Graph) -> None:
    """Seeds of every kind of team."""
    rng = np.random.default_rng(1)
    skew = rng.random(150) ** 3
    graph = Graph.from_edges(*rng.choice(150, (2, 1500), p=skew / skew.sum()), num_vertices=150)
    tiny = MotifWishes(
        capacity=4, block_capacity=16, slots=64, row_bytes=256, large_bytes=2048, blocks=8, tile_bytes=48
    )
    for wishes, size in itertools.product((MotifWishes(), tiny), (3, 4, 5)):
        engine = CudaEngine(open_device(), Wishes(fixed=False, motifs=wishes))
        patterns = connected_patterns(size)
        counted = count_motifs_on(engine, graph, patterns, Params())
        assert counted == count_motifs(graph, patterns, Params()), (wishes, size)


def wheels(graph: Graph) -> None:
    """Four-cycles in neighbourhoods: every class of hubs, rounds, windows, and lists that have no room."""
    pattern = Pattern.from_edges([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4)])
    way = sums_way(make_query(graph, pattern), math.inf)
    assert way is not None
    small = HoodWishes(warp_rows=4, block_rows=(), warps_per_block=2, list_bytes=20_000)
    for own in (
        HoodWishes(),
        HoodWishes(warp_rows=4, block_rows=(32,)),
        small,
        replace(small, warp_ends=4, block_ends=((32, 4),)),
        replace(small, warp_ends=4, block_ends=(), window=10, window_warps=4),
        replace(small, warp_ends=4, block_ends=(), window=10, window_warps=4, list_bytes=0),
    ):
        run = CudaEngine(open_device(), Wishes(hoods=own)).prepare_sums([way], graph)
        assert run.count(Watch(Params(), time.perf_counter())) == 3 * N * comb(N - 1, 4), own


def joins(engine: CudaEngine, graph: Graph) -> None:
    """Schedule `pipeline`: chunks, tables in parts, states that are saved and dealt out anew, weights, absent edges."""
    check(engine, graph)
    paths = make_query(graph, Pattern.path(4), unique=False)
    assert engine.count(paths).count == N * (N - 1) * (N - 2) * (N - 3)
    assert engine.count(make_query(graph, Pattern.cycle(4), mode="induced")).count == 0


PARTS: dict[str, Callable[[Graph], None]] = {
    "searches": searches,
    "levels": levels,
    "pipelines": pipelines,
    "neighborhoods": neighborhoods,
    "filters": filters,
    "motifs": motifs,
    "wheels": wheels,
}

if __name__ == "__main__":
    run_script(main)
