"""Complete judgments: whether every document that a query can find is judged, so that judged@10 says nothing."""

from __future__ import annotations

import numpy as np

from assay.datasets import BenchmarkDataset
from assay.evaluation.incomplete import is_local
from assay.evaluation.relevance import Judgement
from assay.evaluation.result import Result

BY_JUDGMENTS = "qrels"
"""The only resolver that leaves retrieved documents unjudged. All others decide about everything that is retrieved."""


def without_constant_judged(result: Result, judgement: Judgement) -> Result:
    """The result without metrics of the family judged that were not requested, if they cannot be other than 1."""
    added = {metric.name for metric in result.metrics if metric.metric.name == "judged" and metric.name in result.beside}
    others = [metric for metric in result.metrics if metric.name not in added]
    if not added or not others or not _are_complete(result, judgement, added):
        return result
    return result.subset(metrics=others)


def _are_complete(result: Result, judgement: Judgement, names: set[str]) -> bool:
    by_judgments = [query for query, name in judgement.resolved.strategies.items() if name == BY_JUDGMENTS]
    if not by_judgments:
        return bool(judgement.resolved.strategies)
    return _has_judged_all(judgement.dataset, by_judgments) and _is_all_judged(result, names)


def _has_judged_all(dataset: BenchmarkDataset, queries: list[str]) -> bool:
    """Whether every document in the scope of each of these queries is judged."""
    if not is_local(dataset) or not dataset.documents or dataset.files is not None:
        return False
    n_least = min(len(dataset.qrels.get(query, ())) for query in queries)
    scopes = {query: _scope(dataset, query) for query in queries}
    if None in scopes.values() and n_least < len(dataset.documents):
        return False
    groups = dataset.groups if any(scope is not None for scope in scopes.values()) else {}
    return all(
        dataset.qrels[query].keys() >= set(dataset.documents if scope is None else groups.get(scope, ()))
        for query, scope in scopes.items()
    )


def _scope(dataset: BenchmarkDataset, query: str) -> str | None:
    return dataset.queries[query].scope if query in dataset.queries else None


def _is_all_judged(result: Result, names: set[str]) -> bool:
    """Whether no ranking has an unjudged document: a run may have documents that are not in the benchmark."""
    if result.grader is None:
        return False
    policies = {setting.metric.name: setting.policy for setting in result.settings}
    for name in names:
        run = result.grader.grading(policies[name]).run
        is_ranked = dict(zip(run.query_ids, (run.n_retrieved > 0).tolist(), strict=True))
        scores = np.array([score for query, score in result.scores(name).items() if is_ranked.get(query)])
        if not np.all(scores == 1):
            return False
    return True
