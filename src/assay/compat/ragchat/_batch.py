"""evaluate_retrieval_batch and batch_evaluate_metrics: many queries at once, by the metrics of the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from assay.compat._credited_once import credited_once
from assay.compat.ragchat._cache import MetricsCache
from assay.compat.ragchat._ids import id_list, relevant_grades
from assay.compat.ragchat._metrics import mean_of, refuse_unequal
from assay.errors import BadParameter, DataError
from assay.evaluation.evaluate import evaluate
from assay.metrics._metric import BoundMetric
from assay.metrics._parse import parse_metric
from assay.model.hit_names import IDS
from assay.text import shortened

USUAL = ("hit@1", "hit@3", "hit@5", "ndcg@5", "ndcg@10", "mrr")
BOTH = "queries and retrieval results"
Truth = dict[str, float]
Case = tuple[Truth, list[str]]
"""Relevant id → grade, and what was retrieved, best first."""


def evaluate_retrieval_batch(
    queries: Sequence[Mapping[str, Any]],
    retrieval_results: Sequence[Sequence[Any]],
    metrics: Iterable[str] | None = None,
    *,
    cache: MetricsCache | None = None,
) -> dict[str, float]:
    """The mean of each metric, under the name it was asked by; any metric of the catalog may be.

    A query has `relevant_docs` (ids in any form, or id → grade) and maybe `relevance_grades`; a result is a hit with `id`,
    or an id. A query without either scores 0 and is counted. Queries with an `id` or `query_id` are kept in the cache.
    """
    scores = scores_by_batch(queries, retrieval_results, metrics, Work(max(len(queries), 1), cache=cache))
    return {name: mean_of(values) for name, values in scores.items()}


def batch_evaluate_metrics(
    queries: Sequence[Mapping[str, Any]],
    batch_size: int = 100,
    retrieval_results: Sequence[Sequence[Any]] | None = None,
    metrics: Iterable[str] | None = None,
    *,
    parallel: bool = False,
    cache: MetricsCache | None = None,
) -> dict[str, float]:
    """What `evaluate_retrieval_batch` gives, worked out `batch_size` queries at a time; their number changes no figure.

    Without `retrieval_results` each query brings its own, under that key. `parallel` works on several batches at once.
    """
    found = [_own(query) for query in queries] if retrieval_results is None else retrieval_results
    size = _checked_size(batch_size)
    scores = scores_by_batch(queries, found, metrics, Work(size, parallel, cache))
    return {name: mean_of(values) for name, values in scores.items()}


class Work(NamedTuple):
    """How many queries are worked on at once, whether batches are side by side, and what is known already."""

    batch_size: int
    parallel: bool = False
    cache: MetricsCache | None = None
    is_graded: bool = True
    """Whether grades count; without them every grade above 0 counts 1."""


def scores_by_batch(
    queries: Sequence[Mapping[str, Any]], results: Sequence[Sequence[Any]], metrics: Iterable[str] | None, work: Work
) -> dict[str, list[float]]:
    """Metric, as it was asked for → one score per query, in order, whatever the batches."""
    refuse_unequal(queries, results, BOTH)
    wanted = {name: _metric(name) for name in (USUAL if metrics is None else metrics)}
    starts = range(0, len(queries), work.batch_size)
    parts = [(queries[start : start + work.batch_size], results[start : start + work.batch_size]) for start in starts]

    def scored(part: tuple[Sequence[Mapping[str, Any]], Sequence[Sequence[Any]]]) -> dict[str, list[float]]:
        cases = [_case(*pair, is_graded=work.is_graded) for pair in zip(*part, strict=True)]
        return {name: _scored(metric, part[0], cases, work.cache) for name, metric in wanted.items()}

    if work.parallel and len(parts) > 1:
        with ThreadPoolExecutor() as pool:
            found = list(pool.map(scored, parts))
    else:
        found = list(map(scored, parts))
    return {name: [score for part in found for score in part[name]] for name in wanted}


def _checked_size(batch_size: Any) -> int:
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise BadParameter(f"batch_size is a whole number from 1 up, not {batch_size!r}")
    return batch_size


def _metric(name: str) -> BoundMetric:
    """The metric of a name, with this system's precision: over what was retrieved."""
    metric = parse_metric(name)
    if metric.metric.name != "precision" or "over" in metric.given:
        return metric
    return metric.metric.bind(**{key: metric.params[key] for key in metric.given}, over="retrieved")


def _scored(
    metric: BoundMetric, queries: Sequence[Mapping[str, Any]], cases: Sequence[Case], cache: MetricsCache | None
) -> list[float]:
    """One score per case; those that the cache knows are not worked out again."""
    if cache is None:
        return _evaluated(metric, cases)
    names = [str(query.get("query_id", query.get("id", ""))) for query in queries]
    keys = [(name, metric.name, int(metric.params.get("k") or 0)) for name in names]
    found = [cache.get_cached_metric(*key, content=case) for key, case in zip(keys, cases, strict=True)]
    missing = [place for place, score in enumerate(found) if score is None]
    for place, score in zip(missing, _evaluated(metric, [cases[place] for place in missing]), strict=True):
        cache.cache_metric(*keys[place], score, content=cases[place])
        found[place] = score
    return [score for score in found if score is not None]


def _evaluated(metric: BoundMetric, cases: Sequence[Case]) -> list[float]:
    if not cases:
        return []
    qrels = {str(place): grades for place, (grades, _) in enumerate(cases)}
    run = {str(place): ranked for place, (_, ranked) in enumerate(cases)}
    scores = evaluate(qrels, run, [metric]).scores(metric.name)
    return [float(scores[query]) for query in qrels]


def _case(query: Mapping[str, Any], hits: Sequence[Any], *, is_graded: bool) -> Case:
    if not isinstance(query, Mapping) or "relevant_docs" not in query:
        raise DataError(f"a query is a map with relevant_docs, found {shortened(query)}")
    grades = relevant_grades(query["relevant_docs"], query.get("relevance_grades"))
    if not is_graded:
        grades = {doc: float(grade > 0) for doc, grade in grades.items()}
    ids = id_list(hits) if isinstance(hits, str) else [_id_of(hit) for hit in hits]
    return grades, credited_once(ids)


def _id_of(hit: Any) -> Any:
    if not isinstance(hit, Mapping):
        return hit
    found = next((hit[name] for name in ("id", *IDS) if hit.get(name) is not None), None)
    if found is None:
        raise DataError(f"a retrieved document needs an id, found {shortened(dict(hit))}")
    return found


def _own(query: Mapping[str, Any]) -> Sequence[Any]:
    found = query.get("retrieval_results")
    if found is None:
        raise DataError(f"a query without retrieval_results: give them beside the queries, or in each; {shortened(query)}")
    return found
