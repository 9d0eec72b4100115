"""fuse: several runs in, one run out."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

from assay.fusion._fusion import BoundFusion, Trained, parse_fusion
from assay.fusion._lists import Lists, all_queries, as_runs
from assay.fusion._ordered import Ordered, fused_run
from assay.model import Qrels, Run

AT_ONCE = 2
"""Blocks in work at a time; NumPy sorts them on as many processors, while documents can only be looked up by one."""


def fuse(
    runs: Sequence[Any],
    method: str | BoundFusion = "rrf",
    *,
    trained: Trained | None = None,
    depth: int = 0,
    **settings: Any,
) -> Run:
    """The runs fused into one, best first; equal scores by id. Runs may have different queries.

    Settings are the method's: `fuse(runs, "comb_mnz", norm="z_score")`. A method that learns from judgments needs what
    `train` gave. `depth` keeps that many documents per query; 0 keeps all.
    """
    bound = method if isinstance(method, BoundFusion) else parse_fusion(method, **settings)
    return fuse_runs(as_runs(runs), bound, trained, bound.fusion.name, depth)


def fuse_runs(runs: Sequence[Run], fusion: BoundFusion, trained: Trained | None, tag: str, depth: int = 0) -> Run:
    """Prepared runs fused into one, some queries at a time: two blocks are scored and ordered side by side."""

    def ordered(lists: Lists) -> Ordered:
        return lists.ordered(fusion.score(lists, trained), depth)

    waiting = Lists.in_blocks(runs)
    blocks: list[Ordered] = []
    with ThreadPoolExecutor(AT_ONCE) as crew:
        while some := list(islice(waiting, AT_ONCE)):
            blocks += crew.map(ordered, some)
    return fused_run(all_queries(runs), blocks, tag)


def train(runs: Sequence[Any], qrels: Any, method: str | BoundFusion, **settings: Any) -> Trained:
    """What a method learns from runs and judgments, to fuse the same runs with on other queries.

    Scores of the queries it learnt from flatter it; `tune_fusion` looks at queries that were held out.
    """
    bound = method if isinstance(method, BoundFusion) else parse_fusion(method, **settings)
    return bound.train(Lists.of(runs), qrels if isinstance(qrels, Qrels) else Qrels(qrels))
