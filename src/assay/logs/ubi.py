"""UBI: the two tables of OpenSearch's User Behavior Insights, queries and events, as impressions."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import BadParameter, DataError, UnknownName, near_matches
from assay.files import current_reading, fold, literal, quoted
from assay.logs.log_table import Expected, Field, LogTable, OpenLog
from assay.logs.row_columns import DAY, ROW_VALUES, Shape, find_faults, listed, whose_searches
from assay.logs.values import any_of, hash_of, text_of, time_of

HITS, ACTION, ATTRIBUTES = "query_response_hit_ids", "action_name", "event_attributes"
QUERY_ATTRIBUTES = "query_attributes"
CLICK_ACTION = "click"
"""An event is a click if the name of its action contains this word: `click`, `item_click`."""
BOTH, QUERIES, EVENTS = "a log of UBI has two tables", "the one of queries", "the one of events"
HOW_TO_NAME = "Name both files: assay log score ubi_queries.jsonl ubi_events.jsonl"
IDS = {"user": "client_id", "session": "session_id"}
"""Role → the column of the table of queries."""
NO_ID = "NULL::VARCHAR"
DWELL = ("dwell_time", "dwell_seconds", "dwell")
"""Attributes of an event that are its dwell time in seconds."""


def is_ubi(tables: Sequence[LogTable]) -> bool:
    """Whether these are the tables of UBI: one has the shown documents, another one the events."""
    has = [_is_events(table) for table in tables]
    return any(has) and any(HITS in table.columns for table in tables)


def check_both_tables(tables: Sequence[LogTable]) -> None:
    """Raise if there is only one of the two tables."""
    for table in tables:
        if _is_events(table) and "query_id" in table.columns and table.field("doc_id") is None:
            raise DataError(f"{BOTH}, this is {EVENTS}, and {QUERIES} is missing. {HOW_TO_NAME}", source=table.label)
        if HITS in table.columns and table.field("clicks") is None:
            raise DataError(f"{BOTH}, this is {QUERIES}, and {EVENTS} is missing. {HOW_TO_NAME}", source=table.label)


def _is_events(table: LogTable) -> bool:
    return ACTION in table.columns and HITS not in table.columns


def ubi_shape(log: OpenLog, tags: Sequence[str]) -> Shape:
    """The relation of a log in UBI's schema."""
    queries = [table for table in log.tables if HITS in table.columns]
    events = [table for table in log.tables if _is_events(table)]
    clicks = " UNION ALL ".join(_clicks(table) for table in events)
    grouped = f"SELECT search, d, min(ct) AS ct, max(dw) AS dw, min(dw) < 0 AS odd FROM ({clicks}) GROUP BY search, d"
    parts = [_shown(table, tags) for table in queries]
    shown = " UNION ALL ".join(sql for sql, _ in parts)
    inside = (
        f"SELECT h, c, s, u, q, t, {''.join(f'tag_{n}, ' for n in range(len(tags)))} d, r, clicks.search IS NOT NULL AS x, "
        "clicks.ct AS ct, CASE WHEN clicks.dw >= 0 THEN clicks.dw END AS dw, NULL::DOUBLE AS p, wrong, "
        "coalesce(clicks.odd, false) AS odd_dwell "
        "FROM shown LEFT JOIN clicks USING (search, d)"
    )
    names = ", ".join(["h", "c", "s", "u", "q", "t", *(f"tag_{n}" for n in range(len(tags)))])
    unseen = (
        f"SELECT {names}, clicks.d AS d, NULL::INTEGER AS r, true AS x, clicks.ct AS ct, "
        "CASE WHEN clicks.dw >= 0 THEN clicks.dw END AS dw, NULL::DOUBLE AS p, false AS wrong, "
        "coalesce(clicks.odd, false) AS odd_dwell "
        "FROM clicks JOIN (SELECT DISTINCT ON (search) * EXCLUDE (d, r, wrong) FROM shown) USING (search) "
        "WHERE NOT EXISTS (SELECT 1 FROM shown AS seen WHERE seen.search = clicks.search AND seen.d = clicks.d)"
    )
    columns = ", ".join(["h", "c", "s", "u", "q", "t", *(f"tag_{n}" for n in range(len(tags))), *ROW_VALUES])
    sql = (
        f"WITH clicks AS ({grouped}), shown AS ({shown}) "
        f"SELECT {columns} FROM ({inside}) UNION ALL SELECT {columns} FROM ({unseen})"
    )
    _check_named_columns(queries[0])
    log.faults.extend((table, faults) for table, (_, faults) in zip(queries, parts, strict=True))
    roles = {"search", "query", "time", "doc_id", "rank", "clicks", "click_time"}
    roles |= {role for role, name in IDS.items() if _id(queries[0], role, name) != NO_ID}
    if any(_has_dwell(log, table) for table in events):
        roles.add("dwell")
    return Shape("ubi", sql, frozenset(roles), orphans=_count_orphans(queries, clicks))


def _count_orphans(queries: Sequence[LogTable], clicks: str) -> str:
    """The SQL that counts the clicks of searches that the tables of queries do not have."""
    ids = ((text_of(_needed(table, "query_id")), table.reader) for table in queries)
    known = " UNION ALL ".join(f"SELECT {search} AS search FROM {reader}" for search, reader in ids)
    is_known = f"search IN (SELECT search FROM ({known}) WHERE search IS NOT NULL)"
    return f"SELECT count(*) FROM ({clicks}) WHERE NOT coalesce({is_known}, false)"


def _check_named_columns(queries: LogTable) -> None:
    """Raise for a column that the user named for something else than users and sessions of the table of queries."""
    reading = current_reading()
    for role, column in reading.columns.items():
        if role not in reading.used:
            what = "in a log of UBI, only user and session can be named, as columns of the table of queries"
            raise BadParameter(f"{role}={column}: {what}, which has {', '.join(queries.columns)}")


def _needed(table: LogTable, name: str) -> Field:
    if name not in table.columns:
        raise DataError(f"expected the column {name} of UBI, found {', '.join(table.columns)}", source=table.label)
    return Field(name, table.columns[name])


def _shown(table: LogTable, tags: Sequence[str]) -> tuple[str, dict[Expected, str]]:
    """The shown documents of a table of queries, and its faults."""
    search = text_of(_needed(table, "query_id"))
    time = _needed(table, "timestamp")
    user, session = (_id(table, role, name) for role, name in IDS.items())
    faults = find_faults({"time": time}, {"r": "", "ct": "", "p": ""}, 1)
    scalars = {
        "search": search,
        "key": hash_of([search]),
        "user_hash": f"CASE WHEN {user} IS NOT NULL THEN hash({user}) END",
        "session_hash": f"CASE WHEN {session} IS NOT NULL THEN hash({session}) END",
        "q": text_of(_needed(table, "user_query")),
        "t": time_of(time),
        **{f"tag_{number}": _tag(table, word) for number, word in enumerate(tags)},
        "docs": _hits(Field(HITS, table.columns[HITS])),
        "wrong": any_of([f"coalesce({condition}, false)" for condition in faults.values()]),
    }
    base = f"SELECT {listed(scalars)} FROM {table.reader}"
    spread = (
        "SELECT *, unnest(CASE WHEN len(docs) = 0 THEN [NULL] ELSE docs END) AS d, "
        f"unnest(range(1, greatest(len(docs), 1) + 1)) AS i FROM ({base})"
    )
    outer = {
        "search": "search",
        **whose_searches(is_row_a_search=False),
        **{name: name for name in ("q", "t", *(f"tag_{n}" for n in range(len(tags))), "d")},
        "r": "CASE WHEN d IS NOT NULL THEN i::INTEGER END",
        "wrong": "wrong",
    }
    return f"SELECT {listed(outer)} FROM ({spread})", faults


def _id(table: LogTable, role: str, usual: str) -> str:
    """The ids of users or sessions: from the column that the user named for this role, else from the usual one."""
    name = current_reading().named_column(role, table.columns) or usual
    return text_of(Field(name, table.columns[name])) if name in table.columns else NO_ID


def _hits(field: Field) -> str:
    text = f"to_json({field.name})::VARCHAR" if not field.is_text else text_of(field)
    return f"coalesce(CASE WHEN json_valid({text}) THEN from_json({text}, '[\"VARCHAR\"]') END, []::VARCHAR[])"


def _tag(table: LogTable, word: str) -> str:
    """A tag of the table of queries: a column, the day, or an attribute of the query."""
    if fold(word) == DAY:
        return f"strftime(make_timestamp({time_of(_needed(table, 'timestamp'))}), '%Y-%m-%d')"
    column = next((name for name in table.columns if fold(name) == fold(word)), None)
    if column is not None:
        return text_of(Field(column, table.columns[column]))
    if QUERY_ATTRIBUTES in table.columns:
        return _attribute(table, QUERY_ATTRIBUTES, word)
    raise UnknownName("column", word, near_matches(word, table.columns), f"choose from {', '.join(table.columns)}")


def _attribute(table: LogTable, column: str, path: str) -> str:
    """An attribute as text, of an object or of a column that has its path as a name."""
    flat = f"{column}.{path}"
    if flat in table.columns:
        return f"nullif({quoted(flat)}::VARCHAR, '')"
    if column not in table.columns:
        return "NULL::VARCHAR"
    is_text = table.columns[column] == "VARCHAR"
    text = quoted(column) if is_text else f"to_json({quoted(column)})::VARCHAR"
    where = "$" + "".join(f'."{name}"' for name in path.split("."))
    return f"CASE WHEN json_valid({text}) THEN json_extract_string({text}, {literal(where)}) END"


def _dwell(table: LogTable) -> str:
    """The dwell time of an event in seconds."""
    flat = [f"{ATTRIBUTES}.{name}" for name in DWELL if f"{ATTRIBUTES}.{name}" in table.columns]
    if ATTRIBUTES not in table.columns and not flat:
        return "NULL::DOUBLE"
    values = ", ".join(f"TRY_CAST({_attribute(table, ATTRIBUTES, name)} AS DOUBLE)" for name in DWELL)
    return f"coalesce({values})"


def _has_dwell(log: OpenLog, table: LogTable) -> bool:
    """Whether any event has a dwell time. Attributes can have any keys, so only the values tell."""
    seconds = _dwell(table)
    if seconds == "NULL::DOUBLE":
        return False
    known = f"SELECT 1 FROM {table.reader} WHERE {seconds} IS NOT NULL LIMIT 1"
    return log.connection.execute(known).fetchone() is not None


def _clicks(table: LogTable) -> str:
    """The clicks of a table of events."""
    document = _attribute(table, ATTRIBUTES, "object.object_id")
    if document == "NULL::VARCHAR":
        raise DataError(f"expected the column {ATTRIBUTES} of UBI, found {', '.join(table.columns)}", source=table.label)
    columns = {
        "search": text_of(_needed(table, "query_id")),
        "d": document,
        "ct": time_of(_needed(table, "timestamp")),
        "dw": _dwell(table),
    }
    is_click = f"contains(lower({text_of(_needed(table, ACTION))}), '{CLICK_ACTION}')"
    return f"SELECT * FROM (SELECT {listed(columns)} FROM {table.reader} WHERE {is_click}) WHERE d IS NOT NULL"
