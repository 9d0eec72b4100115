"""GradedResults: EvalResults that are read once, graded once for each threshold, and scored by every metric wanted."""

from __future__ import annotations

from collections.abc import Sequence

from assay.compat.memorybench._eval_results import Asked
from assay.errors import DataError
from assay.evaluation import Relevance, Result, evaluate_metrics
from assay.metrics import find_metrics
from assay.text import words_of


class GradedResults:
    """What was asked, and what metrics of the catalog say about it; nothing is worked out before somebody wants it."""

    def __init__(self, asked: Asked, metrics: Sequence[str], hit_metrics: Sequence[str]) -> None:
        self.asked = asked
        self._metrics = find_metrics((*metrics, *hit_metrics))
        self._hit_metrics = find_metrics(hit_metrics)
        self._by_threshold: dict[float, Result | None] = {}
        self._exact: list[Result | None] = []

    def graded(self, threshold: float) -> Result | None:
        """By ids, else evidence, else words shared; None where no result says anything about relevance."""
        if threshold not in self._by_threshold:
            self._by_threshold[threshold] = self._graded(threshold)
        return self._by_threshold[threshold]

    def exact(self) -> Result | None:
        """By the expected words in a row; None where no result says what to expect."""
        if not self._exact:
            self._exact.append(self._exactly())
        return self._exact[0]

    def _graded(self, threshold: float) -> Result | None:
        dataset = self.asked.dataset
        is_decided = any(
            query in dataset.qrels or one.evidence is not None or words_of(one.expected or "")
            for query, one in dataset.queries.items()
        )
        relevance = Relevance("auto", defaults={"threshold": threshold})
        return evaluate_metrics(dataset, self.asked.hits, self._metrics, relevance=relevance) if is_decided else None

    def _exactly(self) -> Result | None:
        try:
            return evaluate_metrics(self.asked.dataset, self.asked.hits, self._hit_metrics, relevance="substring")
        except DataError:  # no result says what to expect
            return None
