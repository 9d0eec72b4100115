"""memorybench's metrics of retrieval, and code-chunk's `computeMetrics`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from assay.compat.arguments import checked, credited_once
from assay.compat.differences import warn_user
from assay.compat.memorybench.differences import DIFFERENCES
from assay.compat.memorybench.results import EvalCases, GradedResults, read_eval_results
from assay.evaluation import Result
from assay.grammar import WrittenName, cutoff, fraction
from assay.metrics import ndcg_at_k, precision_at_k, recall_at_k
from assay.relevance import parse_resolver
from assay.text import counted

SMALL, MARKED = 1e-12, 0.5
"""A difference that rounding explains, and the lowest mark of a correct answer."""
AUTO = "auto"
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

    def __init__(self, k: int | None = None, f1_threshold: float = 0.3, relevance: str = AUTO) -> None:
        self.k = None if k is None else checked(cutoff, "k", k)
        self.f1_threshold = checked(fraction, "f1_threshold", f1_threshold)
        self.relevance = WrittenName(relevance)
        """How relevance is decided: auto, or a resolver such as semantic(threshold=0.6)."""
        if self.relevance != AUTO:
            parse_resolver(self.relevance)
        cut = "" if k is None else f"@{k}"
        own = type(self).metric
        self.name = own + cut.replace("@", "_at_")
        self.aliases: tuple[str, ...] = (f"{own}{cut}",) if cut else ("reciprocal_rank", "mean_reciprocal_rank")

    def compute(self, results: EvalResults, pack: Any = None) -> MetricResult:
        """The mean over all results, with details. Results without any ground truth score 0.

        `pack` decides about results without relevant ids: an `assay.Pack`, or an object with `isRelevant` and
        `sealedSemantics`.
        """
        return compute_all([self], results, pack)[0]

    def computed(self, results: GradedResults) -> MetricResult:
        """The same from results that were already read, and possibly graded for other metrics."""
        graded, n_results = results.graded(self.f1_threshold, self.relevance), results.asked.n_results
        scores = {} if graded is None else graded.scores(self.catalog_name)
        mean = fsum(scores.values()) / n_results if n_results else 0.0
        return {"name": self.name, "value": mean, "details": self._details(results, graded, mean)}

    @property
    def catalog_name(self) -> str:
        """The name of the metric in assay."""
        return self.metric if self.k is None else f"{self.metric}@{self.k}"

    @property
    def hit_name(self) -> str:
        """A metric that is above 0 if anything relevant was found."""
        return self.metric if self.k is None else f"hit@{self.k}"

    def warn_of_differences(self, results: GradedResults) -> None:
        """Warn of results for which memorybench gives another value."""
        asked, relevant = results.asked, results.relevant(self.f1_threshold)
        for name, is_relevant in relevant.items():
            if asked.is_decided_by_words(name) and asked.dataset.queries[name].expected:
                warn_of_words([asked.dataset.queries[name].expected, *(hit.text for hit in asked.hits[name])])
            if name in asked.dataset.qrels and not asked.dataset.qrels[name] and _could_decide(asked, name):
                DIFFERENCES.warn("empty ids")
            self._warn_of_result(asked, name, is_relevant)

    def _warn_of_result(self, asked: EvalCases, name: str, is_relevant: Sequence[bool]) -> None:
        """Warn of one result, if the metric counts its relevant contexts."""

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
            "strategyCounts": {name: counts.get(name, 0) for name in (*STRATEGIES, *sorted({*counts} - {*STRATEGIES}))},
        }

    def _matches(self, results: GradedResults, graded: Result | None) -> dict[str, int]:
        """The number of results with a relevant context among the first k, and with one that contains the expected text."""
        names = {"relevantFound": graded, "exactMatchFound": results.exact()}
        return {
            name: 0 if result is None else sum(score > 0 for score in result.scores(self.hit_name).values())
            for name, result in names.items()
        }


def compute_all(metrics: Sequence[RetrievalMetric], results: EvalResults, pack: Any = None) -> list[MetricResult]:
    """The value of each metric, in order. Results are read once, and graded once per threshold."""
    names = [metric.catalog_name for metric in metrics], [metric.hit_name for metric in metrics]
    graded = GradedResults(read_eval_results(results, pack), *names)
    values = [metric.computed(graded) for metric in metrics]
    for metric in metrics:
        if metric.relevance == AUTO:  # memorybench has nothing to differ from otherwise
            metric.warn_of_differences(graded)
    return values


def warn_of_words(texts: Iterable[str | None]) -> None:
    """Warn if a text has a letter that is not ASCII."""
    others = (text for text in texts if text and not text.isascii())
    if any(not letter.isascii() and letter.isalnum() for text in others for letter in text):
        DIFFERENCES.warn("words")


class NDCGAtKMetric(RetrievalMetric):
    """nDCG@k. The ideal ranking has all relevant items of the ground truth, whether they were found or not."""

    metric, title = "ndcg", "avgNDCG"
    tells_matches = False

    def __init__(self, k: int, f1_threshold: float = 0.3, relevance: str = AUTO) -> None:
        super().__init__(k, f1_threshold, relevance)

    def _warn_of_result(self, asked: EvalCases, name: str, is_relevant: Sequence[bool]) -> None:
        warn_of_copies(asked, name, is_relevant, self.k)
        k = self.k or len(is_relevant)
        if asked.is_decided_by_words(name) and sum(is_relevant[:k]) < min(k, sum(is_relevant)):
            DIFFERENCES.warn("ideal")


def warn_of_copies(asked: EvalCases, name: str, is_relevant: Sequence[bool], k: int | None) -> None:
    """Warn of relevant contexts that do not count: copies of an id, and more contexts than there is evidence."""
    query, first = asked.dataset.queries[name], list(zip(asked.hits[name], is_relevant, strict=True))[:k]
    if any(is_so and hit.doc_id in asked.repeated.get(name, ()) for hit, is_so in first):
        DIFFERENCES.warn("twice")
    pack = asked.dataset.pack
    if pack is not None and pack.sealed_relevance and name not in asked.dataset.qrels:
        total = pack.count(query)
        if total is not None and sum(is_so for _, is_so in first) > total:
            DIFFERENCES.warn("same evidence")


def _could_decide(asked: EvalCases, name: str) -> bool:
    """Whether something other than a list of ids could decide about a result that has contexts."""
    query, pack = asked.dataset.queries[name], asked.dataset.pack
    is_packed = pack is not None and pack.sealed_relevance
    return bool(asked.hits[name]) and (is_packed or query.evidence is not None or bool(query.expected))


class NDCGAt5Metric(NDCGAtKMetric):
    """nDCG@5."""

    def __init__(self, f1_threshold: float = 0.3, relevance: str = AUTO) -> None:
        super().__init__(5, f1_threshold, relevance)


class NDCGAt10Metric(NDCGAtKMetric):
    """nDCG@10."""

    def __init__(self, f1_threshold: float = 0.3, relevance: str = AUTO) -> None:
        super().__init__(10, f1_threshold, relevance)


class PrecisionAtKMetric(RetrievalMetric):
    """Relevant contexts among the first k, ÷ k."""

    metric, title = "precision", "avgPrecision"

    def __init__(self, k: int, f1_threshold: float = 0.3, relevance: str = AUTO) -> None:
        super().__init__(k, f1_threshold, relevance)

    def _warn_of_result(self, asked: EvalCases, name: str, is_relevant: Sequence[bool]) -> None:
        warn_of_copies(asked, name, is_relevant, self.k)
        if any(is_relevant) and len(is_relevant) < (self.k or 0):
            DIFFERENCES.warn("precision")


class RecallAtKMetric(RetrievalMetric):
    """The share of the relevant items among the first k. `relevantFound` counts results with any of them."""

    metric, title = "recall", "avgRecall"

    def __init__(self, k: int, f1_threshold: float = 0.3, relevance: str = AUTO) -> None:
        super().__init__(k, f1_threshold, relevance)

    def computed(self, results: GradedResults) -> MetricResult:
        """The mean recall; a warning if memorybench's value, the share of results with any relevant context, is another."""
        recall = super().computed(results)
        details = recall["details"]
        theirs = details["relevantFound"] / details["total"] if details["total"] else 0.0
        if abs(theirs - recall["value"]) > SMALL:
            DIFFERENCES.warn("recall", f"{self.name}: {recall['value']:.4f} instead of {theirs:.4f}")
        return recall


class MRRMetric(RetrievalMetric):
    """1 ÷ the rank of the first relevant context, averaged."""

    metric, title = "mrr", "avgReciprocalRank"

    def __init__(self, f1_threshold: float = 0.3, relevance: str = AUTO) -> None:
        super().__init__(None, f1_threshold, relevance)


class MAPAtKMetric(RetrievalMetric):
    """Precision at each relevant context among the first k, averaged over all relevant items."""

    metric, title = "map", "avgPrecisionAtRelevant"

    def __init__(self, k: int, f1_threshold: float = 0.3, relevance: str = AUTO) -> None:
        super().__init__(k, f1_threshold, relevance)


class SuccessAtKMetric(RetrievalMetric):
    """1 if `correct` is true and a context among the first k shares words with the expected answer: an F1 of at least 0.1.

    Ids and packs have no effect, as in `success.ts`. A resolver other than auto decides instead of the shared words.
    """

    metric, title = "success", "successRate"

    def __init__(self, k: int, f1_threshold: float = 0.1, relevance: str = AUTO) -> None:
        super().__init__(k, f1_threshold, relevance)

    def warn_of_differences(self, results: GradedResults) -> None:
        """Warn of texts whose words memorybench does not read."""
        asked = results.asked
        for name, query in asked.dataset.queries.items():
            if query.expected:
                warn_of_words([query.expected, *(hit.text for hit in asked.hits[name])])

    def computed(self, results: GradedResults) -> MetricResult:
        """The share of successes; a result without `correct` counts as wrong, and a warning says so."""
        asked, by_text = results.asked, results.by_text(self.f1_threshold, self.relevance)
        names = list(asked.dataset.queries)
        if n_unmarked := sum(name not in asked.correct for name in names):
            warn_of_unmarked(self.name, n_unmarked)
        hits = {} if by_text is None else by_text.scores(self.hit_name)
        is_found = {name: hits.get(name, 0.0) > 0 for name in names}
        is_right = {name: asked.correct.get(name, 0.0) >= MARKED for name in names}
        n_successes = sum(is_found[name] and is_right[name] for name in names)
        details = {
            "successes": n_successes,
            "total": len(names),
            "correctButNoRelevant": sum(is_right[name] and not is_found[name] for name in names),
            "incorrectWithRelevant": sum(is_found[name] and not is_right[name] for name in names),
            "k": self.k,
            "f1Threshold": self.f1_threshold,
        }
        return {"name": self.name, "value": n_successes / len(names) if names else 0.0, "details": details}


def warn_of_unmarked(metric: str, n_unmarked: int) -> None:
    """Warn that results without `correct` count as wrong, as they do in memorybench."""
    has = "has no `correct` and counts" if n_unmarked == 1 else "have no `correct` and count"
    warn_user(f"{metric}: {counted(n_unmarked, 'result')} {has} as wrong")


def compute_metrics(retrieved_ids: Sequence[str], relevant_set: Collection[str], k: int) -> dict[str, float]:
    """`{"precision", "recall", "ndcg"}` at k: precision ÷ k, the ideal over all relevant ids; 0 if nothing is relevant."""
    ranked = credited_once(retrieved_ids)
    first = retrieved_ids[:k]
    if len(set(first)) < len(first) and any(id_ in relevant_set and first.count(id_) > 1 for id_ in set(first)):
        DIFFERENCES.warn("twice")
    return {
        "precision": precision_at_k(ranked, relevant_set, k),
        "recall": recall_at_k(ranked, relevant_set, k),
        "ndcg": ndcg_at_k(ranked, relevant_set, k),
    }


computeMetrics = compute_metrics  # noqa: N816
"""The name as code-chunk has it."""
