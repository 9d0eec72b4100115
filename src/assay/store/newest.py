"""Newest: the newest results of each benchmark and provider, their values, and the baselines, without reading scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, and_, case, func, or_, select

from assay.store.database import Database
from assay.store.listing import IS_FAILED, Truth
from assay.store.query_scores import in_parts, read_records
from assay.store.rows import read_first, read_rows
from assay.store.schema import BASELINES, EVALUATIONS, FIGURES, RESULTS, with_documents_read


class NewestResult(NamedTuple):
    """A stored result of a series."""

    number: int
    evaluation: str
    place: int
    benchmark: str
    provider: str
    started: str
    n_queries: int
    n_failed: int
    comparable: str
    """Equal if values can be compared."""
    was_baseline: bool
    is_failed: bool
    """Whether the provider failed on every query."""


class NewestRow(NamedTuple):
    """The columns of a result, as the database has them."""

    number: int
    evaluation: str
    place: int
    benchmark: str
    provider: str
    started: str
    n_queries: int
    n_failed: int
    comparable: str | None
    was_baseline: Truth
    is_failed: Truth | None

    @property
    def result(self) -> NewestResult:
        """The result."""
        return NewestResult(*self[:8], self.comparable or "", bool(self.was_baseline), bool(self.is_failed))


class Value(NamedTuple):
    """The value of a result by one metric; None if it is undefined."""

    result: int
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    documents_read: str | None = None
    """A digest of what the metric read about documents; None if it read nothing."""

    def comparable(self, of_results: str) -> str:
        """Equal if values of the metric can be compared; `of_results` is that of its result."""
        return with_documents_read(of_results, self.documents_read)


class Baseline(NamedTuple):
    """A baseline: its name, its evaluation, the part of it (empty: all of it), and when it was blessed."""

    name: str
    evaluation: str
    part: str
    blessed: str


class NewestBook:
    """`store.newest`: what an overview of all series reads. `per_series` limits how many results each series has."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def results(self, per_series: int) -> Sequence[NewestResult]:
        """The newest results of each benchmark and provider, oldest first; and all results of baselines."""
        return self._database.read(partial(list_newest, per_series=per_series))

    def values(self, metrics: Iterable[str], per_series: int) -> Sequence[Value]:
        """The values of the same results by these metrics."""
        return self._database.read(partial(list_values, metrics=metrics, per_series=per_series))

    def metrics(self, results: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Result → its metrics that have a value, in the order of the plan; all metrics if none has one."""
        parts = (self._database.read(partial(list_metrics, results=part)) for part in in_parts(results))
        return {number: names for part in parts for number, names in part.items()}

    def records(self, results: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
        """Result → everything except its scores, queries and rankings, as plain values."""
        parts = (self._database.read(partial(read_records, results=part)) for part in in_parts(results))
        return {number: record for part in parts for number, record in part.items()}

    def error(self, evaluation: str, place: int) -> str:
        """The most frequent error of a result; empty if there is none."""
        return self._database.read(partial(read_error, evaluation=evaluation, place=place))

    def baselines(self) -> Sequence[Baseline]:
        """The baselines, the one that was blessed last first."""
        return self._database.read(list_baselines)


def list_newest(connection: Connection, per_series: int) -> list[NewestResult]:
    """The newest results of each benchmark and provider, oldest first; and all results of baselines."""
    ranked = _ranked()
    blessed = select(BASELINES.c.evaluation)
    of_result = ("benchmark", "provider", "started", "n_queries", "n_failed", "comparable")
    about = (RESULTS.c.number, EVALUATIONS.c.id, RESULTS.c.place, *(RESULTS.c[name] for name in of_result))
    statement = select(*about, RESULTS.c.blessed.is_not(None), IS_FAILED).select_from(RESULTS).join(EVALUATIONS)
    statement = statement.join(ranked, ranked.c.number == RESULTS.c.number)
    statement = statement.where(or_(ranked.c.age <= per_series, RESULTS.c.evaluation.in_(blessed)))
    ordered = statement.order_by(RESULTS.c.started, EVALUATIONS.c.saved, RESULTS.c.number)
    return [row.result for row in read_rows(connection, ordered, NewestRow)]


def _ranked() -> Any:
    """Each result with its age in its series: 1 for the newest."""
    age = func.row_number().over(
        partition_by=(RESULTS.c.benchmark, RESULTS.c.provider), order_by=(RESULTS.c.started.desc(), RESULTS.c.number.desc())
    )
    return select(RESULTS.c.number, age.label("age")).subquery()


def list_metrics(connection: Connection, results: Sequence[int]) -> dict[int, list[str]]:
    """Result → its metrics that have a value, in the order of the plan; all metrics if none has one."""
    columns = (FIGURES.c.result, FIGURES.c.metric, case((FIGURES.c.value.is_not(None), 1), else_=0))
    statement = select(*columns).where(FIGURES.c.result.in_(results)).order_by(FIGURES.c.result, FIGURES.c.place)
    every: dict[int, list[tuple[str, int]]] = {}
    for result, metric, has_value in read_rows(connection, statement, tuple[int, str, int]):
        every.setdefault(result, []).append((metric, has_value))
    return {
        result: [name for name, has_value in some if has_value] or [name for name, _ in some]
        for result, some in every.items()
    }


def list_values(connection: Connection, metrics: Iterable[str], per_series: int) -> list[Value]:
    """The values of the newest results and of baselines by these metrics; none if a provider failed on every query."""
    ranked = _ranked()
    of_figure = (case((IS_FAILED, None), else_=FIGURES.c[name]) for name in ("value", "low", "high"))
    statement: Select[Any] = select(FIGURES.c.result, FIGURES.c.metric, *of_figure, FIGURES.c.n, FIGURES.c.documents_read)
    statement = statement.select_from(FIGURES)
    statement = statement.join(RESULTS).join(ranked, ranked.c.number == FIGURES.c.result)
    is_shown = or_(ranked.c.age <= per_series, RESULTS.c.evaluation.in_(select(BASELINES.c.evaluation)))
    return read_rows(connection, statement.where(and_(FIGURES.c.metric.in_(sorted(set(metrics))), is_shown)), Value)


def read_error(connection: Connection, evaluation: str, place: int) -> str:
    """The most frequent error of a result; empty if there is none."""
    statement = select(RESULTS.c.number).join(EVALUATIONS)
    statement = statement.where(EVALUATIONS.c.id == evaluation, RESULTS.c.place == place)
    row = read_first(connection, statement, tuple[int])
    return most_frequent_error(read_records(connection, row).get(row[0], {})) if row else ""


def most_frequent_error(record: Mapping[str, Any]) -> str:
    """The most frequent error in the record of a result; empty if there is none."""
    errors = Counter(map(str, (record.get("failures") or {}).values()))
    return errors.most_common(1)[0][0] if errors else ""


def list_baselines(connection: Connection) -> list[Baseline]:
    """The baselines, the one that was blessed last first."""
    columns = (BASELINES.c.name, EVALUATIONS.c.id, BASELINES.c.part, BASELINES.c.blessed)
    statement = select(*columns).join(EVALUATIONS).order_by(BASELINES.c.blessed.desc(), BASELINES.c.name)
    return read_rows(connection, statement, Baseline)
