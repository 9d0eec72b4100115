"""Section 4 of the specification: routing accuracy, gate efficiency and reranking improvement, with its names and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import Any

from assay.compat.ragchat.batch import evaluate_retrieval_batch
from assay.compat.ragchat.metrics import Ids, check_equal_lengths, mean_of, ndcg_at_k
from assay.errors import BadParameter, DataError
from assay.evaluation import evaluate_routing
from assay.model import is_finite_number
from assay.text import shortened

Numbers = float | Sequence[float]
"""One value, or one per query."""


def routing_accuracy(routes: Sequence[Any], optimal_experts: Sequence[Any]) -> float:
    """The share of queries that were sent to their optimal expert; 0.0 without queries. Both lists are in query order."""
    check_equal_lengths(routes, optimal_experts, "routes and optimal experts")
    records = [
        {"query_id": str(number), "route": route, "optimal_expert": expert}
        for number, (route, expert) in enumerate(zip(routes, optimal_experts, strict=True))
    ]
    return float(evaluate_routing(records, "routing_accuracy")["routing_accuracy"]) if records else 0.0


def retrievals_saved(gated: Sequence[bool], needs_retrieval: Sequence[bool]) -> int:
    """The number of queries whose retrieval was correctly skipped: skipped (`gated`), and not needed."""
    check_equal_lengths(gated, needs_retrieval, "gate decisions and needs")
    for decision in (*gated, *needs_retrieval):
        if not isinstance(decision, bool):
            raise DataError(f"gated and needs_retrieval must be true or false for each query, not {shortened(decision)}")
    return sum(skipped and not needed for skipped, needed in zip(gated, needs_retrieval, strict=True))


def gate_efficiency(retrievals_saved: int, total_queries: int) -> float:
    """Retrievals saved ÷ total queries, in per cent; 0.0 without queries."""
    for name, count in (("retrievals_saved", retrievals_saved), ("total_queries", total_queries)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise BadParameter(f"{name} must be a whole number of at least 0, not {count!r}")
    if retrievals_saved > total_queries:
        raise BadParameter(f"retrievals_saved must be at most total_queries ({total_queries}), not {retrievals_saved}")
    return 100 * retrievals_saved / total_queries if total_queries else 0.0


def reranking_improvement(ndcg_reranked: Numbers, ndcg_baseline: Numbers) -> float:
    """(NDCG_reranked − NDCG_baseline) ÷ NDCG_baseline, in per cent. nan if the baseline is 0.

    With one value per query, it is the change of the mean NDCG, not the mean of the changes.
    """
    if not isinstance(ndcg_reranked, int | float) and not isinstance(ndcg_baseline, int | float):
        check_equal_lengths(ndcg_reranked, ndcg_baseline, "NDCG after and before reranking")
    after, before = _mean_ndcg(ndcg_reranked, "ndcg_reranked"), _mean_ndcg(ndcg_baseline, "ndcg_baseline")
    improvement = 100 * (after - before) / before if before > 0 else nan
    return improvement if isfinite(improvement) else nan


def reranking_improvement_at_k(
    relevant_ids: Ids,
    baseline_ids: Ids,
    reranked_ids: Ids,
    k: int = 10,
    relevance_grades: Mapping[str, float] | None = None,
) -> float:
    """The improvement of one query, from its lists of ids before and after reranking. nan if NDCG@k was 0 before."""
    before, after = (ndcg_at_k(relevant_ids, ids, k, relevance_grades) for ids in (baseline_ids, reranked_ids))
    return reranking_improvement(after, before)


def evaluate_reranking_batch(
    queries: Sequence[Mapping[str, Any]],
    baseline_results: Sequence[Sequence[Any]],
    reranked_results: Sequence[Sequence[Any]],
    k: int = 10,
) -> dict[str, float]:
    """`ndcg_baseline`, `ndcg_reranked` and `reranking_improvement` at k of two runs over the same queries.

    Queries and results have the form that `evaluate_retrieval_batch` reads.
    """
    metric = f"ndcg@{k}"
    before, after = (
        evaluate_retrieval_batch(queries, results, [metric])[metric] for results in (baseline_results, reranked_results)
    )
    return {
        "ndcg_baseline": before,
        "ndcg_reranked": after,
        "reranking_improvement": reranking_improvement(after, before),
    }


def _mean_ndcg(values: Any, name: str) -> float:
    """The value, or the mean of the values; each must be from 0 to 1."""
    each = values if isinstance(values, Sequence) and not isinstance(values, str) else [values]
    for value in each:
        if not is_finite_number(value) or not 0 <= value <= 1 + 1e-9:
            raise BadParameter(f"{name} must be from 0 to 1, not {shortened(value)}")
    return mean_of([float(value) for value in each])
