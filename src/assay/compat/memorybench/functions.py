"""The functions of `core/metrics/index.ts`: `calculateRecallAtK(results, k)` and its siblings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.compat.memorybench.answers import AccuracyMetric, AvgRetrievalScoreMetric, accuracy_by
from assay.compat.memorybench.metrics import MRRMetric, NDCGAtKMetric, PrecisionAtKMetric, RecallAtKMetric, SuccessAtKMetric
from assay.compat.memorybench.registry import MetricRegistry

Results = Sequence[Mapping[str, Any]]
TYPE, CATEGORY = "questionType", "category"
"""The metadata fields by which accuracy is split."""


def calculate_recall_at_k(results: Results, k: int = 5, pack: Any = None) -> float:
    """The mean recall of the first k contexts."""
    return float(RecallAtKMetric(k).compute(results, pack)["value"])


def calculate_precision_at_k(results: Results, k: int = 5, pack: Any = None) -> float:
    """The mean precision of the first k contexts, ÷ k."""
    return float(PrecisionAtKMetric(k).compute(results, pack)["value"])


def calculate_ndcg_at_k(results: Results, k: int = 10, pack: Any = None) -> float:
    """The mean nDCG of the first k contexts."""
    return float(NDCGAtKMetric(k).compute(results, pack)["value"])


def calculate_success_at_k(results: Results, k: int = 5) -> float:
    """The share of results whose `correct` is true, with a context among the first k that shares words with `expected`."""
    return float(SuccessAtKMetric(k).compute(results)["value"])


def calculate_mrr(results: Results, pack: Any = None) -> float:
    """The mean of 1 ÷ the rank of the first relevant context."""
    return float(MRRMetric().compute(results, pack)["value"])


def calculate_accuracy(results: Results) -> float:
    """The share of results whose `correct` is true."""
    return float(AccuracyMetric().compute(results)["value"])


def calculate_accuracy_by_question_type(results: Results) -> dict[str, float]:
    """`questionType` → accuracy."""
    return accuracy_by(TYPE, results)


def calculate_accuracy_by_category(results: Results) -> dict[str, float]:
    """`category` → accuracy."""
    return accuracy_by(CATEGORY, results)


def calculate_avg_retrieval_score(results: Results) -> float:
    """The mean of the scores of all contexts."""
    return float(AvgRetrievalScoreMetric().compute(results)["value"])


def calculate_all_metrics(results: Results, metrics_to_calculate: Iterable[str] = ("accuracy",)) -> dict[str, Any]:
    """`accuracy`, `metrics`, `byQuestionType` and `byCategory`. An unknown name is an error; memorybench drops it."""
    others = [name for name in metrics_to_calculate if name != "accuracy"]
    accuracy = calculate_accuracy(results)
    return {
        "accuracy": accuracy,
        "metrics": [{"name": "accuracy", "value": accuracy}, *MetricRegistry().compute(others, results)],
        "byQuestionType": calculate_accuracy_by_question_type(results),
        "byCategory": calculate_accuracy_by_category(results),
    }


calculateAccuracy = calculate_accuracy  # noqa: N816
calculateAccuracyByCategory = calculate_accuracy_by_category  # noqa: N816
calculateAccuracyByQuestionType = calculate_accuracy_by_question_type  # noqa: N816
calculateAllMetrics = calculate_all_metrics  # noqa: N816
calculateAvgRetrievalScore = calculate_avg_retrieval_score  # noqa: N816
calculateMRR = calculate_mrr  # noqa: N816
calculateNDCGAtK = calculate_ndcg_at_k  # noqa: N816
calculatePrecisionAtK = calculate_precision_at_k  # noqa: N816
calculateRecallAtK = calculate_recall_at_k  # noqa: N816
calculateSuccessAtK = calculate_success_at_k  # noqa: N816
"""The names as memorybench has them."""
