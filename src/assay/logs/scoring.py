"""Scoring: the metrics of a search log, with one row for each user (or session) in the table of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from assay.errors import BadParameter, UsageError
from assay.evaluation import CLUSTERED_BY, ROWS_ARE, Evidence, Provenance, Result, Scores, score_views
from assay.logs.cluster_sums import ClusterSums, sum_clusters
from assay.logs.impressions import CLUSTERS, create_impressions
from assay.logs.log_table import OpenLog, named_columns, open_log
from assay.logs.row_columns import Shape
from assay.logs.searches import LogTotals, create_searches
from assay.logs.unusual import notes_on_log, notes_on_values
from assay.metrics import BoundMetric, Given, WrittenMetric, find_metrics, parse_metrics, written_metrics
from assay.model import Policy, Query, fingerprint
from assay.text import plural
from assay.views import needed_counts

VIEW = "behaviour"
VARIANT = "variant"
DEFAULT_METRIC_NAMES = (
    *("ctr@10", "first_click_mrr", "clicked_rank", "abandonment", "zero_results", "reformulation"),
    *("satisfied_click@10", "skip_rate", "dwell_p50", "time_to_click"),
)
"""The default metrics of a log. Metrics without any value are left out."""


def evaluate_log(
    log: Any,
    metrics: Given | Iterable[Given] | None = None,
    *,
    by: str | Sequence[str] = (),
    name: str = "",
    columns: Mapping[str, str] | str | None = None,
    first_rank: int = 1,
    most_per_hour: int | None = None,
    cluster: str | None = None,
) -> Result:
    """Score what users did with search results.

    `log` is a file (Parquet, JSON lines, CSV), a list of files that are parts of one log, the two tables of OpenSearch's
    UBI, a data frame, or a list of records. `by` names the columns to slice by, such as `variant`, `day` and `device`. The
    rows of `result.table` are users, as numbers without their ids, so that intervals are about users. `columns` names
    columns that are not recognised, such as `{"rank": "slot"}`, and `first_rank` is 0 if ranks count from 0. Users with more
    than `most_per_hour` searches in one hour are left out. `cluster` is what counts as independent: `user`, `session` or
    `search` (default: the first that the log has).
    """
    asked = parse_log_metrics(written_metrics(metrics))
    with named_columns(columns):
        return score_log(log, asked, by, name, first_rank, most_per_hour, cluster)


def parse_log_metrics(metrics: WrittenMetric | Iterable[WrittenMetric] | None) -> list[BoundMetric] | None:
    """The requested metrics, or None if there are none. A metric that does not read logs is an error."""
    if metrics is None:
        return None
    asked = parse_metrics(metrics)
    if others := [metric.name for metric in asked if metric.metric.view != VIEW]:
        usual = ", ".join(DEFAULT_METRIC_NAMES[:4])
        raise UsageError(f"{others[0]} does not read search logs. Metrics that do: {usual} … (assay metrics lists all)")
    return asked


def score_log(
    source: Any,
    asked: Sequence[BoundMetric] | None,
    by: str | Sequence[str],
    name: str,
    first_rank: int = 1,
    most_per_hour: int | None = None,
    cluster: str | None = None,
) -> Result:
    """The result of a log. Users that have several values of a tag have a row for each."""
    if isinstance(first_rank, bool) or first_rank not in (0, 1):
        raise BadParameter(f"the first rank must be 0 or 1, not {first_rank!r}")
    if cluster is not None and cluster not in CLUSTERS:
        raise BadParameter(f"cluster must be one of {', '.join(CLUSTERS)}, not {cluster!r}")
    metrics = list(asked) if asked is not None else find_metrics(DEFAULT_METRIC_NAMES)
    with open_log(source) as log:
        sums, totals, shape = read_sums(log, metrics, by, first_rank, most_per_hour, cluster)
    view = sums.view
    table = score_views({VIEW: view}, metrics)
    if asked is None:
        metrics = [metric for metric in metrics if table.columns[metric.name].counts.any()] or metrics
        table = score_views({VIEW: view}, metrics)
    n = sums.n_clusters
    counts = {"judged": n, "scored": n, "missing": 0, "without_relevant": 0, "extra": 0, "constant": 0}
    notes = [*notes_on_log(totals, sums, shape), *notes_on_values(table)]
    rows_are = f"{shape.unit} group" if sums.is_grouped else shape.unit
    started = {"started": when} if (when := _time(totals.last)) else {}
    about = {**started, "log": describe_totals(totals, sums, shape.unit), ROWS_ARE: rows_are, **_clusters(sums, shape.unit)}
    return Result(
        name or log.name,
        Scores(table, tuple(metrics), counts),
        Provenance(Policy(), notes=tuple(notes), provenance=about, recorded={"log": digest_of(sums)}),
        Evidence(queries=_queries(sums, view.query_ids, shape.unit)),
    )


def read_sums(
    log: OpenLog,
    metrics: Sequence[BoundMetric],
    by: str | Sequence[str],
    first_rank: int = 1,
    most_per_hour: int | None = None,
    cluster: str | None = None,
) -> tuple[ClusterSums, LogTotals, Shape]:
    """The counts that metrics need, for each user and each value of the tags."""
    counts = needed_counts([metric.score for metric in metrics])
    tags = tags_of_log(log, by)
    shape = create_impressions(log, tags, first_rank, cluster)
    totals = create_searches(log, shape, counts, len(tags), most_per_hour)
    return sum_clusters(log, shape, totals, counts, tags), totals, shape


def tags_of_log(log: OpenLog, by: str | Sequence[str]) -> list[str]:
    """The tags to split users by: the requested ones, and the variant, if the log has one."""
    words = [by] if isinstance(by, str) else list(by)
    asked = [part.strip() for word in words for part in word.replace("*", ",").split(",") if part.strip()]
    for word in asked:
        _check_not_people(log, word)
    variants = [VARIANT] if any(table.field(VARIANT) is not None for table in log.tables) else []
    return list(dict.fromkeys([*asked, *variants]))


def _check_not_people(log: OpenLog, word: str) -> None:
    """Raise for a tag whose values are ids of users or sessions, which a result must not have."""
    for table in log.tables:
        known = table.tag(word)
        role = next((role for role in ("user", "session") if known is not None and known == table.field(role)), "")
        if role:
            message = f"a log cannot be split by {word}, because its values are ids of {role}s, which a result must not have"
            raise UsageError(f"{message}. Choose another column, or --cluster {role} for intervals about {role}s")


def _clusters(sums: ClusterSums, unit: str) -> dict[str, str]:
    """Which rows belong together: those of one user (session, search), if users are split by tags."""
    return {CLUSTERED_BY: unit} if sums.n_clusters < sums.n else {}


def _queries(sums: ClusterSums, row_ids: Sequence[str], unit: str) -> dict[str, Query]:
    """The tags of the rows. The number of the user is a tag only if a user has several rows."""
    names = [*sums.tags, *([unit] if sums.n_clusters < sums.n else [])]
    values = [*sums.tags.values(), *([list(map(str, (sums.cluster + 1).tolist()))] if len(names) > len(sums.tags) else [])]
    if not names:
        return {}
    return {
        row: Query(row, "", metadata=dict(zip(names, tags, strict=True)))
        for row, *tags in zip(row_ids, *values, strict=True)
    }


def describe_totals(totals: LogTotals, sums: ClusterSums, unit: str) -> dict[str, Any]:
    """The sizes of a log as plain values."""
    return {
        "searches": totals.searches,
        "shown": totals.shown,
        "clicked": totals.clicked,
        plural(unit): totals.users,
        "rows": sums.n,
        "groups": sums.n_clusters if sums.is_grouped else 0,
        "first": _time(totals.first),
        "last": _time(totals.last),
    }


def _time(microseconds: int | None) -> str | None:
    return None if microseconds is None else datetime.fromtimestamp(microseconds / 1e6, UTC).isoformat(timespec="seconds")


def digest_of(sums: ClusterSums) -> str:
    """A hash of everything that metrics read."""
    names = [f"{count.name}{count.k}{count.seconds}" for count in sums.counts]
    parts = [values.sum(axis=1) if values.ndim > 1 else values for values in sums.counts.values()]
    return (
        fingerprint(zip(sums.cluster.tolist(), *sums.tags.values(), *(part.tolist() for part in parts), strict=True))
        if names
        else ""
    )
