"""Impressions: a log in any of its shapes as one relation, with a row for each shown document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.errors import DataError
from assay.files import TABLE_COLUMNS, accepted_names, current_reading
from assay.logs.click_lists import list_shape
from assay.logs.log_table import Expected, Field, LogTable, OpenLog, check_same_shape
from assay.logs.row_columns import (
    ROW_VALUES,
    Shape,
    columns_of_search,
    find_faults,
    listed,
    reading_time,
    scalar_columns,
    whose_searches,
)
from assay.logs.ubi import check_both_tables, is_ubi, ubi_shape
from assay.logs.values import any_of, number_of, rank_of, text_of, time_of, truth_of

ROWS = "impressions"
"""The name of the relation. Its columns:

- h: the search, c: its user (else session, else the search itself), s: its session, as hashes; u: whether the user is known
- q: its query, t: its time in microseconds, tag_0 …: its tags
- d: the document; null if nothing was shown
- r: its rank from 1; null if it was not shown
- x: whether it was clicked, ct: when, dw: for how many seconds it was read
- p: the probability that users look at its rank
- w: whose search it is, as c is usually, if something else was chosen as the cluster
- wrong: whether the row has a value that cannot be read; odd_dwell: whether its dwell time is negative
"""


CLUSTERS = {"user": "c", "session": "s", "search": "h"}
"""What can count as independent → its column in the relation, before it becomes c."""


def create_impressions(log: OpenLog, tags: Sequence[str] = (), first_rank: int = 1, cluster: str | None = None) -> Shape:
    """Define the relation of a log. Nothing is read yet. `cluster` is what counts as independent instead of users."""
    if is_ubi(log.tables):
        shape = ubi_shape(log, tags)
    else:
        check_both_tables(log.tables)
        check_same_shape(log.tables)
        shapes = [_shape_of(log, table, tags, first_rank) for table in log.tables]
        shape = replace(shapes[0], sql=" UNION ALL ".join(part.sql for part in shapes))
    current_reading().check_columns_used()
    if cluster is not None:
        shape = _clustered(log, shape, cluster)
    log.connection.execute(f"CREATE OR REPLACE TEMP VIEW {ROWS} AS {shape.sql}")
    return shape


def _clustered(log: OpenLog, shape: Shape, cluster: str) -> Shape:
    """The relation with another column c. The column w still says whose search it is."""
    if cluster != "search" and not shape.has(cluster):
        names = ", ".join(map(repr, log.tables[0].columns))
        message = f"the log has no column with {cluster}s among {names}, so {cluster}s cannot be the clusters"
        advice = f"{accepted_names('logs', cluster)}, or choose another cluster"
        raise DataError(f"{message}; {advice}", source=log.label)
    return replace(shape, sql=f"SELECT * REPLACE ({CLUSTERS[cluster]} AS c), c AS w FROM ({shape.sql})", cluster=cluster)


def _shape_of(log: OpenLog, table: LogTable, tags: Sequence[str], first_rank: int) -> Shape:
    roles = {role: known for role in TABLE_COLUMNS["logs"] if (known := table.field(role)) is not None}
    scalars = scalar_columns(table, roles, tags)
    if "shown" in roles:
        return list_shape(log, table, roles, scalars)
    return _rows(log, table, roles, scalars, first_rank)


def _rows(log: OpenLog, table: LogTable, roles: Mapping[str, Field], scalars: Mapping[str, str], first_rank: int) -> Shape:
    """One row for each shown document."""
    document = text_of(table.needed("doc_id", "the shown documents"))
    rank_field = table.needed("rank", "the ranks")
    rank = rank_of(rank_field, first_rank)
    click_time = time_of(roles["click_time"]) if "click_time" in roles else "NULL::BIGINT"
    if "clicked" not in roles and "click_time" not in roles:
        table.needed("clicked", "the clicks")
    is_click = truth_of(roles["clicked"]) if "clicked" in roles else f"{click_time} IS NOT NULL"
    values = {
        "d": document,
        "r": rank,
        "x": f"coalesce({is_click}, false) AND {document} IS NOT NULL",
        "ct": click_time,
        **reading_time(roles),
        "p": number_of(roles["propensity"]) if "propensity" in roles else "NULL::DOUBLE",
    }
    faults = find_faults(roles, values, first_rank)
    faults[Expected("a document was shown without a rank")] = (
        f"({document} IS NOT NULL AND {text_of(rank_field)} IS NULL AND NOT ({values['x']}))"
    )
    inner = {**scalars, **values, "wrong": any_of([f"coalesce({condition}, false)" for condition in faults.values()])}
    outer = {**whose_searches(is_row_a_search=False), **{name: name for name in (*columns_of_search(scalars), *ROW_VALUES)}}
    sql = f"SELECT {listed(outer)} FROM (SELECT {listed(inner)} FROM {table.reader})"
    log.faults.append((table, faults))
    return Shape("rows", sql, frozenset(roles))
