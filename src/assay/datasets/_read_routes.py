"""Routes: what a router and a retrieval gate decided, read from files, frames and records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from assay.datasets._given_records import Spelling, rows_of, take_each, take_file
from assay.datasets._record_files import Record
from assay.datasets._source import FileSource
from assay.errors import DataError
from assay.model import Query, is_said, text_id
from assay.text import counted, some_of
from assay.views import FIELDS, Decision, decision_of

QUERY = ("query_id", "qid", "queryid", "id")
TEXT = ("text", "query", "question", "query_text")
TAGS = "tags"
KNOWN = frozenset((*FIELDS, *TEXT, TAGS))
STANDARD_INPUT = "/dev/stdin"
EXAMPLE = '{"query_id": "q1", "route": "code", "optimal_expert": "code"}'


@dataclass
class Routes:
    """Decisions, and the queries they are about: their words, and what they can be sliced by."""

    name: str = ""
    decisions: list[Decision] = field(default_factory=list)
    queries: dict[str, Query] = field(default_factory=dict)
    _spelling: Spelling = field(default_factory=lambda: Spelling((*QUERY, *KNOWN)), repr=False)

    def take(self, record: Record) -> None:
        """Take a record. One without a query, about a query that was there before, or with a wrong value is refused."""
        known = self._spelling.of(record)
        name = next((name for name in QUERY if known.get(name) is not None), None)
        if name is None:
            raise DataError(f"no query_id; the record has {some_of(list(known), 8) or 'nothing in it'}")
        query = text_id(known.pop(name))
        if not query:
            raise DataError("the query_id is empty")
        if query in self.queries:
            raise DataError(f"query {query} comes twice; every query is decided once")
        decision = decision_of(query, known)
        self.decisions.append(decision)
        self.queries[query] = _query(decision, known)


def read_routes(source: Any) -> Routes:
    """The decisions of a file, a frame, or records. All that is wrong is told together, with its place."""
    if isinstance(source, Routes):
        return source
    if isinstance(source, str | PathLike):
        path = Path(STANDARD_INPUT if source == "-" else source)
        routes = Routes(FileSource(path).name)
        take_file(path, routes.take, EXAMPLE)
        where = "standard input" if source == "-" else str(source)
    else:
        routes, where = Routes(), "records"
        take_each(rows_of(source, "routes"), where, routes.take, EXAMPLE)
    if not routes.decisions:
        raise DataError(f"{where}: no record; expected one for each query, with query_id, route, optimal_expert …")
    if not any(_says(one) for one in routes.decisions):
        raise DataError(
            f"{where}: no route and no gate decision in {counted(len(routes.decisions), 'record')}; "
            f"expected route or gated, beside optimal_expert or needs_retrieval"
        )
    return routes


def _says(one: Decision) -> bool:
    return one.routes is not None or one.gated is not None


def _query(one: Decision, known: Mapping[str, Any]) -> Query:
    """The query with its tags: what would have been right, and every simple value that is none of the fields."""
    text = next((known[name] for name in TEXT if isinstance(known.get(name), str)), "")
    tags: dict[str, Any] = {}
    if one.optimal:
        tags["optimal_expert"] = ";".join(one.optimal)
    if one.needs_retrieval is not None:
        tags["needs_retrieval"] = "true" if one.needs_retrieval else "false"
    given = known.get(TAGS)
    for fields in (known, given if isinstance(given, Mapping) else {}):
        for name, value in fields.items():
            if (name not in KNOWN or fields is given) and is_said(value):
                tags[str(name)] = str(value).lower() if isinstance(value, bool) else value
    return Query(one.query_id, text, metadata=tags)
