"""evaluate_retrieval_batch and batch_evaluate_metrics: many queries at once, by the metrics of the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from assay.compat.ragchat._cache import MetricsCache
from assay.compat.ragchat._cases import Case, own_results, read_case
from assay.compat.ragchat._metrics import refuse_unequal
from assay.errors import BadParameter
from assay.evaluation import evaluate_metrics
from assay.grammar import WrittenName
from assay.metrics import BoundMetric, parse_metric
from assay.model import GEOMETRIC_MEAN, MEAN, SUM, Column, Policy

USUAL = ("hit@1", "hit@3", "hit@5", "ndcg@5", "ndcg@10", "mrr")
BOTH = "queries and retrieval results"
FROM_SCORES = (MEAN, SUM, GEOMETRIC_MEAN)
"""How figures come about that follow from the scores of queries alone."""


def evaluate_retrieval_batch(
    queries: Sequence[Mapping[str, Any]],
    retrieval_results: Sequence[Sequence[Any]],
    metrics: str | Iterable[str] | None = None,
    *,
    cache: MetricsCache | None = None,
) -> dict[str, float]:
    """The mean of each metric, under the name it was asked by; any metric of rankings may be, and has its own figure.

    A query has `relevant_docs` (ids in any form, or id → grade) and maybe `relevance_grades`, which say what documents gain
    and never which are relevant; a result is a hit with `id`, or an id. A query without either scores 0 and is counted.
    Queries with an `id` or `query_id` are kept in the cache.
    """
    scored = scores_by_batch(queries, retrieval_results, metrics, Work(max(len(queries), 1), cache=cache))
    return {name: one.figure for name, one in scored.items()}


def batch_evaluate_metrics(
    queries: Sequence[Mapping[str, Any]],
    batch_size: int = 100,
    retrieval_results: Sequence[Sequence[Any]] | None = None,
    metrics: str | Iterable[str] | None = None,
    *,
    parallel: bool = False,
    cache: MetricsCache | None = None,
) -> dict[str, float]:
    """What `evaluate_retrieval_batch` gives, worked out `batch_size` queries at a time; their number changes no figure.

    Without `retrieval_results` each query brings its own, under that key. `parallel` works on several batches at once.
    """
    found = [own_results(query) for query in queries] if retrieval_results is None else retrieval_results
    size = _checked_size(batch_size)
    scored = scores_by_batch(queries, found, metrics, Work(size, parallel, cache))
    return {name: one.figure for name, one in scored.items()}


class Work(NamedTuple):
    """How many queries are worked on at once, whether batches are side by side, and what is known already."""

    batch_size: int
    parallel: bool = False
    cache: MetricsCache | None = None
    is_graded: bool = True
    """Whether grades count; without them every relevant document counts 1."""


class Scored(NamedTuple):
    """A metric, and its score for each query in order."""

    metric: BoundMetric
    values: list[float]

    @property
    def figure(self) -> float:
        """The scores as the metric sums them up, which is their mean for nearly all; 0.0 of no queries."""
        return Column.of(np.array(self.values), self.metric.metric.aggregation).summary() if self.values else 0.0


class Task(NamedTuple):
    """One query of a batch: how the cache knows it, and its case."""

    name: str
    case: Case


def scores_by_batch(
    queries: Sequence[Mapping[str, Any]],
    results: Sequence[Sequence[Any]],
    metrics: str | Iterable[str] | None,
    work: Work,
) -> dict[str, Scored]:
    """Metric, as it was asked for → one score per query, in order, whatever the batches."""
    refuse_unequal(queries, results, BOTH)
    wanted = {name: batch_metric(name) for name in _names(metrics)}
    pairs = zip(queries, results, strict=True)
    tasks = [Task(_name_of(query), read_case(query, hits, is_graded=work.is_graded)) for query, hits in pairs]
    top = max((grade for task in tasks for grade in task.case.graded.values()), default=0.0)
    parts = [tasks[start : start + work.batch_size] for start in range(0, len(tasks), work.batch_size)]

    def scored(part: Sequence[Task]) -> dict[str, list[float]]:
        return {name: _scored(metric, part, top, work.cache) for name, metric in wanted.items()}

    if work.parallel and len(parts) > 1:
        with ThreadPoolExecutor() as pool:
            found = list(pool.map(scored, parts))
    else:
        found = list(map(scored, parts))
    return {name: Scored(metric, [score for part in found for score in part[name]]) for name, metric in wanted.items()}


def batch_metric(name: str) -> BoundMetric:
    """The metric of a name, with this system's precision: over what was retrieved. What has no score by query is refused."""
    metric = parse_metric(WrittenName(name))
    if metric.metric.view != "ranking":
        raise BadParameter(f"{name} is no metric of a ranking, and queries with relevant_docs say nothing else")
    if metric.metric.aggregation not in FROM_SCORES:
        raise BadParameter(f"{name} has no figure over queries; assay.evaluate(…).scores({metric.name!r}) has it by query")
    if metric.metric.name != "precision" or "over" in metric.given:
        return metric
    return metric.metric.bind(**{key: metric.params[key] for key in metric.given}, over="retrieved")


def _names(metrics: str | Iterable[str] | None) -> Iterable[str]:
    """What was asked for; one name may stand by itself."""
    if metrics is None:
        return USUAL
    return [metrics] if isinstance(metrics, str) else metrics


def _checked_size(batch_size: Any) -> int:
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise BadParameter(f"batch_size is a whole number from 1 up, not {batch_size!r}")
    return batch_size


def _name_of(query: Any) -> str:
    return str(query.get("query_id", query.get("id", ""))) if isinstance(query, Mapping) else ""


def _scored(metric: BoundMetric, part: Sequence[Task], top: float, cache: MetricsCache | None) -> list[float]:
    """One score per query; those that the cache knows are not worked out again.

    `top` is the largest grade of all queries. Scores may depend on it, so that it is part of what the cache goes by.
    """
    if cache is None:
        return _evaluated(metric, part, top)
    keys = [(task.name, metric.name, int(metric.params.get("k") or 0)) for task in part]
    contents = [(task.case.truth(metric), task.case.ranked, float(top)) for task in part]
    found = [cache.get_cached_metric(*key, content=content) for key, content in zip(keys, contents, strict=True)]
    missing = [place for place, score in enumerate(found) if score is None]
    for place, score in zip(missing, _evaluated(metric, [part[place] for place in missing], top), strict=True):
        cache.cache_metric(*keys[place], score, content=contents[place])
        found[place] = score
    return [score for score in found if score is not None]


def _evaluated(metric: BoundMetric, part: Sequence[Task], top: float) -> list[float]:
    if not part:
        return []
    qrels = {str(place): task.case.truth(metric) for place, task in enumerate(part)}
    run = {str(place): task.case.ranked for place, task in enumerate(part)}
    policy = Policy(max_grade=float(top)) if top > 0 else None
    scores = evaluate_metrics(qrels, run, [metric], policy=policy).scores(metric.name)
    return [float(scores[query]) for query in qrels]
