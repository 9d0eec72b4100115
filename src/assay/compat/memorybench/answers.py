"""memorybench's metrics of answers: `accuracy`, `f1`, `rouge_l`, `bleu_1`, and the mean score of contexts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple

from assay.compat.memorybench.metrics import MARKED, EvalResults, MetricResult, warn_of_unmarked, warn_of_words
from assay.compat.memorybench.results import EvalCases, read_eval_results
from assay.metrics import Overlap, common_subsequence, overlap


class AnswerMetric:
    """The base class: a value over all results, with details."""

    name = ""
    aliases: tuple[str, ...] = ()
    reads_words = False
    """Whether the words of answers decide the value."""

    def compute(self, results: EvalResults, pack: Any = None) -> MetricResult:  # noqa: ARG002 (answers need no pack)
        """`{"name", "value", "details"}`."""
        return self.computed(read_eval_results(results))

    def computed(self, asked: EvalCases) -> MetricResult:
        """The same from results that were already read."""
        if self.reads_words:
            warn_of_words(
                text for name, query in asked.dataset.queries.items() for text in (asked.answers[name], query.expected)
            )
        value, details = self._value(asked) if asked.n_results else (0.0, {})
        return {"name": self.name, "value": value, "details": {**details, "total": asked.n_results}}

    def _value(self, asked: EvalCases) -> tuple[float, Mapping[str, Any]]:
        raise NotImplementedError


class AccuracyMetric(AnswerMetric):
    """The share of results whose `correct` is true: the mark of a language model or of an exact match."""

    name = "accuracy"
    aliases: tuple[str, ...] = ("acc",)

    def _value(self, asked: EvalCases) -> tuple[float, Mapping[str, Any]]:
        if n_unmarked := asked.n_results - len(asked.correct):
            warn_of_unmarked(self.name, n_unmarked)
        n_correct = sum(mark >= MARKED for mark in asked.correct.values())
        return n_correct / asked.n_results, {"correct": n_correct}


class _Shares(NamedTuple):
    f1: float
    precision: float
    recall: float


NOTHING, EVERYTHING = _Shares(0.0, 0.0, 0.0), _Shares(1.0, 1.0, 1.0)


class F1Metric(AnswerMetric):
    """F1 of the different words of the answer and of the expected answer; 1 if both have none."""

    name = "f1"
    reads_words = True
    aliases: tuple[str, ...] = ("f1_score", "token_f1")

    def _value(self, asked: EvalCases) -> tuple[float, Mapping[str, Any]]:
        shares = [self._shares(*asked.texts(name)) for name in asked.dataset.queries]
        means = {
            name: fsum(values) / len(shares) for name, values in zip(_Shares._fields, zip(*shares, strict=True), strict=True)
        }
        details = {"avgPrecision": means["precision"], "avgRecall": means["recall"], "count": len(shares)}
        return means["f1"], details

    def _shares(self, answer: list[str], expected: list[str]) -> _Shares:
        if not answer or not expected:
            return NOTHING if answer or expected else EVERYTHING
        shared = self._overlap(answer, expected)
        return _Shares(shared.f1, shared.precision, shared.recall)

    def _overlap(self, answer: list[str], expected: list[str]) -> Overlap:
        return overlap(answer, expected, "set")


class RougeLMetric(F1Metric):
    """F1 of the longest common subsequence of words; 1 if both texts have none."""

    name = "rouge_l"
    aliases: tuple[str, ...] = ("rougeL", "lcs_f1")

    def _overlap(self, answer: list[str], expected: list[str]) -> Overlap:
        return Overlap(common_subsequence(answer, expected), len(answer), len(expected))


class Bleu1Metric(AnswerMetric):
    """The share of the words of the answer that the expected answer has, each as often as there; no brevity penalty.

    Results without an answer are left out, as in `bleu.ts`.
    """

    name = "bleu_1"
    reads_words = True
    aliases: tuple[str, ...] = ("bleu1", "unigram_precision", "bleu")

    def _value(self, asked: EvalCases) -> tuple[float, Mapping[str, Any]]:
        pairs = [pair for name in asked.dataset.queries if (pair := asked.texts(name))[0]]
        scores = [overlap(answer, expected).precision for answer, expected in pairs]
        details = {"evaluated": len(scores), "skipped": asked.n_results - len(scores)}
        return fsum(scores) / len(scores) if scores else 0.0, details


class AvgRetrievalScoreMetric(AnswerMetric):
    """The mean of the scores of all contexts."""

    name = "avg_retrieval_score"
    aliases: tuple[str, ...] = ("avg_score",)

    def _value(self, asked: EvalCases) -> tuple[float, Mapping[str, Any]]:
        return fsum(asked.scores) / len(asked.scores) if asked.scores else 0.0, {"count": len(asked.scores)}


def accuracy_by(field: str, results: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Value of a metadata field → accuracy of its results. Results without the field are left out."""
    asked = read_eval_results(results)
    totals: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for name, query in asked.dataset.queries.items():
        value = (query.metadata or {}).get(field)
        if value is not None:
            totals[str(value)] += 1
            right[str(value)] += asked.correct.get(name, 0.0) >= MARKED
    return {value: right[value] / total for value, total in totals.items()}
