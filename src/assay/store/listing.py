"""Listing: list stored results, the history of a metric, and metrics, without reading scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, and_, case, select

from assay.errors import BadParameter, UnknownName
from assay.evaluation import Result
from assay.metrics import BoundMetric, find_metric, recorded_metric
from assay.store.packing import LazyMapping, decompress, report_damage
from assay.store.rows import read_first, read_rows, store_prefix
from assay.store.schema import BASELINES, EVALUATIONS, FIGURES, RESULTS, TAGS, with_documents_read
from assay.store.stored_result import Entry, Figure, Point, to_stored, unpack_record
from assay.store.timestamps import now
from assay.store.writing import comparability_of
from assay.text import printable, shortened

IS_FAILED = and_(RESULTS.c.n_queries > 0, RESULTS.c.n_failed >= RESULTS.c.n_queries)
"""Whether a provider failed on every query."""
Truth = bool | int
"""What databases return for true and false."""


class EntryRow(NamedTuple):
    """The columns of a result for lists."""

    id: str
    saved: str
    started: str
    benchmark: str
    provider: str
    n_queries: int
    rows_are: str
    n_failed: int
    dataset: str
    is_failed: Truth | None
    number: int
    evaluation: int


class FigureRow(NamedTuple):
    """The summary of a metric, with the number of its result."""

    result: int
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def figure(self) -> Figure:
        """The summary."""
        return Figure(self.metric, self.value, self.low, self.high, self.n)


class PointRow(NamedTuple):
    """The summary of a metric, with its result."""

    id: str
    started: str
    benchmark: str
    provider: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    comparable: str | None
    was_baseline: Truth
    result: int
    documents_read: str | None


class WordRow(NamedTuple):
    """A tag, or the name of a baseline."""

    evaluation: int
    word: str


@dataclass(frozen=True)
class Filter:
    """Which results to select; None: all."""

    benchmark: str | None = None
    provider: str | None = None
    since: str | None = None
    tag: str | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        """Check that names are text and the limit is a whole number."""
        for name in ("benchmark", "provider", "tag"):
            if not isinstance(getattr(self, name), str | None):
                raise BadParameter(f"{name} must be text, not {shortened(getattr(self, name))}")
        if self.limit is not None and (isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 0):
            raise BadParameter(f"limit must be a whole number of at least 0, or None for all, not {shortened(self.limit)}")

    def apply(self, query: Select[Any]) -> Select[Any]:
        """The database query with these conditions; it must select from results and their evaluations."""
        if self.benchmark is not None:
            query = query.where(RESULTS.c.benchmark == printable(self.benchmark))
        if self.provider is not None:
            query = query.where(RESULTS.c.provider == printable(self.provider))
        if self.since is not None:
            query = query.where(EVALUATIONS.c.started >= self.since)
        if self.tag is not None:
            tagged = select(TAGS.c.evaluation).where(TAGS.c.tag == printable(self.tag))
            query = query.where(RESULTS.c.evaluation.in_(tagged))
        return query

    def newest_first(self, query: Select[Any]) -> Select[Any]:
        """The database query with these conditions, newest first, with the limit."""
        order = (EVALUATIONS.c.saved.desc(), EVALUATIONS.c.number.desc(), RESULTS.c.place)
        return self.apply(query.select_from(RESULTS).join(EVALUATIONS)).order_by(*order).limit(self.limit)


def list_entries(connection: Connection, chosen: Filter) -> list[Entry]:
    """Stored results, newest first; results of one evaluation in their own order."""
    of_evaluation = (EVALUATIONS.c.id, EVALUATIONS.c.saved)
    of_result = ("started", "benchmark", "provider", "n_queries", "rows_are", "n_failed", "dataset")
    about = (*of_evaluation, *(RESULTS.c[name] for name in of_result), IS_FAILED)
    statement = select(*about, RESULTS.c.number, RESULTS.c.evaluation)
    rows = read_rows(connection, chosen.newest_first(statement), EntryRow)
    figures = _figures(connection, chosen)
    tags, baselines = _words(connection, TAGS.c.tag), _words(connection, BASELINES.c.name)
    return [
        Entry._make((*about, bool(is_failed), figures[number], tags.get(evaluation, ()), baselines.get(evaluation, ())))
        for *about, is_failed, number, evaluation in rows
    ]


def list_failed(connection: Connection, evaluation: int) -> set[int]:
    """The positions of the results whose provider failed on every query."""
    statement = select(RESULTS.c.place).where(RESULTS.c.evaluation == evaluation, IS_FAILED)
    return {place for (place,) in read_rows(connection, statement, tuple[int])}


def _figures(connection: Connection, chosen: Filter) -> defaultdict[int, Mapping[str, Figure]]:
    """Result → metric → its summary, created on use, because lists are long and most show only one metric."""
    columns = (FIGURES.c[name] for name in ("result", *Figure._fields))
    statement = select(*columns).order_by(FIGURES.c.result, FIGURES.c.place)
    if chosen != Filter():
        statement = statement.where(FIGURES.c.result.in_(chosen.newest_first(select(RESULTS.c.number))))
    rows = read_rows(connection, statement, FigureRow)
    by_result: defaultdict[int, Mapping[str, Figure]] = defaultdict(dict)
    by_result.update((result, LazyMapping(partial(_by_metric, list(some)))) for result, some in groupby(rows, itemgetter(0)))
    return by_result


def _by_metric(rows: Sequence[FigureRow]) -> dict[str, Figure]:
    return {row.metric: row.figure for row in rows}


def _words(connection: Connection, column: Any) -> dict[int, tuple[str, ...]]:
    """Evaluation → its tags, or the names of its baselines."""
    by_evaluation: dict[int, tuple[str, ...]] = {}
    for evaluation, word in read_rows(connection, select(column.table.c.evaluation, column).order_by(column), WordRow):
        by_evaluation[evaluation] = (*by_evaluation.get(evaluation, ()), word)
    return by_evaluation


def list_points(connection: Connection, metric: str, chosen: Filter) -> list[Point]:
    """The summaries of a metric over time, oldest first, for the selected benchmarks and providers.

    If a provider failed on every query there is no value, because scores of 0 would say nothing about it.
    """
    of_result = (RESULTS.c[name] for name in ("started", "benchmark", "provider"))
    of_figure = (case((IS_FAILED, None), else_=FIGURES.c[name]) for name in ("value", "low", "high"))
    of_data = (RESULTS.c.comparable, RESULTS.c.blessed.is_not(None), RESULTS.c.number, FIGURES.c.documents_read)
    statement: Select[Any] = select(EVALUATIONS.c.id, *of_result, *of_figure, FIGURES.c.n, *of_data).select_from(RESULTS)
    statement = chosen.apply(statement.join(EVALUATIONS).join(FIGURES)).where(FIGURES.c.metric == metric)
    order = (RESULTS.c.started, EVALUATIONS.c.saved, RESULTS.c.number)
    rows = read_rows(connection, statement.order_by(*order), PointRow)
    return [
        Point._make((*row[:8], with_documents_read(row.comparable, row.documents_read), bool(row.was_baseline), row.result))
        for row in rows
    ]


def list_benchmarks(connection: Connection, numbers: Sequence[int]) -> Sequence[str]:
    """The benchmarks of some evaluations."""
    statement = select(RESULTS.c.benchmark).where(RESULTS.c.evaluation.in_(numbers)).distinct()
    return [name for (name,) in read_rows(connection, statement, tuple[str])]


def point_of(result: Result, metric: str) -> Point:
    """The value of a result as a point of a history, before it belongs to an evaluation."""
    stored_result = to_stored(result.with_fields(run={}))
    name = result.own_name(metric)
    figure = next((summary for summary in stored_result.figures if summary.metric == name), None)
    value, n = (figure.value, figure.n) if figure else (None, 0)
    where = (printable(result.benchmark), printable(result.name))
    return Point("", now(), *where, value, None, None, n, comparability_of(stored_result, name))


def stored_metric(connection: Connection, name: str) -> BoundMetric:
    """A metric of the catalog; else the metric of that name in the newest result that has it."""
    try:
        return find_metric(name)
    except UnknownName:
        record = _newest_record(connection, name)
        if record is None:
            raise
    what = f"{store_prefix(connection)}the newest result with {printable(name)}"
    content = decompress(record, what)
    with report_damage(what):
        return recorded_metric(name, unpack_record(content).is_higher_better(name))


def _newest_record(connection: Connection, metric: str) -> bytes | None:
    statement = (
        select(RESULTS.c.record).select_from(RESULTS).join(EVALUATIONS).join(FIGURES).where(FIGURES.c.metric == metric)
    )
    newest = statement.order_by(EVALUATIONS.c.saved.desc(), EVALUATIONS.c.number.desc()).limit(1)
    row = read_first(connection, newest, tuple[bytes])
    return None if row is None else row[0]
