"""Listed: one record for each query with its documents in a list, as the logs of RAG systems have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.datasets._columns import NAMES, is_table
from assay.datasets._hits import QUERIES, read_hits
from assay.errors import DataError
from assay.model import Hit, text_id

ID_LISTS = ("results", "hits", "documents", "retrieved")
"""What a list of ids, of (id, score) or of hits is called, the likeliest first."""
NOTHING = object()
"""Stands for the document of a query whose list is empty."""

Row = tuple[int, Any, Any, Any, Any]


class Iteration(str):
    """A value of TREC's second column: the subtopic in judgments of diversity, else nothing that matters."""

    __slots__ = ()


def is_listed(record: Mapping[Any, Any]) -> bool:
    """Whether a record holds a query and the list of what was retrieved for it, rather than one document."""
    return not is_table(list(record)) and _list_in(record) is not None and _query_in(record) is not None


def listed_rows(place: int, record: Mapping[Any, Any]) -> Iterator[Row]:
    """A row for each document of the list, best first where there are no scores; one with NOTHING if the list is empty."""
    query = text_id(record[_query_in(record)])
    hits = read_hits(query, [_entry(entry) for entry in record[_list_in(record)]])
    if not hits:
        yield place, query, NOTHING, 0.0, None
    for hit in hits:
        yield place, query, hit.doc_id, hit.score, None


def _list_in(record: Mapping[Any, Any]) -> str | None:
    return next((name for name in ID_LISTS if isinstance(record.get(name), list | tuple)), None)


def _query_in(record: Mapping[Any, Any]) -> str | None:
    """What the query goes by: an id if there is one, else its words."""
    return next((name for name in (*QUERIES, *NAMES["query"]) if isinstance(record.get(name), str | int)), None)


def _entry(entry: Any) -> Any:
    """An id or a pair of id and score as the record of a hit; a hit as it is."""
    if isinstance(entry, Hit | Mapping):
        return entry
    if not isinstance(entry, Sequence) or isinstance(entry, str | bytes):
        return {"id": text_id(entry)}
    if len(entry) != 2:
        raise DataError(f"expected ids, pairs of id and score, or hits, found {entry!r}")
    return {"id": entry[0], "score": entry[1]}
