"""Variant users: the counts of each user of an experiment, with the variant, in the order in which users came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Bools, Floats, Ints
from assay.errors import DataError, UsageError
from assay.logs.cluster_sums import cluster_sum, with_next_search
from assay.logs.impressions import create_impressions
from assay.logs.log_table import OpenLog, named_columns, open_log
from assay.logs.row_columns import Shape
from assay.logs.scoring import VARIANT, parse_log_metrics
from assay.logs.searches import TABLE, create_searches, fetch
from assay.metrics import BoundMetric, Given, written_metrics
from assay.model import MEAN, RATIOS, Column
from assay.views import COUNTED_TIMES, Behaviour, Count, needed_counts

MICROSECONDS = 1_000_000


class Period(NamedTuple):
    """Which searches of a user belong to an experiment."""

    start: int | None = None
    """Searches before this time, in microseconds since 1970, are the period before the experiment."""
    window: float | None = None
    """Seconds: only searches within this time after the first search of a user count, and users whose window is not over at
    the end of the log are left out."""


WHOLE_LOG = Period()


class UserSums(NamedTuple):
    """One metric: a numerator and a denominator for each user. The metric is Σ numerators ÷ Σ denominators."""

    numerator: Floats
    denominator: Floats

    @classmethod
    def none(cls, n: int) -> UserSums:
        """The sums of n users who do not count."""
        return cls(np.zeros(n), np.zeros(n))

    @property
    def value(self) -> float:
        """The value of the metric; nan if the denominators are 0."""
        bottom = float(self.denominator.sum())
        return float(self.numerator.sum()) / bottom if bottom else float("nan")

    def of(self, rows: Bools) -> UserSums:
        """The sums of some users."""
        return UserSums(self.numerator[rows], self.denominator[rows])


@dataclass(frozen=True)
class VariantUsers:
    """Users with one variant each, the first to come first, without their ids."""

    variants: tuple[str, ...]
    """The names of the variants, sorted."""
    variant: Ints
    """The variant of each user, as its place in the names."""
    counts: Mapping[Count, Floats]
    before: Mapping[Count, Floats] | None
    """The counts before the experiment; 0 for a user without searches then. None without such a period."""
    searches: Ints
    """Searches in the experiment, of each variant."""
    n_several: int
    """Users who saw several variants; they are left out."""
    n_without: int
    """Searches in the experiment without a variant; they are left out."""
    n_unfinished: int
    """Users whose window was not over at the end of the log; they are left out."""
    unit: str
    """What is counted: `user`, `session` or `search`."""

    def view(self, before: bool = False) -> Behaviour:
        """What metrics read."""
        return Behaviour((), (self.before or {}) if before else self.counts)

    def sums(self, metric: BoundMetric, *, before: bool = False) -> UserSums | None:
        """The two sums of a metric for each user; None if the log does not have what it needs."""
        column = Column.of(metric.score(self.view(before)), metric.metric.aggregation)
        if not column.counts.any():
            return None
        if column.is_composed and column.aggregation in RATIOS:
            top, bottom = np.nan_to_num(column.weight).T
            return UserSums(top * RATIOS[column.aggregation], bottom)
        if column.aggregation == MEAN and not column.is_composed:
            return UserSums(np.nan_to_num(column.score.astype(float)), column.counts.astype(float))
        raise UsageError(f"{metric.name} ({column.aggregation}) cannot be compared between variants; ratios and means can")


NO_USERS = VariantUsers((), np.zeros(0, dtype=np.int64), {}, None, np.zeros(0, dtype=np.int64), 0, 0, 0, "user")


def variant_sums(
    log: Any,
    metrics: Given | Iterable[Given],
    *,
    by: str = "",
    columns: Mapping[str, str] | str | None = None,
    first_rank: int = 1,
    most_per_hour: int | None = None,
) -> dict[str, dict[str, UserSums]]:
    """Metric → variant → the sums of its users, for your own test of independent groups.

    `by` is the column with the variant. Users with several variants are left out. Percentiles of times have no sums.
    """
    asked = parse_log_metrics(written_metrics(metrics)) or []
    check_between_variants(asked)
    with named_columns(columns):
        users = read_users(log, needed_counts([metric.score for metric in asked]), by, WHOLE_LOG, first_rank, most_per_hour)
    rows = {name: users.variant == place for place, name in enumerate(users.variants)}
    sums = {metric.name: users.sums(metric) or UserSums.none(len(users.variant)) for metric in asked}
    return {name: {variant: each.of(inside) for variant, inside in rows.items()} for name, each in sums.items()}


def check_between_variants(metrics: Iterable[BoundMetric]) -> None:
    """Raise for a percentile of times, which has no sums of users."""
    for metric in metrics:
        if any(count.name in COUNTED_TIMES for count in needed_counts([metric.score])):
            raise UsageError(
                f"{metric.name} is a percentile of times, which cannot be compared between variants. Choose other metrics, "
                "or look at it with assay log score --by variant"
            )


def read_users(
    source: Any,
    counts: Iterable[Count],
    by: str = "",
    period: Period = WHOLE_LOG,
    first_rank: int = 1,
    most_per_hour: int | None = None,
) -> VariantUsers:
    """The counts that metrics need, for each user. `by` is the column with the variant (default: the role `variant`)."""
    counts = tuple(counts)
    with open_log(source) as log:
        if not by:
            log.tables[0].needed(VARIANT, "the variant of each search")
        shape = create_impressions(log, (by or VARIANT,), first_rank)
        if not shape.has("time") and period != WHOLE_LOG:
            log.tables[0].needed("time", "the time of each search")
        create_searches(log, shape, counts, 1, most_per_hour)
        return _read(log, shape, counts, period)


def _read(log: OpenLog, shape: Shape, counts: Sequence[Count], period: Period) -> VariantUsers:
    source = with_next_search(counts, shape)
    inside = "true" if period.start is None else f"t >= {period.start}"
    (n_without,) = log.connection.execute(f"SELECT count(*) FROM {TABLE} WHERE {inside} AND tag_0 IS NULL").fetchone()
    during = f"(SELECT * FROM {source} WHERE {inside} AND tag_0 IS NOT NULL)"
    n_unfinished = 0
    if period.window is not None:
        during, n_unfinished = _windows(log, during, round(period.window * MICROSECONDS))
    sums = _sums(counts, shape)
    columns = fetch(
        log,
        "SELECT c, min(tag_0) AS variant, min(tag_0) <> max(tag_0) OR bool_or(several_tags) AS is_several, min(t) AS first, "
        f"count(*) AS n_searches{sums} FROM {during} GROUP BY c ORDER BY first, c",
    )
    if not len(columns["c"]) and n_unfinished:
        message = f"all {n_unfinished:,} users came less than {(period.window or 0) / 3600:g} hours before the log ends"
        raise DataError(f"{message}, so none can be counted yet. Use a shorter window, or wait", source=log.label)
    if not len(columns["c"]):
        raise DataError(
            "no search in the experiment has a variant; check the column with the variant, and the start", source=log.label
        )
    own = ~columns["is_several"].astype(bool)
    names, codes = np.unique(columns["variant"][own].astype(str), return_inverse=True)
    before = None
    if period.start is not None and period.window is None:
        before = _before(log, f"{source} WHERE t < {period.start}", columns["c"][own], counts, sums)
    return VariantUsers(
        tuple(names.tolist()),
        codes.astype(np.int64),
        _values(counts, columns, own),
        before,
        np.bincount(codes, weights=columns["n_searches"][own].astype(float), minlength=len(names)).astype(np.int64),
        int((~own).sum()),
        int(n_without),
        n_unfinished,
        shape.unit,
    )


def _sums(counts: Sequence[Count], shape: Shape) -> str:
    return "".join(f", {cluster_sum(count, shape)} AS count_{number}" for number, count in enumerate(counts))


def _values(counts: Sequence[Count], columns: Mapping[str, Any], rows: Any) -> dict[Count, Floats]:
    return {count: columns[f"count_{number}"][rows].astype(float) for number, count in enumerate(counts)}


def _windows(log: OpenLog, during: str, window: int) -> tuple[str, int]:
    """The searches within the window of each user, and how many users are left out because their window is not over."""
    began = f"(SELECT *, min(t) OVER (PARTITION BY c) AS began FROM {during})"
    (last,) = log.connection.execute(f"SELECT max(t) FROM {TABLE}").fetchone()
    is_over = f"began + {window} <= {last}"
    (n,) = log.connection.execute(f"SELECT count(DISTINCT c) FROM {began} WHERE NOT ({is_over})").fetchone()
    return f"(SELECT * EXCLUDE (began) FROM {began} WHERE t < began + {window} AND {is_over})", int(n)


def _before(log: OpenLog, source: str, users: Any, counts: Sequence[Count], sums: str) -> dict[Count, Floats] | None:
    """The counts of the same users before the experiment; None if none of the users was there."""
    columns = fetch(log, f"SELECT c{sums} FROM {source} GROUP BY c ORDER BY c")
    known = columns["c"]
    if not len(known):
        return None
    place = np.minimum(np.searchsorted(known, users), len(known) - 1)
    is_there = known[place] == users
    if not is_there.any():
        return None
    values = _values(counts, columns, place)
    return {count: np.where(is_there, column, 0.0) for count, column in values.items()}
