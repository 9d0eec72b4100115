"""Responses: what retrievers return, in any accepted form, as hits best first and with secrets masked."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Collection, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import replace
from operator import ge
from typing import Any, NamedTuple

import msgspec
import numpy as np

from assay.errors import AssayError, ProviderError
from assay.masking import find_secret, has_secrets, mask_nested
from assay.model import (
    IDS,
    SCORES,
    TERM,
    TEXTS,
    Document,
    FeatureTable,
    Hit,
    Query,
    are_columns,
    as_number,
    records_of_columns,
    term_of,
    text_id,
)
from assay.providers.event_loop import EventLoop
from assay.providers.protocols import BATCH, BY_JUDGMENTS, Judged, RelevanceRule, Retriever, adapt
from assay.providers.retriever import DuplicateDocument, PermanentFailure, ReportedHits, with_reported_fields
from assay.text import counted, shortened
from assay.views import GATED

Answers = list[list[Hit] | ProviderError]
"""For each query its hits, best first, or its error."""

LISTS: tuple[str, ...] = ("results", "hits", "documents", "data", "matches", "retrieved", "chunks", "nodes", "items")
LISTS += ("docs", "result", "points", "response", "value")
"""Names under which services put their hits; some nest them (`hits.hits`, `response.docs`)."""
MORE_IDS = ("node_id", "objectID", "key", TERM)
MORE_SCORES = ("_score", "_rankingScore", "@search.score", "certainty")
DISTANCES = ("distance", "_distance")
"""A smaller distance is better, so it is negated to get a score."""
INSIDE = ("metadata", "payload", "_source", "document", "node", "fields")
"""Parts of a hit that may contain its id and text."""
LISTED = (Sequence, Iterator, KeysView, ItemsView, ValuesView)
"""Types that have an order; a set has none."""
EXPECTED = "expected a list of hits such as ['d1', 'd2'] or [('d1', 0.9), ('d2', 0.7)]"


class Entry(NamedTuple):
    """A hit as it was read; without a score, its position is its rank."""

    doc: Any
    score: Any = None
    text: str | None = None
    metadata: Mapping[str, Any] | None = None
    is_term: bool = False
    """Whether its id is a term from its metadata, which several entries may share."""


def hits_from(answer: Any, k: int | None = None) -> list[Hit]:
    """At most k hits, best first, from hits, pairs, records, ids or arrays. Ids without scores must be best first.

    Hits with scores are sorted by score; equal scores stay in the given order. A document that occurs twice, a score that
    is not a finite number, and anything that is not a hit is a PermanentFailure, because a retry would not help. An
    exception in place of hits is raised. Fields about the query next to the hits are kept.
    """
    listed = _listed(answer)
    hits = _quick_hits(listed)
    if hits is None:
        hits = hits_of_entries([read_entry(entry, place) for place, entry in enumerate(listed, 1)], k)
    elif k is not None:
        hits = hits[:k]
    return hits if type(answer) is list else with_reported_fields(hits, answer)


def _quick_hits(listed: list[Any]) -> list[Hit] | None:
    """The hits if all entries are valid hits, pairs or ids of one kind and in order; otherwise None."""
    kinds = set(map(type, listed))
    if kinds == {Hit}:
        docs, scores = [hit.doc_id for hit in listed], [hit.score for hit in listed]
        return listed if _is_clean(docs, scores) else None
    if kinds == {str}:
        docs, scores = listed, list(map(float, range(0, -len(listed), -1)))
    elif kinds in ({tuple}, {list}) and set(map(len, listed)) == {2}:
        docs, scores = [pair[0] for pair in listed], [pair[1] for pair in listed]
    else:
        return None
    return list(map(Hit, docs, scores)) if _is_clean(docs, scores) else None


def answers_from(answers: Any, queries: Sequence[Query], k: int) -> Answers:
    """Hits for a batch, from a list in the order of the queries or a mapping by query id. Invalid hits become errors."""
    if isinstance(answers, Mapping):
        answers = [
            answers.get(
                query.query_id, ProviderError("search returned no entry for this query. Return one for every query id")
            )
            for query in queries
        ]
    if not isinstance(answers, Sequence | np.ndarray) or isinstance(answers, str | bytes):
        raise PermanentFailure(f"search must return a list with one list of hits per query, not {shortened(answers)}")
    if len(answers) != len(queries):
        raise PermanentFailure(
            "search must return one list of hits per query: "
            f"it got {counted(len(queries), 'query')} and returned {counted(len(answers), 'list')}"
        )
    return [_answer(answer, k) for answer in answers]


def _answer(answer: Any, k: int) -> list[Hit] | ProviderError:
    if answer is None or isinstance(answer, str | bytes | numbers.Number | Hit):
        expected = "search must return a list of hits for each query, as in [['d1', 'd2'], ['d3']]"
        return PermanentFailure(f"{expected}; for this query it returned {shortened(answer)}")
    try:
        return hits_from(answer, k)
    except ProviderError as error:
        return error
    except (Exception, SystemExit) as error:  # noqa: BLE001 (returned in place of hits)
        return ProviderError(f"{type(error).__name__}: {error}")


def _is_clean(docs: list[Any], scores: list[Any]) -> bool:
    """Whether all ids are distinct texts and all scores are finite floats in descending order."""
    return (
        set(map(type, docs)) == {str}
        and set(map(type, scores)) == {float}
        and len(set(docs)) == len(docs)
        and "" not in docs
        and all(map(ge, scores[:1] + scores, scores))
        and scores[0] != math.inf
        and scores[-1] != -math.inf
    )


def hits_of_entries(entries: Sequence[Entry], k: int | None = None) -> list[Hit]:
    """Entries as hits: checked, sorted by score if they have scores, cut at k. The best entry of each term counts."""
    unscored = [entry for entry in entries if entry.score is None]
    if unscored and len(unscored) < len(entries):
        raise PermanentFailure(
            f"hit {unscored[0].doc} has no score, but other hits have one. Give all hits a score, or none"
        )
    hits: dict[str, Hit] = {}
    for place, (doc, score, text, metadata, is_term) in enumerate(entries):
        try:
            doc_id = text_id(doc)
        except AssayError as error:
            raise PermanentFailure(f"hit {place + 1}: {error}") from None
        if not doc_id:
            raise PermanentFailure(f"hit {place + 1}: the id is empty")
        if doc_id in hits and not is_term:
            raise DuplicateDocument(doc_id)
        hit = Hit(doc_id, float(-place) if score is None else _number(doc_id, score), text, metadata)
        hits[doc_id] = max(hits.get(doc_id, hit), hit, key=_score)
    ranked = list(hits.values()) if unscored else sorted(hits.values(), key=_score, reverse=True)
    return ranked if k is None else ranked[:k]


def _score(hit: Hit) -> float:
    return hit.score


def _number(doc_id: str, score: Any) -> float:
    number = as_number(score)
    if number is None or not math.isfinite(number):
        raise PermanentFailure(f"the score of document {doc_id} must be a finite number, not {shortened(score)}")
    return number


def _listed(answer: Any) -> list[Any]:
    """The entries of a response, in any order."""
    if type(answer) is list:
        return answer
    if isinstance(answer, Mapping):
        entries = find_entries(answer)
        if entries is None and any(answer.get(name) is True for name in GATED):
            entries = []
        elif entries is None and all(map(_is_number, answer.values())):
            entries = list(answer.items())
        if entries is None:
            raise PermanentFailure(f"{EXPECTED}, or a dict with such a list under results or hits; found {names_in(answer)}")
        return entries
    if isinstance(answer, tuple) and len(answer) == 2 and all(isinstance(column, np.ndarray) for column in answer):
        return _side_by_side(*answer)
    if isinstance(answer, np.ndarray):
        return _of_array(answer)
    if isinstance(answer, Exception):
        raise answer
    if not isinstance(answer, LISTED) or isinstance(answer, str | bytes):
        raise PermanentFailure(f"{EXPECTED}, found {shortened(answer)}")
    return list(answer)


def _is_number(value: Any) -> bool:
    return as_number(value) is not None and not isinstance(value, bool)


def _side_by_side(ids: np.ndarray, scores: np.ndarray) -> list[Any]:
    """Entries from two arrays: ids, then scores."""
    if ids.dtype.kind == "f":
        raise PermanentFailure(f"expected two arrays (ids, scores), but the first one has no ids: its type is {ids.dtype}")
    ids, scores = ids.squeeze(), scores.squeeze()
    if ids.shape != scores.shape or ids.ndim > 1:
        raise PermanentFailure(
            f"expected two arrays of equal length (ids, scores), found the shapes {ids.shape} and {scores.shape}"
        )
    return list(zip(np.atleast_1d(ids).tolist(), np.atleast_1d(scores).tolist(), strict=True))


def _of_array(answer: np.ndarray) -> list[Any]:
    """Entries from an array of ids, or from two columns, ids and scores. In a float array, ids are whole numbers."""
    if answer.ndim == 2 and answer.shape[1] == 2:
        rows: list[list[Any]] = answer.tolist()
        return [[int(doc) if isinstance(doc, float) and doc.is_integer() else doc, score] for doc, score in rows]
    if answer.ndim != 1:
        raise PermanentFailure(
            f"expected an array of ids, or an array with two columns (id, score), found the shape {answer.shape}"
        )
    return answer.tolist()


def find_entries(answer: Mapping[str, Any], depth: int = 3) -> list[Any] | None:
    """The list of hits in the response of a service, under one of the usual names; None if there is none."""
    if are_columns(answer):
        try:
            return list(records_of_columns(answer))
        except ValueError as error:
            raise PermanentFailure(str(error)) from None
    for name in LISTS:
        inside = answer.get(name)
        if isinstance(inside, list):
            return inside
        if isinstance(inside, Mapping) and depth > 1 and (entries := find_entries(inside, depth - 1)) is not None:
            return entries
    return None


def read_entry(entry: Any, place: int, *, needs_id: bool = True) -> Entry:
    """Read a hit, an id, a pair of id and score, or a record with the usual names; `place` counts from 1."""
    if isinstance(entry, Hit):
        return Entry(entry.doc_id, entry.score, entry.text, entry.metadata)
    if isinstance(entry, str | numbers.Integral):
        return Entry(entry)
    if isinstance(entry, tuple | list | np.ndarray):
        return _read_pair(entry, place)
    read = entry.get if isinstance(entry, Mapping) else lambda name: getattr(entry, name, None)
    record = _read_record(read)
    if record.doc is None and needs_id:
        received = names_in(entry) if isinstance(entry, Mapping) else shortened(entry)
        raise PermanentFailure(
            f"hit {place} has no id: expected an id, a pair (id, score) or a record with id, found {received}"
        )
    return record


def _read_pair(pair: Sequence[Any] | np.ndarray, place: int) -> Entry:
    """(id, score), (record, score) or (id, score, text)."""
    if len(pair) not in (2, 3):
        raise PermanentFailure(f"hit {place}: expected (id, score) or (id, score, text), found {shortened(pair)}")
    first = read_entry(pair[0], place)
    text = pair[2] if len(pair) == 3 and isinstance(pair[2], str) else first.text
    return first._replace(score=pair[1], text=text)


def _read_record(read: Callable[[str], Any]) -> Entry:
    parts = [part for name in INSIDE if isinstance(part := read(name), Mapping)]
    readers = [read, *(part.get for part in parts)]
    term = next((term for part in parts if (term := term_of(part))), None)
    doc = term or next(
        (value for reader in readers for name in (*IDS, *MORE_IDS) if _can_be_id(value := reader(name))), None
    )
    text = next((value for reader in readers for name in TEXTS if isinstance(value := reader(name), str)), None)
    score = next((value for name in (*SCORES, *MORE_SCORES) if (value := read(name)) is not None), None)
    if score is None and (far := next((far for name in DISTANCES if (far := read(name)) is not None), None)) is not None:
        score = -far if _is_number(far) else far
    return Entry(doc, score, text, parts[0] if parts else None, term is not None)


def _can_be_id(value: Any) -> bool:
    return isinstance(value, str | numbers.Integral) and not isinstance(value, bool)


def names_in(content: Mapping[str, Any]) -> str:
    """The fields of a mapping, for messages: `the field a`, `the fields a, b`, `no fields`."""
    names = [str(name) for name in content]
    if not names:
        return "no fields"
    return f"the field{'s' if len(names) > 1 else ''} {', '.join(names[:8])}{' …' if len(names) > 8 else ''}"


def masked_answers(answers: Answers) -> Answers:
    """The hits with secrets masked. A query whose hits have a secret in an id gets an error instead."""
    if not has_secrets() or not find_secret(_everything(answers)):
        return answers
    return [hits if isinstance(hits, ProviderError) else _masked(hits) for hits in answers]


def _everything(answers: Answers) -> str:
    """All texts in the hits, joined; a text that cannot be encoded is written with repr."""
    fields = [hits.fields for hits in answers if isinstance(hits, ReportedHits)]
    texts = _texts(hit for hits in answers if not isinstance(hits, ProviderError) for hit in hits)
    try:
        return "\n".join(texts) + msgspec.json.encode(fields, enc_hook=str).decode() if fields else "\n".join(texts)
    except (TypeError, ValueError, UnicodeEncodeError, RecursionError):
        return "\n".join([*texts, repr(fields)])


def _texts(hits: Iterable[Hit]) -> list[str]:
    texts = []
    for hit in hits:
        texts.append(hit.doc_id)
        if hit.text is not None:
            texts.append(hit.text)
        if hit.metadata:
            texts.append(_encoded(hit.metadata))
    return texts


def _encoded(metadata: Any) -> str:
    try:
        return msgspec.json.encode(metadata, enc_hook=str).decode()
    except (TypeError, ValueError, UnicodeEncodeError, RecursionError):
        return repr(metadata)


def _masked(hits: list[Hit]) -> list[Hit] | ProviderError:
    for place, hit in enumerate(hits, 1):
        if what := find_secret(hit.doc_id):
            return PermanentFailure(f"hit {place}: the document id contains a secret ({what}), so the hits are not stored")
    masked = [replace(hit, text=mask_nested(hit.text), metadata=mask_nested(hit.metadata)) for hit in hits]
    return ReportedHits(masked, mask_nested(hits.fields)) if isinstance(hits, ReportedHits) else masked


class Composed:
    """A retriever that combines others. It passes everything it gets to each part; coroutines are awaited."""

    def __init__(self, parts: Sequence[Retriever]) -> None:
        self.parts = list(map(adapt, parts))
        self.batch: int = min((part.batch for part in self.parts), default=BATCH)
        """The smallest batch of all parts."""
        self.indexes = any(part.indexes for part in self.parts)
        self._event_loop = EventLoop()

    def index(self, documents: Iterable[Document]) -> None:
        """Give the documents to each part. A part reads them only if it needs them."""
        documents = documents if isinstance(documents, Collection) else list(documents)
        for part in self.parts:
            self._event_loop.result(part.index(documents))

    def search_parts(self, queries: Sequence[Query], k: int) -> list[Answers]:
        """For each part, the hits of all queries."""
        return [answers_from(self._event_loop.result(part.search(queries, k)), queries, k) for part in self.parts]

    def set_judgments(self, qrels: Judged, relevance: RelevanceRule = BY_JUDGMENTS) -> None:
        """Give the judgments to each part that needs them."""
        for part in self.parts:
            self._event_loop.result(part.set_judgments(qrels, relevance))

    def set_order(self, queries: Collection[str], documents: Collection[str]) -> None:
        """Give the order of the benchmark to each part that reads files in this order."""
        for part in self.parts:
            self._event_loop.result(part.set_order(queries, documents))

    def set_features(self, features: FeatureTable) -> None:
        """Give the features of documents to each part that ranks by them."""
        for part in self.parts:
            self._event_loop.result(part.set_features(features))

    def close(self) -> None:
        """Close each part that can be closed."""
        for part in self.parts:
            self._event_loop.result(part.close())


def ranked(hits: Iterable[Hit]) -> list[Hit]:
    """Hits in the order of every run: score descending, then id descending."""
    return sorted(hits, key=lambda hit: (hit.score, hit.doc_id), reverse=True)
