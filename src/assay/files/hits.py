"""Hits: rankings whose entries include their text, in the shapes that retrievers and RAG tools return."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from assay.errors import DataError
from assay.files.column_names import COLUMN_NAMES
from assay.files.columns import is_table
from assay.files.source import FileSource
from assay.files.traces import holds_traces, read_traces
from assay.model import IDS, SCORES, TEXTS, Hit, Run, are_columns, as_number, as_score, records_of_columns, term_of, text_id
from assay.text import shortened

QUERIES = ("query_id", "question_id", "qid", "case_id", "id", "itemId", "item_id")
LISTS = (
    "hits",
    "results",
    "retrieved",
    "retrieved_contexts",
    "retrievedContext",
    "contexts",
    "retrieval_context",
    "documents",
)


RESULTS, RESULT_IDS = "results", ("itemId", "item_id")
"""memorybench exports one object. Its results are records under this name, each with the id of an item."""


PLAIN_TEXTS = ("retrieved_contexts", "retrievedContext", "contexts", "retrieval_context")
"""Lists whose entries are texts if they are not records."""


def hits_of(source: Any) -> dict[str, list[Hit]] | None:
    """Query → hits, best first; None if the source holds only ids and scores, which other readers read faster."""
    if isinstance(source, FileSource):
        if source.kind not in ("json", "jsonl"):
            return None
        source = [record for _, record in read_traces(source)] if holds_traces(source) else _content(source)
    if isinstance(source, Mapping) and not isinstance(source, Run):
        rankings = {text_id(query): _of_columns(text_id(query), hits) for query, hits in source.items()}
        kinds = set(map(type, chain.from_iterable(filter(_is_list, rankings.values()))))
        are_hits = any(issubclass(kind, Hit | Mapping) for kind in kinds)
    elif _is_list(source):
        rankings, are_hits = _by_query(source)
    else:
        return None
    if not are_hits:
        return None
    return {query: read_hits(query, hits) for query, hits in rankings.items()}


def _of_columns(query: str, hits: Any) -> Any:
    """The records of a provider's response in columns; anything else unchanged."""
    if not are_columns(hits):
        return hits
    try:
        return records_of_columns(hits)
    except ValueError as error:
        raise DataError(f"run, query {query}: {error}") from None


def brings_hits(source: Any) -> bool:
    """Whether a source seems to hold hits rather than only ids and scores. Only the start of a file is read for this."""
    if not isinstance(source, FileSource):
        return hits_of(source) is not None
    if source.kind not in ("json", "jsonl"):
        return False
    with source.reading() as file:
        head = file.read(1 << 16)
    return any(f'"{name}"'.encode() in head for name in (*TEXTS, *LISTS, "metadatas")) or holds_traces(source)


def _is_list(hits: Any) -> bool:
    return isinstance(hits, Sequence) and not isinstance(hits, str | bytes)


def read_hits(query: str, hits: Any) -> list[Hit]:
    """The hits of a query from a ranking of any shape; if several hits name the same term, only the best is used."""
    if isinstance(hits, Mapping):
        hits = [{"id": doc, "score": score} for doc, score in hits.items()]
    if not _is_list(hits):
        raise DataError(f"run, query {query}: expected a list of hits, found {shortened(hits)}")
    parsed = [_hit(query, place, entry) for place, entry in enumerate(hits)]
    best = {term: hit for hit in sorted(parsed, key=_score) if (term := term_of(hit.metadata)) == hit.doc_id}
    return [hit for hit in parsed if best.get(hit.doc_id, hit) is hit]


def _score(hit: Hit) -> float:
    return hit.score


def _content(source: FileSource) -> Any:
    """The file's JSON; None if it is not JSON, because the reader of runs explains that better."""
    with source.reading() as file:
        text = file.read().removeprefix(b"\xef\xbb\xbf")
    try:
        if source.kind == "json":
            content = json.loads(text)
            are_inside = isinstance(content, dict) and are_result_records(content.get(RESULTS))
            return content[RESULTS] if are_inside else content
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def are_result_records(value: Any) -> bool:
    """Whether a value is a list of memorybench's results."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(record, Mapping) and any(name in record for name in RESULT_IDS) for record in value)
    )


def _by_query(rows: Iterable[Any]) -> tuple[dict[str, list[Any]], bool]:
    """Query → hits, from rows that are one hit or one query with its hits; and whether they are more than ids and scores."""
    lists: dict[str, list[Any]] = {}
    are_hits = False
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            return {}, False
        name = next((name for name in LISTS if _is_list(row.get(name))), None)
        query = next((row[name] for name in QUERIES if row.get(name) is not None), number if name else None)
        if query is None:
            return {}, False
        listed = [row] if name is None else row[name]
        if name in PLAIN_TEXTS:
            listed = [{"content": entry} if isinstance(entry, str) else entry for entry in listed]
        are_hits = are_hits or any(map(_is_record if name else _brings_text, listed))
        lists.setdefault(text_id(query), []).extend(listed)
    return lists, are_hits


def _is_record(entry: Any) -> bool:
    return isinstance(entry, Hit | Mapping)


def _brings_text(entry: Mapping[str, Any]) -> bool:
    return any(isinstance(entry.get(name), str) for name in TEXTS)


def _hit(query: str, place: int, entry: Any) -> Hit:
    """An entry as a hit. Without an id, its id is its place in the list; without a score, its score follows its rank."""
    if isinstance(entry, Hit):
        return entry
    if isinstance(entry, str):
        entry = {"id": entry}
    if not isinstance(entry, Mapping):
        raise DataError(
            f"run, query {query}: expected a hit (an id, or an object with an id or a text), found {shortened(entry)}"
        )
    own = next((name for name in IDS if entry.get(name) is not None and name != "query_id"), None)
    doc_id = f"{query}#{place + 1}" if own is None else text_id(entry[own])
    doc_id = term_of(entry.get("metadata")) or doc_id
    text = next((entry[name] for name in TEXTS if isinstance(entry.get(name), str)), None)
    far = as_number(entry.get("distance"))
    score = next((entry[name] for name in SCORES if entry.get(name) is not None), 0.0 - place if far is None else -far)
    number = as_score(score)
    if number is None:
        message = f"the score of document {doc_id} must be a number, not {score!r}"
        raise DataError(message, source=f"run, query {query}", code="score")
    metadata = entry.get("metadata")
    return Hit(doc_id, number, text, metadata if isinstance(metadata, Mapping) else None)


PART = re.compile(r"(?:[#@|]|::|/chunk[-_]?|[-_]chunk[-_]?)\d+$|#[^#]*$")
"""doc7#3, doc7::3, doc7_chunk_3, doc7/chunk3 …"""


def document_of(chunk_id: str) -> str:
    """The id of the document that a chunk id names; the id itself if it names no chunk."""
    return PART.sub("", chunk_id)


ID_LISTS = ("results", "hits", "documents", "retrieved", "retrievedContext")
"""Field names for a list of ids, of (id, score) or of hits, the most likely first."""
NOTHING = object()
"""Stands for the document of a query whose list is empty."""

Row = tuple[int, Any, Any, Any, Any]


class Iteration(str):
    """A value of TREC's second column: the subtopic in judgments for diversity, otherwise ignored."""

    __slots__ = ()


def is_listed(record: Mapping[Any, Any]) -> bool:
    """Whether a record holds a query and the list of what was retrieved for it, rather than one document."""
    return not is_table(list(record)) and _list_in(record) is not None and _query_in(record) is not None


def listed_rows(place: int, record: Mapping[Any, Any]) -> Iterator[Row]:
    """A row for each document in the list (best first if it has no scores); one row with NOTHING if the list is empty."""
    query = text_id(record[_query_in(record)])
    hits = read_hits(query, [_entry(entry) for entry in record[_list_in(record)]])
    if not hits:
        yield place, query, NOTHING, 0.0, None
    for hit in hits:
        yield place, query, hit.doc_id, hit.score, None


def _list_in(record: Mapping[Any, Any]) -> str | None:
    return next((name for name in ID_LISTS if isinstance(record.get(name), list | tuple)), None)


def _query_in(record: Mapping[Any, Any]) -> str | None:
    """The field that identifies the query: an id if there is one, otherwise its text."""
    return next((name for name in (*QUERIES, *COLUMN_NAMES["query"]) if isinstance(record.get(name), str | int)), None)


def _entry(entry: Any) -> Any:
    """An id or a pair of id and score as a hit record; a hit unchanged."""
    if isinstance(entry, Hit | Mapping):
        return entry
    if not isinstance(entry, Sequence) or isinstance(entry, str | bytes):
        return {"id": text_id(entry)}
    if len(entry) != 2:
        raise DataError(f"expected an id, a pair [id, score] or a hit, found {entry!r}")
    return {"id": entry[0], "score": entry[1]}
