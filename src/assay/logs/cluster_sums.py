"""Cluster sums: the counts of each user (or session), summed up in the database and numbered without their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.logs.log_table import OpenLog
from assay.logs.row_columns import Shape
from assay.logs.searches import TABLE, LogTotals, at, bin_of, fetch
from assay.logs.values import how_many
from assay.model import NONE, SECOND_EDGES
from assay.views import Behaviour, Count

MOST_CLUSTERS = 10_000
"""More users than this are put into this many groups. Users of a group are summed up, and groups are independent, so an
interval over groups is as honest, and with so many groups as narrow."""
MOST_ROWS = 20_000
FEWEST_GROUPS = 1000
"""How many rows a result has at most, if users are split by tags, and how many groups of users there are at least."""
N_BINS = len(SECOND_EDGES) - 1


@dataclass(frozen=True)
class ClusterSums:
    """Counts for each cluster and each combination of tags."""

    cluster: Ints
    """The number of the cluster of each row, from 0."""
    tags: Mapping[str, tuple[str, ...]]
    """Tag → its value in each row."""
    counts: Mapping[Count, Floats]
    n_users: int

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.cluster)

    @property
    def n_clusters(self) -> int:
        """The number of clusters: users, sessions or groups of users."""
        return int(self.cluster.max(initial=-1)) + 1

    @property
    def is_grouped(self) -> bool:
        """Whether clusters are groups of users."""
        return self.n_clusters < self.n_users

    @property
    def view(self) -> Behaviour:
        """The view that metrics read. Its rows have numbers as text, all of the same length."""
        width = len(str(self.n))
        return Behaviour(tuple(f"{number:0{width}d}" for number in range(1, self.n + 1)), self.counts)

    def part(self, tag: str, value: str) -> ClusterSums:
        """The rows with this value of a tag. Clusters keep their numbers."""
        rows = np.array([each == value for each in self.tags[tag]], dtype=bool)
        inside = np.flatnonzero(rows).tolist()
        return ClusterSums(
            self.cluster[rows],
            {name: tuple(values[row] for row in inside) for name, values in self.tags.items()},
            {count: values[rows] for count, values in self.counts.items()},
            self.n_users,
        )


def sum_clusters(log: OpenLog, shape: Shape, totals: LogTotals, counts: Iterable[Count], tags: Sequence[str]) -> ClusterSums:
    """The counts of each cluster, from the table of searches."""
    counts = tuple(dict.fromkeys(counts))
    source = with_next_search(counts, shape)
    group = _group(log, totals, len(tags))
    keys = ["g", *(f"tag_{number}" for number in range(len(tags)))]
    named = {
        f"count_{number}": count for number, count in enumerate(counts) if count.name not in ("dwell", "first_click_after")
    }
    sums = ", ".join(f"{cluster_sum(count, shape)} AS {name}" for name, count in named.items())
    sums = f", {sums}" if sums else ""
    columns = fetch(
        log, f"SELECT {group} AS g, {', '.join(['count(*) AS n_all', *keys[1:]])}{sums} FROM {source} GROUP BY ALL"
    )
    clusters = np.unique(columns["g"])
    tag_values = [_texts(columns[key]) for key in keys[1:]]
    rows = {key: row for row, key in enumerate(zip(columns["g"].tolist(), *tag_values, strict=True))}
    values = {count: columns[name].astype(float) for name, count in named.items()}
    for count in counts:
        if count not in values:
            values[count] = _bins(log, count, group, keys[1:], rows, shape)
    order, cluster = _numbered(
        np.searchsorted(clusters, columns["g"]), [columns["n_all"].astype(float), *values.values()], tag_values
    )
    return ClusterSums(
        cluster,
        {tag: tuple(value[row] for row in order.tolist()) for tag, value in zip(tags, tag_values, strict=True)},
        {count: values[count][order] for count in counts},
        totals.users,
    )


def with_next_search(counts: Sequence[Count], shape: Shape) -> str:
    """The searches, with the next search of the session if a count needs it."""
    if not any(count.name == "reformulated" for count in counts) or not shape.has("time"):
        return TABLE
    window = "OVER (PARTITION BY s ORDER BY t, q, h)"
    return f"(SELECT *, lead(t) {window} AS next_t, lead(q) {window} AS next_q FROM {TABLE})"


def _group(log: OpenLog, totals: LogTotals, n_tags: int) -> str:
    """The cluster of a search as SQL: its user, or a group of users if there are too many."""
    n_cells = 1
    if n_tags:
        names = ", ".join(f"tag_{number}" for number in range(n_tags))
        (n_cells,) = log.connection.execute(f"SELECT count(*) FROM (SELECT DISTINCT {names} FROM {TABLE})").fetchone()
    most = min(MOST_CLUSTERS, max(MOST_ROWS // max(n_cells, 1), FEWEST_GROUPS))
    return "c" if totals.users <= most else f"c % {most}"


def cluster_sum(count: Count, shape: Shape) -> str:
    """A count of a cluster as SQL over its searches."""
    has_time = shape.has("time")
    simple = {
        "searches": "count(*)",
        "with_results": how_many("n > 0"),
        "without_results": how_many("n = 0"),
        "abandoned": how_many("n > 0 AND n_clicked = 0"),
        "reciprocal_first": "coalesce(sum(1.0 / (first_click & 1048575)), 0)",
        "passed": "coalesce(sum(lowest), 0)",
        "skipped": "coalesce(sum(lowest - n_clicked), 0)",
        "clicked_ranks": "sum(clicked_ranks)",
        "clicked": "sum(n_clicked)" if count.k is None else f"sum({at('clicked', count)})",
        "shown": "sum(n)" if count.k is None else f"sum({at('shown', count)})",
        "timed": how_many("t IS NOT NULL") if has_time else "NULL::DOUBLE",
    }
    if count.name in simple:
        return simple[count.name]
    if count.name == "reformulated":
        followed = f"next_t - t <= {count.seconds} * 1000000 AND next_q <> q"
        return how_many(followed) if has_time else "NULL::DOUBLE"
    if count.name == "satisfied":
        return f"sum({at('satisfied', count)}::INTEGER)"
    return f"sum({at(count.name, count)})"


def _bins(log: OpenLog, count: Count, group: str, tags: Sequence[str], rows: Mapping[Any, int], shape: Shape) -> Floats:
    """Rows × bins: how many times of each row are in each bin."""
    bins = np.zeros((len(rows), N_BINS))
    if count.name == "dwell":
        source = (
            f"(SELECT c, {''.join(f'{tag}, ' for tag in tags)} unnest(dwell) AS bin FROM {TABLE} WHERE dwell IS NOT NULL)"
        )
    elif shape.has("time") and shape.has("click_time"):
        after = "((first_time - t) / 1e6)"
        source = f"(SELECT *, {bin_of(after)} AS bin FROM {TABLE} WHERE first_time >= t)"
    else:
        return bins
    keys = ", ".join([f"{group} AS g", *tags, "bin"])
    columns = fetch(log, f"SELECT {keys}, count(*) AS n FROM {source} GROUP BY ALL")
    tag_values = [_texts(columns[tag]) for tag in tags]
    places = [rows[key] for key in zip(columns["g"].tolist(), *tag_values, strict=True)]
    bins[places, columns["bin"].astype(int)] = columns["n"]
    return bins


def _texts(values: Any) -> list[str]:
    return [NONE if value is None or value == "" else str(value) for value in values.tolist()]


def _numbered(cluster: Ints, values: Sequence[Floats], tags: Sequence[Sequence[str]]) -> tuple[Ints, Ints]:
    """The order of the rows, and their clusters numbered by their sums, so that a number says nothing about an id.

    No figure depends on the order of lines, because equal clusters are interchangeable.
    """
    n = int(cluster.max(initial=-1)) + 1
    flat = [column.sum(axis=1) if column.ndim > 1 else column for column in values]
    totals = [np.bincount(cluster, weights=np.nan_to_num(column), minlength=n) for column in flat]
    place = np.empty(n, dtype=np.int64)
    place[np.lexsort(totals[::-1])] = np.arange(n)
    tag_codes = [np.unique(np.array(each, dtype=object).astype(str), return_inverse=True)[1] for each in tags]
    order = np.lexsort([*tag_codes[::-1], place[cluster]])
    return order.astype(np.int64), place[cluster][order]
