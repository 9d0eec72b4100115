"""Routes: what a router and a retrieval gate decided, read from files, frames and records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan
from os import PathLike
from pathlib import Path
from typing import Any

from assay.datasets._record_files import Record, each_record
from assay.datasets._source import FileSource
from assay.errors import DataError, Faults
from assay.model.decision import FIELDS, Decision, decision_of
from assay.model.ids import text_id
from assay.model.records import Query
from assay.text import shortened, some_of

QUERY = ("query_id", "qid", "queryid", "id")
TEXT = ("text", "query", "question", "query_text")
TAGS = "tags"
STANDARD_INPUT = "/dev/stdin"


@dataclass
class Routes:
    """Decisions, and the queries they are about: their words, and what they can be sliced by."""

    name: str = ""
    decisions: list[Decision] = field(default_factory=list)
    queries: dict[str, Query] = field(default_factory=dict)

    def add(self, _: str, record: Record) -> None:
        """Take a record. One without a query, about a query that was there before, or with a wrong value is refused."""
        known = {str(name).strip().lower(): value for name, value in record.items()}
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
        each_record(path, routes.add)
        where = "standard input" if source == "-" else str(source)
    else:
        routes, where = Routes(), "records"
        _each(_rows(source), routes.add)
    if not routes.decisions:
        raise DataError(f"{where}: no record; expected one for each query, with query_id, route, optimal_expert …")
    if not any(_says(one) for one in routes.decisions):
        raise DataError(
            f"{where}: no route and no gate decision in {len(routes.decisions):,} records; "
            f"expected route or gated, beside optimal_expert or needs_retrieval"
        )
    return routes


def _says(one: Decision) -> bool:
    return one.routes is not None or one.gated is not None


def _query(one: Decision, known: Mapping[str, Any]) -> Query:
    """The query with its tags: what would have been right, and every simple value that is none of the fields."""
    text = next((known[name] for name in TEXT if isinstance(known.get(name), str)), "")
    given = known.get(TAGS)
    tags = {name: value for name, value in known.items() if name not in (*FIELDS, *TEXT, TAGS)}
    tags |= dict(given) if isinstance(given, Mapping) else {}
    truth = {"optimal_expert": ";".join(one.optimal or ()) or None, "needs_retrieval": one.needs_retrieval}
    plain = {str(name): _plain(value) for name, value in {**truth, **tags}.items()}
    return Query(one.query_id, text, metadata={name: value for name, value in plain.items() if value is not None})


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers of NumPy as numbers, and true or false as a word, the same in every format."""
    value = value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value
    return str(value).lower() if isinstance(value, bool) else None if _is_nan(value) else value


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and isnan(value)


def _rows(source: Any) -> Iterable[Any]:
    """The records of a frame, of columns, or of a list."""
    if hasattr(source, "to_dicts"):  # polars
        return iter(source.to_dicts())
    if hasattr(source, "to_pylist"):  # pyarrow
        return iter(source.to_pylist())
    if hasattr(source, "columns") and callable(getattr(source, "to_dict", None)):  # pandas
        return iter(source.to_dict(orient="records"))
    if isinstance(source, Mapping):
        return _of_columns(source)
    if isinstance(source, Iterable) and not isinstance(source, bytes):
        return source
    raise DataError(f"routes are read from a file, a frame or a list of records, not from {shortened(source)}")


def _of_columns(source: Mapping[str, Any]) -> Iterator[Record]:
    """Columns of equal length; or one record alone, which has no columns."""
    if not all(isinstance(column, list | tuple) for column in source.values()):
        yield source
        return
    if len(lengths := {len(column) for column in source.values()}) > 1:
        raise DataError(f"the columns {', '.join(source)} are not equally long: {sorted(lengths)}")
    yield from (dict(zip(source, row, strict=True)) for row in zip(*source.values(), strict=True))


def _each(records: Iterable[Any], take: Callable[[str, Record], None]) -> None:
    faults = Faults("records, record")
    for number, record in enumerate(records, 1):
        try:
            if not isinstance(record, Mapping):
                raise DataError(f"expected a dict with named fields, found {shortened(record)}")
            take(f"record {number}", record)
        except ValueError as error:
            faults.add(number, str(error))
            if faults.full:
                break
    faults.raise_if_any()
