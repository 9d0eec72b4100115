"""Judging state: what is judged on a benchmark, by whom, and what the next judgments would tell, for the pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.text import printable

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.judging import JudgingStatus, Pool, PoolStatus
    from assay.web.state import AppState

MAX_SYSTEMS = 30
"""The newest systems of a benchmark that are shown."""
MAX_POOLS = 10
"""The newest pools of a benchmark that are shown."""


def judging_of_benchmark(state: AppState, benchmark: str) -> JudgingStatus:
    """The status of a benchmark; it is computed once for a state of the store and of the kept pools."""
    from assay.judging import judging_status, kept_pool_ids

    ids = tuple(kept_pool_ids())

    def work() -> JudgingStatus:
        judgments = state.judgments.find(benchmark)
        return judging_status(benchmark, judgments, _newest_results(state, benchmark), _pools(ids, benchmark))

    return state.judgment_cache.get(("judging", state.store_version(), benchmark, ids), work)


def _newest_results(state: AppState, benchmark: str) -> Iterator[Result]:
    """The newest result of each system."""
    newest: dict[str, str] = {}
    for listed in state.index.by_benchmark.get(benchmark, ()):
        newest.setdefault(listed.entry.provider, listed.key)
    for key in list(newest.values())[:MAX_SYSTEMS]:
        yield state.result(key)


def _pools(ids: tuple[str, ...], benchmark: str) -> list[Pool]:
    """The newest kept pools of a benchmark. A file that is not a pool is left out."""
    from assay.judging import kept_pool

    pools: list[Pool] = []
    for id_ in ids:
        try:
            pool = kept_pool(id_)
        except AssayError:
            continue
        if pool is not None and printable(pool.benchmark) == benchmark and len(pools) < MAX_POOLS:
            pools.append(pool)
    return pools


def queue_url(pool: PoolStatus) -> str:
    """The address where the pairs of a pool are judged."""
    return f"/queue/{pool.id}"
