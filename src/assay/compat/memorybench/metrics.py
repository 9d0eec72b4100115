"""memorybench's metric classes, their registry by name and alias, and code-chunk's `computeMetrics`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum
from typing import Any, Protocol

from assay.compat.arguments import checked, credited_once
from assay.compat.memorybench.results import EvalCases, GradedResults, read_eval_results
from assay.errors import UnknownName, UsageError, near_matches
from assay.evaluation import Result
from assay.grammar import cutoff, fraction
from assay.metrics import ndcg_at_k, precision_at_k, recall_at_k, token_f1
from assay.model import Pack
from assay.text import words_of

STRATEGIES = ("qrels", "pack", "token-fallback")
NO_RELEVANCE: Mapping[str, Any] = {"strategy_used": "none", "strategy_counts": {}}
EvalResults = Sequence[Mapping[str, Any]]
MetricResult = dict[str, Any]


class RetrievalMetric:
    """The base class. `metric` is the name in assay's catalog, `title` the name of the mean in the details."""

    metric = ""
    title = ""
    tells_matches = True
    """Whether the details count the results with a relevant context, and with a context that has the expected words."""

    def __init__(self, k: int | None = None, f1_threshold: float = 0.3) -> None:
        self.k = None if k is None else checked(cutoff, "k", k)
        self.f1_threshold = checked(fraction, "f1_threshold", f1_threshold)
        cut = "" if k is None else f"@{k}"
        own = type(self).metric
        self.name = own + cut.replace("@", "_at_")
        self.aliases: tuple[str, ...] = (f"{own}{cut}",) if cut else ("reciprocal_rank", "mean_reciprocal_rank")

    def compute(self, results: EvalResults, pack: Pack | None = None) -> MetricResult:
        """The mean over all results, with details. Results without any ground truth score 0.

        `pack` decides by evidence if the ids in the hits and their metadata are not enough.
        """
        return compute_all([self], results, pack)[0]

    def computed(self, results: GradedResults) -> MetricResult:
        """The same from results that were already read, and possibly graded for other metrics."""
        graded = results.graded(self.f1_threshold)
        scores = self._scores(results.asked, graded)
        n_results = len(results.asked.dataset.queries)
        mean = fsum(scores.values()) / n_results if n_results else 0.0
        return {"name": self.name, "value": mean, "details": self._details(results, graded, mean)}

    def _scores(self, asked: EvalCases, graded: Result | None) -> dict[str, float]:  # noqa: ARG002 (for metrics of answers)
        return {} if graded is None else graded.scores(self.catalog_name)

    @property
    def catalog_name(self) -> str:
        """The name of the metric in assay."""
        return self.metric if self.k is None else f"{self.metric}@{self.k}"

    @property
    def hit_name(self) -> str:
        """A metric that is above 0 if anything relevant was found."""
        return self.metric if self.k is None else f"hit@{self.k}"

    def _details(self, results: GradedResults, graded: Result | None, mean: float) -> dict[str, Any]:
        relevance = NO_RELEVANCE if graded is None else graded.relevance
        counts = relevance["strategy_counts"]
        return {
            self.title: mean,
            "queriesWithRelevant": relevance.get("queries_with_relevant", 0),
            **(self._matches(results, graded) if self.tells_matches else {}),
            "total": len(results.asked.dataset.queries),
            **({} if self.k is None else {"k": self.k}),
            "f1Threshold": self.f1_threshold,
            "strategyUsed": relevance["strategy_used"],
            "strategyCounts": {name: counts.get(name, 0) for name in STRATEGIES},
        }

    def _matches(self, results: GradedResults, graded: Result | None) -> dict[str, int]:
        """The number of results with a relevant context among the first k, and with one that contains the expected text."""
        names = {"relevantFound": graded, "exactMatchFound": results.exact()}
        return {
            name: 0 if result is None else sum(score > 0 for score in result.scores(self.hit_name).values())
            for name, result in names.items()
        }


def compute_all(metrics: Sequence[RetrievalMetric], results: EvalResults, pack: Pack | None = None) -> list[MetricResult]:
    """The value of each metric, in order. Results are read once, and graded once per threshold."""
    names = [metric.catalog_name for metric in metrics], [metric.hit_name for metric in metrics]
    graded = GradedResults(read_eval_results(results, pack), *names)
    return [metric.computed(graded) for metric in metrics]


class NDCGAtKMetric(RetrievalMetric):
    """nDCG@k. The ideal ranking has all relevant items of the ground truth, whether they were found or not."""

    metric, title = "ndcg", "avgNDCG"
    tells_matches = False

    def __init__(self, k: int, f1_threshold: float = 0.3) -> None:
        super().__init__(k, f1_threshold)


class NDCGAt5Metric(NDCGAtKMetric):
    """nDCG@5."""

    def __init__(self, f1_threshold: float = 0.3) -> None:
        super().__init__(5, f1_threshold)


class NDCGAt10Metric(NDCGAtKMetric):
    """nDCG@10."""

    def __init__(self, f1_threshold: float = 0.3) -> None:
        super().__init__(10, f1_threshold)


class PrecisionAtKMetric(RetrievalMetric):
    """Relevant contexts among the first k, ÷ k."""

    metric, title = "precision", "avgPrecision"

    def __init__(self, k: int, f1_threshold: float = 0.3) -> None:
        super().__init__(k, f1_threshold)


class RecallAtKMetric(RetrievalMetric):
    """The share of the relevant items among the first k. `relevantFound` counts results with any of them."""

    metric, title = "recall", "avgRecall"

    def __init__(self, k: int, f1_threshold: float = 0.3) -> None:
        super().__init__(k, f1_threshold)


class MRRMetric(RetrievalMetric):
    """1 ÷ the rank of the first relevant context, averaged."""

    metric, title = "mrr", "avgReciprocalRank"

    def __init__(self, f1_threshold: float = 0.3) -> None:
        super().__init__(None, f1_threshold)


class SuccessAtKMetric(RetrievalMetric):
    """1 if a relevant context is among the first k and the answer shares enough words with the expected answer.

    Enough is an F1 of 0.1, as in `success.ts`. Relevance by words needs an F1 of 0.3, as in the other metrics.
    """

    metric, title = "success", "successRate"

    def __init__(self, k: int, f1_threshold: float = 0.3, answer_threshold: float = 0.1) -> None:
        super().__init__(k, f1_threshold)
        self.answer_threshold = checked(fraction, "answer_threshold", answer_threshold)

    def _scores(self, asked: EvalCases, graded: Result | None) -> dict[str, float]:
        hits = {} if graded is None else graded.scores(self.hit_name)
        expected = {query: asked.dataset.queries[query].expected or "" for query in hits}
        is_answered = {
            query: _answer_f1(expected[query], asked.answers[query]) >= self.answer_threshold - 1e-12 for query in hits
        }
        return {query: float(score > 0 and is_answered[query]) for query, score in hits.items()}

    def _details(self, results: GradedResults, graded: Result | None, mean: float) -> dict[str, Any]:
        return {**super()._details(results, graded, mean), "answerThreshold": self.answer_threshold}


def _answer_f1(expected: str, answer: str) -> float:
    """F1 of the different words of both answers; 0 if there is no expected answer."""
    expected_words = words_of(expected)
    return token_f1(words_of(answer), [expected_words], "set") if expected_words else 0.0


def compute_metrics(retrieved_ids: Sequence[str], relevant_set: Collection[str], k: int) -> dict[str, float]:
    """`{"precision", "recall", "ndcg"}` at k: precision ÷ k, the ideal over all relevant ids; 0 if nothing is relevant."""
    ranked = credited_once(retrieved_ids)
    return {
        "precision": precision_at_k(ranked, relevant_set, k),
        "recall": recall_at_k(ranked, relevant_set, k),
        "ndcg": ndcg_at_k(ranked, relevant_set, k),
    }


class MetricCalculator(Protocol):
    """Anything with a name, aliases, and `compute(results)`."""

    name: str
    aliases: tuple[str, ...]

    def compute(self, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """`{"name", "value", "details"}`."""


def get_builtin_metrics() -> list[MetricCalculator]:
    """A new instance of each metric: precision, recall and success at 5 and 10, MRR, nDCG at 5 and 10."""
    at_k: list[MetricCalculator] = [
        kind(k) for kind in (PrecisionAtKMetric, RecallAtKMetric, SuccessAtKMetric) for k in (5, 10)
    ]
    return [*at_k, MRRMetric(), NDCGAt5Metric(), NDCGAt10Metric()]


class MetricRegistry:
    """Finds metrics by name or alias. It starts with the built-in metrics, unless others are given."""

    def __init__(self, metrics: Iterable[MetricCalculator] | None = None) -> None:
        self._by_name: dict[str, MetricCalculator] = {}
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
        """The metric with this name or alias."""
        if name not in self._by_name:
            near = near_matches(name, self._by_name)
            raise UnknownName("metric", name, near, f"choose from {', '.join(self.names)}")
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def names(self) -> list[str]:
        """The names of all metrics, in the order in which they were added."""
        return list(dict.fromkeys(metric.name for metric in self._by_name.values()))

    def compute(self, names: Iterable[str], results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The value of each metric. Every name is looked up before anything is computed.

        Results are read once for all metrics of this package; any other metric reads them itself.
        """
        metrics = [self.get(name) for name in names]
        shared = [
            metric
            for metric in metrics
            if isinstance(metric, RetrievalMetric) and type(metric).compute is RetrievalMetric.compute
        ]
        computed = {
            id(metric): result for metric, result in zip(shared, compute_all(shared, results) if shared else (), strict=True)
        }
        return [computed[id(metric)] if id(metric) in computed else metric.compute(results) for metric in metrics]
