"""MetricRegistry: memorybench's metrics by name and alias, and at any cutoff; and its functions, `calculateRecallAtK` …"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from assay.compat.memorybench.answers import (
    AccuracyMetric,
    AvgRetrievalScoreMetric,
    Bleu1Metric,
    F1Metric,
    RougeLMetric,
    accuracy_by,
)
from assay.compat.memorybench.metrics import (
    AUTO,
    MAPAtKMetric,
    MRRMetric,
    NDCGAt5Metric,
    NDCGAt10Metric,
    NDCGAtKMetric,
    PrecisionAtKMetric,
    RecallAtKMetric,
    RetrievalMetric,
    SuccessAtKMetric,
    compute_all,
)
from assay.errors import UnknownName, UsageError, near_matches

FAMILIES: Mapping[str, Callable[[int], RetrievalMetric]] = {
    "precision": PrecisionAtKMetric,
    "p": PrecisionAtKMetric,
    "recall": RecallAtKMetric,
    "r": RecallAtKMetric,
    "success": SuccessAtKMetric,
    "hit": SuccessAtKMetric,
    "ndcg": NDCGAtKMetric,
    "map": MAPAtKMetric,
}
"""Name before a cutoff → the metric. In memorybench, `hit@5` is another name of `success_at_5`."""
AT_CUTOFF = re.compile(rf"({'|'.join(FAMILIES)})(?:_at_|@|_)([1-9][0-9]{{0,8}})")


class MetricCalculator(Protocol):
    """Anything with a name, aliases, and `compute(results)`."""

    name: str
    aliases: tuple[str, ...]

    def compute(self, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """`{"name", "value", "details"}`."""


def get_builtin_metrics() -> list[MetricCalculator]:
    """A new instance of each: precision, recall, success and nDCG at 5 and 10, MRR, and the metrics of answers."""
    at_k: list[MetricCalculator] = [
        kind(k) for kind in (PrecisionAtKMetric, RecallAtKMetric, SuccessAtKMetric) for k in (5, 10)
    ]
    answers: list[MetricCalculator] = [
        AccuracyMetric(),
        F1Metric(),
        Bleu1Metric(),
        RougeLMetric(),
        AvgRetrievalScoreMetric(),
    ]
    return [*at_k, MRRMetric(), NDCGAt5Metric(), NDCGAt10Metric(), *answers]


class MetricRegistry:
    """Finds metrics by name or alias. It starts with the built-in metrics, unless others are given.

    With the built-in metrics, any other cutoff is found too: `recall@20`, `map@10`.
    """

    def __init__(self, metrics: Iterable[MetricCalculator] | None = None) -> None:
        self._by_name: dict[str, MetricCalculator] = {}
        self._has_cutoffs = metrics is None
        for metric in get_builtin_metrics() if metrics is None else metrics:
            self.register(metric)

    @staticmethod
    def get_builtin_metrics() -> list[MetricCalculator]:
        """The metrics that a new registry starts with."""
        return get_builtin_metrics()

    def register(self, metric: MetricCalculator) -> None:
        """Add a metric. If another metric has the same name or alias, this is an error, and nothing is added."""
        names = dict.fromkeys((metric.name, *metric.aliases))
        if taken := next((name for name in names if name in self._by_name), None):
            message = f"a metric called {taken!r} already exists; give {metric.name} another name and other aliases"
            raise UsageError(message)
        self._by_name |= dict.fromkeys(names, metric)

    def get(self, name: str) -> MetricCalculator:
        """The metric with this name or alias, or with this cutoff."""
        metric = self._find(name)
        if metric is None:
            near = near_matches(name, self._by_name)
            raise UnknownName("metric", name, near, f"choose from {', '.join(self.names)}")
        return metric

    def _find(self, name: str) -> MetricCalculator | None:
        if name in self._by_name:
            return self._by_name[name]
        match = AT_CUTOFF.fullmatch(name) if self._has_cutoffs else None
        return FAMILIES[match[1]](int(match[2])) if match else None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    @property
    def names(self) -> list[str]:
        """The names of all metrics, in the order in which they were added."""
        return list(dict.fromkeys(metric.name for metric in self._by_name.values()))

    def compute(self, names: Iterable[str], results: Sequence[Mapping[str, Any]], pack: Any = None) -> list[dict[str, Any]]:
        """The value of each metric. Every name is looked up before anything is computed.

        Results are read once for all metrics of retrieval; any other metric reads them itself.
        """
        metrics = [self.get(name) for name in names]
        shared = [
            metric
            for metric in metrics
            if isinstance(metric, RetrievalMetric) and type(metric).compute is RetrievalMetric.compute
        ]
        values = compute_all(shared, results, pack) if shared else ()
        computed = {id(metric): result for metric, result in zip(shared, values, strict=True)}
        return [computed[id(metric)] if id(metric) in computed else metric.compute(results) for metric in metrics]


Results = Sequence[Mapping[str, Any]]
TYPE, CATEGORY = "questionType", "category"
"""The metadata fields by which accuracy is split."""


def calculate_recall_at_k(results: Results, k: int = 5, pack: Any = None, relevance: str = AUTO) -> float:
    """The mean recall of the first k contexts."""
    return float(RecallAtKMetric(k, relevance=relevance).compute(results, pack)["value"])


def calculate_precision_at_k(results: Results, k: int = 5, pack: Any = None, relevance: str = AUTO) -> float:
    """The mean precision of the first k contexts, ÷ k."""
    return float(PrecisionAtKMetric(k, relevance=relevance).compute(results, pack)["value"])


def calculate_ndcg_at_k(results: Results, k: int = 10, pack: Any = None, relevance: str = AUTO) -> float:
    """The mean nDCG of the first k contexts."""
    return float(NDCGAtKMetric(k, relevance=relevance).compute(results, pack)["value"])


def calculate_success_at_k(results: Results, k: int = 5, relevance: str = AUTO) -> float:
    """The share of results whose `correct` is true, with a context among the first k that shares words with `expected`."""
    return float(SuccessAtKMetric(k, relevance=relevance).compute(results)["value"])


def calculate_mrr(results: Results, pack: Any = None, relevance: str = AUTO) -> float:
    """The mean of 1 ÷ the rank of the first relevant context."""
    return float(MRRMetric(relevance=relevance).compute(results, pack)["value"])


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
getBuiltinMetrics = get_builtin_metrics  # noqa: N816
"""The names as memorybench has them."""
