"""Stored result: split a result into the parts that the store saves, and join them again; and entries of lists."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
import numpy as np

from assay.errors import BadParameter
from assay.evaluation import Result, SavedQuery, SavedRecord, result_of_record, retrieved_nonrelevant
from assay.masking import mask, mask_nested
from assay.model import Query
from assay.schema import SchemaError, at_key, convert_plain
from assay.store.packing import (
    Pairs,
    Reruns,
    Values,
    columns_of_plain,
    columns_of_table,
    digest_of,
    pack_json,
    pack_pairs,
    pack_scores,
    unpack_json,
    unpack_pairs,
    unpack_reruns,
    unpack_scores,
)
from assay.store.timestamps import parse_timestamp
from assay.text import counted, printable

SEPARATE_FIELDS = ("per_query", "queries", "run", "reruns", "relevant")
"""Fields of the plain values of a result that are stored separately; all others are its record."""


class Figure(NamedTuple):
    """The summary of a metric; None if it is undefined, or if there is no interval."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    """The number of queries that the value is based on."""


@dataclass(frozen=True)
class StoredResult:
    """One result as payloads. Parts that results share, such as queries and grades, are stored once."""

    record: bytes
    """Names, counts, policy, intervals, provenance … as JSON."""
    scores: bytes
    figures: tuple[Figure, ...]
    rankings: bytes | None = None
    queries: bytes | None = None
    relevant: bytes | None = None
    """Relevant documents and their grades; None if there are no rankings."""

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The record as plain values."""
        plain: dict[str, Any] = unpack_json(self.record)
        return plain

    @cached_property
    def digest(self) -> str:
        """The digest of the result: equal if its whole content is equal."""
        parts = (self.scores, self.rankings, self.queries, self.relevant)
        return digest_of(self.record, *(b"" if part is None else digest_of(part).encode() for part in parts))

    @cached_property
    def content(self) -> str:
        """A digest that is equal if queries, responses and scores are equal; times do not matter."""
        plain = self.plain
        about = [plain.get("benchmark", ""), plain["name"], plain.get("failures", {})]
        parts = (self.scores, self.rankings, self.queries, self.relevant)
        return digest_of(pack_json(about), *(b"" if part is None else digest_of(part).encode() for part in parts))

    @property
    def started(self) -> str | None:
        """When the evaluation started, if the result says so."""
        return parse_timestamp(self.plain.get("provenance", {}).get("started"))

    def to_plain(self) -> dict[str, Any]:
        """Plain JSON values, as `Result.to_dict` returns them."""
        query_ids, columns = unpack_scores(self.scores)
        lists = [_plain_column(values) for values in columns.values()]
        rows = {query: dict(zip(columns, row, strict=True)) for query, *row in zip(query_ids, *lists, strict=True)}
        plain = {**self.plain, "per_query": rows}
        if self.queries is not None:
            plain["queries"] = unpack_json(self.queries)
        if self.rankings is not None:
            plain["run"] = unpack_pairs(self.rankings)
            if reruns := unpack_reruns(self.rankings):
                plain["reruns"] = reruns
        if self.relevant is not None:
            plain["relevant"] = unpack_pairs(self.relevant)
        return plain


def _plain_column(values: Values) -> list[Any]:
    return values if isinstance(values, list) else [None if value != value else value for value in values.tolist()]


def to_stored(result: Result) -> StoredResult:
    """The parts of a result; a BadParameter if it could not be read again."""
    none: dict[str, Any] = {"run": {}, "reruns": {}, "queries": {}, "grader": None}  # avoids copying the rest
    bare = result.with_fields(**none, recorded=result.fingerprints)
    record = bare.to_dict(per_query=False)
    if result.ties:
        record["ties"] = dict(result.ties)
    if judged := retrieved_nonrelevant(result):
        record["nonrelevant"] = judged
    queries = {name: {"text": mask(query.text), "tags": mask_nested(query.tags)} for name, query in result.queries.items()}
    relevant = {name: result.relevant[name] for name in result.query_ids if name in result.relevant} if result.run else {}
    content = pack_json(record)
    source = f"{printable(result.name) or 'the result'} cannot be saved"
    checked = convert_plain(unpack_json(content), SavedRecord, source, BadParameter)
    whole = (result.run, result.reruns, queries, relevant)
    return _pack_result((content, checked), result.query_ids, columns_of_table(result.table), whole)


def stored_from_plain(plain: Mapping[str, Any]) -> StoredResult:
    """The parts of a result from plain values, as in an export; a SchemaError if they are not a result."""
    record = {name: value for name, value in plain.items() if name not in SEPARATE_FIELDS}
    by_query = plain["per_query"]
    run, reruns, queries, relevant = (plain.get(name, {}) for name in ("run", "reruns", "queries", "relevant"))
    whole = (run, reruns, queries, relevant)
    checked = msgspec.convert(record, SavedRecord)
    return _pack_result((pack_json(record), checked), tuple(by_query), columns_of_plain(by_query), whole)


def _pack_result(
    record: tuple[bytes, SavedRecord],
    query_ids: tuple[str, ...],
    columns: Mapping[str, Values],
    whole: tuple[Pairs, Reruns, Mapping[str, Any], Pairs],
) -> StoredResult:
    content, checked = record
    run, reruns, queries, relevant = whole
    return StoredResult(
        record=content,
        scores=pack_scores(query_ids, columns),
        figures=figures_of(checked, columns),
        rankings=pack_pairs(run, reruns) if run else None,
        queries=pack_json(queries) if queries else None,
        relevant=pack_pairs(relevant) if run else None,
    )


def figures_of(record: SavedRecord, columns: Mapping[str, Values]) -> tuple[Figure, ...]:
    """The summaries of a record, each with its number of queries."""
    return tuple(_figure(name, value, record, columns) for name, value in record.summary.items())


def _figure(name: str, value: float | None, record: SavedRecord, columns: Mapping[str, Values]) -> Figure:
    interval = record.intervals.get(name)
    scores, parts = columns.get(name, []), record.made_of.get(name)
    n = len(scores) if isinstance(scores, list) else int(np.count_nonzero(~np.isnan(scores)))
    if parts is not None:  # the summary is computed from the parts, and a query may have no score of its own
        n = sum(None not in row for row in parts)
    low, high = (interval.low, interval.high) if interval is not None else (None, None)
    return Figure(name, _finite_or_none(value), _finite_or_none(low), _finite_or_none(high), n)


def _finite_or_none(value: float | None) -> float | None:
    """The number, if every database can store it."""
    return value if value is not None and math.isfinite(value) else None


def assemble_result(record: SavedRecord, scores: bytes, **whole: Any) -> Result:
    """The result that `result_from_dict` would return, without converting every score to plain values first.

    `whole` has the fields run, reruns, queries and relevant. A SchemaError if the scores do not belong to the record.
    """
    query_ids, columns = unpack_scores(scores)
    if not columns:
        columns = {name: np.zeros(0) for name in record.summary}
    elif unknown := record.summary.keys() - columns.keys():
        raise SchemaError("no query has a score for this metric", at_key("summary", min(unknown)))
    return result_of_record(record, query_ids, columns).with_fields(**whole)


def unpack_record(payload: bytes) -> SavedRecord:
    """The checked record of a result."""
    record: SavedRecord = convert_plain(unpack_json(payload), SavedRecord, "its record")
    return record


def unpack_queries(payload: bytes) -> dict[str, Query]:
    """Query id → the query with its text and tags."""
    saved = msgspec.convert(unpack_json(payload), dict[str, SavedQuery])
    return {name: Query(name, query.text, metadata=query.tags) for name, query in saved.items()}


# Entries of lists, without scores; and an evaluation that was read


class Entry(NamedTuple):
    """A stored result, as a list shows it."""

    evaluation: str
    """The id of its evaluation."""
    saved: str
    started: str
    benchmark: str
    provider: str
    n_queries: int
    rows_are: str
    """What `n_queries` counts: `query`, or `user` and similar for a search log."""
    n_failed: int
    dataset: str
    """A digest of the benchmark, which differs for each version of it."""
    is_failed: bool
    """Whether the provider failed on every query, so that values have no meaning."""
    figures: Mapping[str, Figure]
    """Metric → its summary, in the order of the plan."""
    tags: tuple[str, ...]
    baselines: tuple[str, ...]

    @property
    def size(self) -> str:
        """`48 queries`, `714 users`."""
        return counted(self.n_queries, self.rows_are)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        figures = {
            name: {"value": figure.value, "low": figure.low, "high": figure.high, "n": figure.n}
            for name, figure in self.figures.items()
        }
        return {**self._asdict(), "figures": figures, "tags": list(self.tags), "baselines": list(self.baselines)}


class Point(NamedTuple):
    """One summary in the history of a metric."""

    evaluation: str
    started: str
    benchmark: str
    provider: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    dataset: str
    """A digest of the benchmark and of how relevance was decided: values can be compared if it is equal."""
    was_baseline: bool = False
    """Whether a baseline names the result, or did so before it was moved."""
    result: int = 0
    """The number of the result in this store; 0 if it is not stored."""


class Note(NamedTuple):
    """A note on an evaluation, and when it was written."""

    written: str
    text: str


@dataclass(frozen=True)
class StoredEvaluation:
    """One evaluation that was read: its plan, and its results as they were saved."""

    id: str
    started: str
    saved: str
    plan: Mapping[str, Any]
    results: tuple[Result, ...]
    tags: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    baselines: tuple[str, ...] = ()
