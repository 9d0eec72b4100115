"""The status of judging: what is judged on a benchmark, by whom, and what the next judgments would tell."""

from __future__ import annotations

import math
from collections.abc import Callable

from assay.judging import JudgingStatus, LayerStatus, PoolStatus, SystemStatus
from assay.reports.sections.store import readable_time
from assay.reports.table import Cell, Column, Table, number, words
from assay.text import counted, percent

MAX_JUDGES = 5
"""Judges that a table names."""


def layer_table(status: JudgingStatus) -> Table:
    """Who graded: a row for each layer."""
    heads = (Column("layer", kind="text"), Column("judges", kind="text"), Column("grades"), Column("pairs"))
    last = (Column("newest (UTC)", kind="text"), Column("use", kind="text"))
    return Table((*heads, *last), tuple(map(_layer_row, status.layers)), title="Who judged")


def _layer_row(layer: LayerStatus) -> tuple[Cell, ...]:
    named = [f"{judge.judge} ({judge.n_grades:,})" for judge in layer.judges[:MAX_JUDGES]]
    more = f" and {counted(len(layer.judges) - MAX_JUDGES, 'other')}" if len(layer.judges) > MAX_JUDGES else ""
    return (
        words(layer.kind),
        words(", ".join(named) + more),
        number(f"{layer.n_grades:,}", layer.n_grades),
        number(f"{layer.n_pairs:,}", layer.n_pairs),
        words(readable_time(layer.newest)),
        words(layer.use),
    )


def system_table(status: JudgingStatus) -> Table:
    """How much of the first ten documents of each system is judged: a row for each system."""
    heads = (Column("system", kind="text"), Column("documents"), Column("judged"), Column("by people"))
    title = "Share of the first 10 documents of the newest results that is judged"
    return Table(heads, tuple(map(_system_row, status.systems)), title=title)


def _system_row(system: SystemStatus) -> tuple[Cell, ...]:
    return (
        words(system.name),
        number(f"{system.n_documents:,}", system.n_documents),
        number(_share(system.judged), system.judged),
        number(_share(system.by_people), system.by_people),
    )


def pool_table(status: JudgingStatus, link: Callable[[PoolStatus], str] = lambda _: "") -> Table:
    """The pools: how much is judged, how exact the estimates are, and what the next judgments would give."""
    heads = (
        Column("pool", kind="text"),
        Column("design", kind="text"),
        Column("judged"),
        Column("metric", kind="text"),
        Column("± metric"),
        Column("± A − B"),
        Column("next"),
        Column("metric later", "± metric then"),
        Column("difference later", "± A − B then"),
    )
    rows = tuple(_pool_row(pool, link(pool)) for pool in status.pools)
    notes = [f"{pool.id}: {pool.reason}." for pool in status.pools if pool.reason]
    if any(not pool.reason for pool in status.pools):
        notes.append(
            "± is half of a 95 % interval, the mean over the systems or pairs of systems of the pool. Next: how many more "
            "judgments the last two columns are about, in a larger pool if all drawn pairs are judged. These widths are "
            "expected, not certain."
        )
    return Table(heads, rows, title="Pools", notes=tuple(notes))


def _pool_row(pool: PoolStatus, link: str) -> tuple[Cell, ...]:
    return (
        words(pool.id, link=link),
        words(pool.how),
        number(f"{pool.n_judged:,} of {pool.n_drawn:,}", pool.n_judged),
        words(pool.metric),
        _half(pool.now.value),
        _half(pool.now.difference),
        number(f"+{pool.n_next:,}" if pool.n_next else "–", pool.n_next),
        _half(pool.after.value),
        _half(pool.after.difference),
    )


def _half(value: float) -> Cell:
    return number("–" if math.isnan(value) else f"{value:.3f}", value)


def _share(share: float) -> str:
    return "–" if math.isnan(share) else percent(share)


def next_steps(status: JudgingStatus) -> tuple[str, ...]:
    """The commands that continue the judging of the first pool, and the one that compares with the grades so far."""
    if not status.pools:
        return ("assay pool latest --plan", "assay pool latest --pairs 300 --how spread -o pool.jsonl")
    newest = status.pools[0]
    return tuple(filter(None, (newest.next_step, newest.compare)))
