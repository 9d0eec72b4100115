"""Saved results: what `--format json` wrote, read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import DataError, UnknownName, UsageError, near_matches
from assay.evaluation.confidence import Confidence
from assay.evaluation.result import Result
from assay.metrics._lookup import recorded_metric
from assay.metrics._metric import BoundMetric
from assay.model.policy import Policy
from assay.model.records import Query
from assay.model.scores import Column, ScoreTable

SCHEMA = "assay.result/1"


def is_saved_result(path: str | Path) -> bool:
    """Whether a file looks like saved results: a JSON object that begins with our schema."""
    place = Path(_parted(path)[0])
    if not place.is_file():
        return False
    with place.open("rb") as file:
        return b"assay.result/" in file.read(200)


def read_results(path: str | Path) -> list[Result]:
    """All results of a file; `results.json#name` is the one of that name, `#benchmark/name` the one on that benchmark.

    `#benchmark` is all of that benchmark. A name goes before a benchmark that is called the same.
    """
    place, wanted = _parted(path)
    try:
        content = json.loads(Path(place).read_bytes())
        _check_schema(place, content["schema"])
        results = [result_from_dict(plain) for plain in content["results"]]
    except FileNotFoundError:
        raise DataError(f"{place}: no such file") from None
    except OSError as error:
        raise DataError(f"{place}: cannot be read: {error.strerror or error}") from None
    except DataError:
        raise
    except UsageError as error:
        raise DataError(f"{place}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{place}: no saved result; assay score … --format json writes one ({error!r})") from None
    if not wanted:
        return results
    named = _addressed(results, wanted)
    if not named:
        names = list(dict.fromkeys(_address(result) for result in results))
        near = near_matches(wanted, [*names, *(result.name for result in results)])
        raise UnknownName(f"result of {place}", wanted, near, f"it has {', '.join(names)}")
    return named


def _address(result: Result) -> str:
    return f"{result.benchmark}/{result.name}" if result.benchmark else result.name


def _addressed(results: list[Result], wanted: str) -> list[Result]:
    """Those of that name; else the one on that benchmark; else all on that benchmark."""
    for word in (lambda result: result.name, _address, lambda result: result.benchmark):
        if named := [result for result in results if word(result) == wanted]:
            return named
    return []


def _check_schema(place: str, schema: object) -> None:
    if schema != SCHEMA:
        raise DataError(f"{place}: written as {schema}, but this version reads {SCHEMA}")


def _parted(path: str | Path) -> tuple[str, str]:
    """The file, and the name after it; both may hold a # of their own, so the longest name of a file counts."""
    place, wanted = str(path), ""
    while "#" in place and not Path(place).is_file():
        place, _, last = place.rpartition("#")
        wanted = f"{last}#{wanted}" if wanted else last
    return place, wanted


def result_from_dict(plain: Mapping[str, Any]) -> Result:
    """The result that `Result.to_dict` was made of, without what was graded."""
    by_query: Mapping[str, Mapping[str, Any]] = plain["per_query"]
    metrics = recorded_metrics(next(iter(by_query.values()), plain["summary"]), plain)
    made_of = plain.get("made_of", {})
    columns = {metric.name: with_parts(_column(metric, by_query), made_of.get(metric.name)) for metric in metrics}
    return Result(
        name=str(plain["name"]),
        table=ScoreTable(tuple(by_query), columns),
        metrics=metrics,
        counts=plain["counts"],
        policy=Policy(**plain["policy"]),
        missing=tuple(plain["missing"]),
        notes=tuple(plain["notes"]),
        profile=plain.get("profile", ""),
        recorded=plain.get("fingerprints", {}),
        relevance=dict(plain.get("relevance", {})),
        intervals={name: Confidence.from_dict(one) for name, one in plain.get("intervals", {}).items()},
        queries={name: Query(name, one["text"], metadata=one["tags"]) for name, one in plain.get("queries", {}).items()},
        beside=tuple(plain.get("beside", ())),
        benchmark=str(plain.get("benchmark", "")),
        failures=dict(plain.get("failures", {})),
        run=dict(plain.get("run", {})),
        relevant=dict(plain.get("relevant", {})),
        nonrelevant=dict(plain.get("nonrelevant", {})),
        said=dict(plain.get("said", {})),
        provenance=dict(plain.get("provenance", {})),
    )


def recorded_metrics(names: Iterable[str], plain: Mapping[str, Any]) -> tuple[BoundMetric, ...]:
    """The metrics of a record by the names that it has; nothing is imported for any of them."""
    return tuple(recorded_metric(name, is_higher_better(plain, name)) for name in names)


def is_higher_better(plain: Mapping[str, Any], name: str) -> bool:
    """Which way a metric of somebody's own points, as the record says; up where it does not say."""
    try:
        way = plain.get("own_metrics", {}).get(name, {}).get("higher_is_better", True)
    except AttributeError:
        way = None
    if not isinstance(way, bool):
        raise DataError(f"own_metrics has {{higher_is_better: true or false}} for each metric, but not for {name!r}")
    return way


def with_parts(column: Column, parts: Sequence[Sequence[float | None]] | None) -> Column:
    """The column with what its summary is made of, where that was written beside the scores."""
    if not parts or len(parts) != len(column.score):
        return column
    return column._replace(weight=np.array([[np.nan if one is None else one for one in row] for row in parts], dtype=float))


def _column(metric: BoundMetric, by_query: Mapping[str, Mapping[str, Any]]) -> Column:
    scores = [query[metric.name] for query in by_query.values()]
    if not metric.metric.aggregation.summarise:
        return Column.of(list(map(str, scores)), metric.metric.aggregation)
    defined = [np.nan if score is None else float(score) for score in scores]
    return Column.of(np.array(defined, dtype=float), metric.metric.aggregation)
