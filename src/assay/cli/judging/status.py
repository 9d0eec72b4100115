"""Judging status: what is judged on the benchmarks of a store, by whom, and what the next judgments would tell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.cli.terminal import text_here
from assay.errors import NothingSelected, UsageError
from assay.serialize import dumps
from assay.text import printable

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.judging import JudgingStatus, Pool
    from assay.store import Store

MAX_SYSTEMS = 50
"""The newest systems of a benchmark that are shown."""


def judging_overview(store: Store, options: argparse.Namespace, schema: str) -> str:
    """The status of each benchmark, or of the named one."""
    if options.format == "csv":
        raise UsageError("status is several tables. Use -f table or -f json")
    statuses = list(_statuses(store, options.benchmark))
    if not statuses:
        which = f" on {options.benchmark}" if options.benchmark else ""
        raise NothingSelected(f"{store.place} has no results{which}. To store some: assay eval")
    if options.format == "json":
        return dumps({"schema": schema, "status": [status.to_dict() for status in statuses]}, indent=2) + "\n"
    return "\n".join(map(_text, statuses))


def _statuses(store: Store, benchmark: str | None) -> Iterator[JudgingStatus]:
    from assay.judging import judging_status

    pools = _pools()
    judged = {judgment.benchmark for judgment in store.judgments.find(benchmark)}
    for name in sorted(judged | {entry.benchmark for entry in store.list(benchmark)}):
        results = newest_results(store, name)
        own = [pool for pool in pools if printable(pool.benchmark) == name]
        yield judging_status(name, store.judgments.find(name), results, own)


def _pools() -> list[Pool]:
    """The kept pools, the newest first."""
    from assay.judging import kept_pool, kept_pool_ids

    return [pool for id_ in kept_pool_ids() if (pool := kept_pool(id_)) is not None]


def newest_results(store: Store, benchmark: str) -> Iterator[Result]:
    """The newest result of each system on a benchmark."""
    newest: dict[str, str] = {}
    for entry in store.list(benchmark):
        newest.setdefault(entry.provider, entry.evaluation)
    for provider, evaluation in list(newest.items())[:MAX_SYSTEMS]:
        yield from store.find(f"{evaluation}#{benchmark}/{provider}").results


def _text(status: JudgingStatus) -> str:
    from assay.reports import layer_table, next_steps, pool_table, system_table, table_section

    tables = [table for table in (layer_table(status), system_table(status), pool_table(status)) if table.rows]
    parts = [text_here([table_section(table)]) for table in tables]
    if not status.layers:
        parts.insert(0, "nobody has judged documents yet\n")
    if not status.pools:
        parts.append("no pool was drawn in this folder\n")
    steps = "".join(f"  {printable(step)}\n" for step in next_steps(status))
    return "\n".join([f"{printable(status.benchmark)}\n", *parts, f"next\n{steps}"])
