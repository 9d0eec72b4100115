"""Saved results: read the files that `--format json` writes."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from assay.arrays import Floats
from assay.errors import DataError, UnknownName, near_matches
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Confidence, Evidence, Provenance, Scores
from assay.evaluation.saved_form import SCHEMA, SavedFile, SavedInterval, SavedRecord, SavedResult
from assay.files import looks_saved, missing_file, split_address
from assay.metrics import BoundMetric, recorded_metric
from assay.model import ESTIMATES, MEAN, Column, Query, ScoreTable
from assay.schema import SchemaError, at_key, convert_plain, decode_json, schema_errors_in
from assay.text import counted, printable

NO_RESULT = "this is not a saved result. To write one: assay score … --format json"


def read_results(path: str | Path) -> list[Result]:
    """The results in a file: all, or with `results.json#name` or `#benchmark/name` the one of that name.

    `#benchmark` selects all results on a benchmark. If a result and a benchmark have the same name, the result is selected.
    """
    place, address = split_address(path)
    try:
        content = Path(place).read_bytes()
    except FileNotFoundError:
        raise missing_file(place) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", source=place) from None
    saved = _decode(content, place)
    results = []
    for number, record in enumerate(saved.results):
        with schema_errors_in(place, f"results[{number}]"):
            results.append(result_of(record))
    if not address:
        return results
    named = _results_at(results, address)
    if not named:
        names = list(dict.fromkeys(_address(result) for result in results))
        near = near_matches(address, [*names, *(result.name for result in results)])
        raise UnknownName(f"result in {place}", address, near, f"choose from {', '.join(names)}")
    return named


def _address(result: Result) -> str:
    return f"{result.benchmark}/{result.name}" if result.benchmark else result.name


def _results_at(results: list[Result], address: str) -> list[Result]:
    """The results of that name; else the one on that benchmark; else all results on that benchmark."""
    for word in (lambda result: result.name, _address, lambda result: result.benchmark):
        if named := [result for result in results if word(result) == address]:
            return named
    return []


class _SchemaOnly(msgspec.Struct):
    """The field that distinguishes a saved result from other files."""

    schema: Any = None


def _decode(content: bytes, place: str) -> SavedFile:
    """The checked content. A wrong schema, or a file of another kind, is reported before any error inside."""
    try:
        saved = decode_json(content, SavedFile, place)
    except DataError:
        _check_is_result(content, place)
        raise
    if saved.schema != SCHEMA:
        _check_is_result(content, place)
    return saved


def _check_is_result(content: bytes, place: str) -> None:
    try:
        schema = msgspec.json.decode(content, type=_SchemaOnly).schema
    except msgspec.ValidationError:
        raise DataError(NO_RESULT, source=place) from None
    except (ValueError, RecursionError):
        return
    if schema is None:
        what = f'the schema is missing; a saved result has "schema": "{SCHEMA}"' if looks_saved(content) else NO_RESULT
        raise DataError(what, source=place)
    if isinstance(schema, str) and schema != SCHEMA:
        raise DataError(f"expected the schema {SCHEMA}, found {printable(schema)}", source=place)


def result_from_dict(plain: Mapping[str, Any], source: str = "a result") -> Result:
    """The result that `Result.to_dict` describes, without the data that was graded."""
    with schema_errors_in(source):
        return result_of(convert_plain(plain, SavedResult, source))


def result_of(saved: SavedResult) -> Result:
    """The result that was saved; a SchemaError if it has scores that its metrics cannot have."""
    rows = list(saved.per_query.values())
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else saved.summary)}
    whole = result_of_record(saved, tuple(saved.per_query), columns)
    queries = {name: Query(name, query.text, metadata=query.tags) for name, query in saved.queries.items()}
    return whole.with_fields(queries=queries, run=saved.run, reruns=saved.reruns, relevant=saved.relevant)


def result_of_record(record: SavedRecord, query_ids: tuple[str, ...], columns: Mapping[str, Floats | list[Any]]) -> Result:
    """The result of a record and its scores (metric → one score for each query), without queries and rankings."""
    metrics = _recorded_metrics(columns, record)
    for field in ("made_of", "repeats"):
        if unknown := getattr(record, field).keys() - columns.keys():
            raise SchemaError("no query has a score for this metric", at_key(field, min(unknown)))
    table = {
        metric.name: _with_parts(_column(metric, scores), record.made_of.get(name), name)
        for (name, scores), metric in zip(columns.items(), metrics, strict=True)
    }
    scores = Scores(
        ScoreTable(query_ids, table),
        metrics,
        record.counts,
        missing=tuple(record.missing),
        intervals={name: _confidence(interval) for name, interval in record.intervals.items()},
        beside=tuple(record.beside),
        repeats={name: _repeats(rows, len(query_ids), name) for name, rows in record.repeats.items()},
    )
    origin = Provenance(
        record.policy_of(), record.profile, record.relevance, tuple(record.notes), record.provenance, record.fingerprints
    )
    evidence = Evidence(nonrelevant=record.nonrelevant, said=record.said, failures=record.failures)
    return Result(record.name, scores, origin, evidence, record.benchmark)


def _recorded_metrics(names: Collection[str], record: SavedRecord) -> tuple[BoundMetric, ...]:
    """The metrics of these names. No code is imported for them."""
    return tuple(recorded_metric(name, record.is_higher_better(name)) for name in names)


def _confidence(saved: SavedInterval) -> Confidence:
    low, high = (math.nan if end is None else end for end in (saved.low, saved.high))
    return Confidence(low, high, saved.level, saved.method, saved.cluster, saved.n_clusters)


def _column(metric: BoundMetric, scores: Floats | list[Any]) -> Column:
    """The scores of a metric: numbers, or texts if the metric returns text."""
    is_text = isinstance(scores, list) and any(isinstance(score, str) for score in scores)
    aggregation = metric.metric.aggregation
    if len(scores) and is_text != (aggregation.summarise is None):
        expected, actual = ("numbers", "texts") if is_text else ("texts", "numbers")
        raise SchemaError(f"expected {expected} for {metric.name!r}, found {actual}", "per_query")
    return Column.of(scores if is_text else np.array(scores, dtype=float), aggregation)


def _repeats(rows: Sequence[Sequence[float | None]], n_queries: int, name: str) -> Floats:
    """Queries × repeats."""
    n_repeats = len(rows[0]) if rows else 0
    if len(rows) != n_queries or any(len(row) != n_repeats for row in rows):
        expected = f"{counted(n_repeats, 'score')} for each of {counted(n_queries, 'query')}"
        raise SchemaError(f"expected {expected}, found lists of other lengths", at_key("repeats", name))
    return np.array(rows, dtype=float).reshape(n_queries, n_repeats)


def _with_parts(column: Column, parts: Sequence[Sequence[float | None]] | None, name: str) -> Column:
    """The column with the parts of its summary, if they were saved with the scores."""
    if parts is None:
        return column
    n_parts = column.aggregation.n_parts or len(parts[0] if parts else ())
    if len(parts) != len(column.score) or any(len(row) != n_parts for row in parts):
        expected = f"{counted(n_parts, 'number')} for each of {counted(len(column.score), 'query')}"
        raise SchemaError(f"expected {expected}, found lists of other lengths", at_key("made_of", name))
    is_mean = column.aggregation == MEAN
    weight = np.array(parts, dtype=float).reshape(len(parts), n_parts)
    return Column(column.score, weight, ESTIMATES.get(n_parts, MEAN) if is_mean else column.aggregation)
