"""Lists: a log with one row for each search, whose shown documents and clicks are lists, as impressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from assay.errors import AssayError, DataError
from assay.files import TABLE_COLUMNS, fold, literal, parse_json
from assay.logs.log_table import Expected, Field, LogTable, OpenLog
from assay.logs.row_columns import ROW_VALUES, Shape, columns_of_search, find_faults, listed, whose_searches
from assay.logs.values import any_of, is_wrong, number_of, rank_of, text_of, time_of
from assay.text import shortened

SEPARATORS = "[;|]"
"""What separates ids in a cell of a table."""
LISTS = ("docs", "ranks", "props", "cdocs", "ctimes", "cdwells")
"""The lists of a search: documents, ranks and propensities that were shown; documents, times and dwell times of clicks."""
OF_CLICK = "FOR j IN range(1, len(cdocs) + 1) IF cdocs[j] = d]"
LIST_VALUES = {
    "r": "CASE WHEN d IS NOT NULL AND i <= len(docs) THEN coalesce(ranks[i], i)::INTEGER END",
    "x": "d IS NOT NULL AND list_contains(cdocs, d)",
    "ct": f"list_min([ctimes[j] {OF_CLICK})",
    "dw": f"list_max([CASE WHEN cdwells[j] >= 0 THEN cdwells[j] END {OF_CLICK})",
    "p": "props[i]",
    "odd_dwell": f"coalesce(list_min([cdwells[j] {OF_CLICK}) < 0, false)",
    "d": "d",
    "wrong": "wrong",
}
"""Column of the relation → SQL over the lists of a search, with the document d at place i of all its documents."""
ELEMENT_ROLES = ("doc_id", "rank", "propensity", "dwell", "dwell_ms", "click_time", "time")


class Elements(NamedTuple):
    """The elements of a list column: the SQL of the list, and the keys of its objects; no keys if it has ids."""

    sql: str
    keys: Mapping[str, str]
    is_wrong: str

    def each(self, role: str, kind: str) -> str:
        """The list of one value of each element."""
        if not self.keys:
            return self.sql if role == "doc_id" else f"[]::{kind}[]"
        if role not in self.keys:
            return f"[]::{kind}[]"
        field = Field(self.keys[role], "VARCHAR")
        values = {
            "doc_id": text_of(field),
            "rank": rank_of(field, 1),
            "propensity": number_of(field),
            "dwell": number_of(field),
            "dwell_ms": f"({number_of(field)} / 1000)",
        }
        inside = values.get(role, time_of(field)).replace(field.name, f"e.{field.name}")
        return f"[{inside} FOR e IN {self.sql}]"


def list_shape(log: OpenLog, table: LogTable, roles: Mapping[str, Field], scalars: Mapping[str, str]) -> Shape:
    """The relation of a log with lists."""
    shown = _elements(log, table, roles["shown"])
    click_field = table.needed("clicks", "the clicks")
    clicks = _elements(log, table, click_field)
    time_role = "click_time" if "click_time" in clicks.keys else "time"
    dwell_role = "dwell" if "dwell" in clicks.keys else "dwell_ms"
    scalar_faults = {role: known for role, known in roles.items() if role == "time"}
    faults = {
        **find_faults(scalar_faults, {"r": "", "ct": "", "p": ""}, 1),
        Expected("shown must be a list of documents", roles["shown"].column): shown.is_wrong,
        Expected("clicks must be a list of documents", click_field.column): clicks.is_wrong,
    }
    lists = {
        "docs": shown.each("doc_id", "VARCHAR"),
        "ranks": shown.each("rank", "INTEGER"),
        "props": shown.each("propensity", "DOUBLE"),
        "cdocs": clicks.each("doc_id", "VARCHAR"),
        "ctimes": clicks.each(time_role, "BIGINT"),
        "cdwells": clicks.each(dwell_role, "DOUBLE"),
        "wrong": any_of([f"coalesce({condition}, false)" for condition in faults.values()]),
        "n": "row_number() OVER ()",
    }
    filled = {name: f"coalesce({sql}, [])" if name in LISTS else sql for name, sql in lists.items()}
    base = f"SELECT {listed({**scalars, **filled})} FROM {table.reader}"
    every = "list_concat(docs, [e FOR e IN cdocs IF NOT list_contains(docs, e)])"
    spread = (
        f"SELECT *, unnest(CASE WHEN len(every) = 0 THEN [NULL] ELSE every END) AS d, "
        f"unnest(range(1, greatest(len(every), 1) + 1)) AS i FROM (SELECT *, {every} AS every FROM ({base}))"
    )
    columns = {name: LIST_VALUES[name] for name in ROW_VALUES}
    outer = {**whose_searches(is_row_a_search=True), **{name: name for name in columns_of_search(scalars)}, **columns}
    has = {role for role in ("click_time", "dwell", "propensity") if _has(role, shown, clicks, time_role, dwell_role)}
    kept = frozenset({*roles} - {"dwell", "dwell_ms", "click_time", "propensity"} | {"rank", "doc_id"} | has)
    log.faults.append((table, faults))
    return Shape("lists", f"SELECT {listed(outer)} FROM ({spread})", kept)


def _has(role: str, shown: Elements, clicks: Elements, time_role: str, dwell_role: str) -> bool:
    known = {"click_time": time_role in clicks.keys, "dwell": dwell_role in clicks.keys}
    return known.get(role, role in shown.keys)


def _elements(log: OpenLog, table: LogTable, field: Field) -> Elements:
    """The elements of a list column, by the first list that has any."""
    is_list = field.type.endswith("[]")
    text = f"to_json({field.name})::VARCHAR" if is_list else text_of(field)
    sample = _first_list(log, table, text)
    if isinstance(sample, dict):
        names = {fold(name): name for name in reversed(sample)}
        keys: dict[str, str] = {}
        for role in ELEMENT_ROLES:
            key = next((names[name] for name in TABLE_COLUMNS["logs"][role] if name in names), None)
            if key is not None and key not in keys.values():
                keys[role] = key
        if "doc_id" not in keys:
            listed_keys = ", ".join(map(repr, sample))
            raise DataError(f"found no document in the objects of {field.column}, only {listed_keys}", source=table.label)
        shape = "[{" + ", ".join(f'"{key}": "VARCHAR"' for key in keys.values()) + "}]"
        parsed = f"CASE WHEN json_valid({text}) THEN from_json({text}, {literal(shape)}) END"
        wrong = (
            f'({text} IS NOT NULL AND ({parsed} IS NULL OR len([e FOR e IN {parsed} IF e."{keys["doc_id"]}" IS NULL]) > 0))'
        )
        return Elements(parsed, keys, wrong)
    if field.type == "VARCHAR[]":
        return Elements(field.name, {}, "false")
    parsed = (
        f"CASE WHEN starts_with({text}, '[') THEN CASE WHEN json_valid({text}) THEN from_json({text}, '[\"VARCHAR\"]') END "
        f"WHEN NOT starts_with({text}, '{{') THEN string_split_regex({text}, '{SEPARATORS}') END"
    )
    return Elements(parsed, {}, is_wrong(field, parsed) if not is_list else "false")


def _first_list(log: OpenLog, table: LogTable, text: str) -> Any:
    """The first element of the first list that is not empty; None without any."""
    sql = f"SELECT {text} FROM {table.reader} WHERE {text} IS NOT NULL AND {text} NOT IN ('[]', '') LIMIT 1"
    rows = log.connection.execute(sql).fetchall()
    if not rows or not str(rows[0][0]).lstrip().startswith("["):
        return None
    try:
        elements = parse_json(str(rows[0][0]).encode())
    except (AssayError, ValueError):
        raise DataError(f"expected a list of documents, found {shortened(rows[0][0])}", source=table.label) from None
    return elements[0] if elements else None
