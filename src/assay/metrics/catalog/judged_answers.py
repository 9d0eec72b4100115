"""Judged answers: metrics from verdicts of judges about claims, nuggets and contexts."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats
from assay.grammar import Param, one_of
from assay.metrics.definition import Metric, Scores
from assay.views import (
    ANSWER_IN_CONTEXTS,
    ANSWER_IN_REFERENCE,
    NUGGETS_IN_ANSWER,
    REFERENCE_IN_ANSWER,
    REFERENCE_IN_CONTEXTS,
    USEFUL_CONTEXTS,
    AnswerVerdicts,
    Verdict,
    Verdicts,
)

VIEW = "verdicts"


def faithfulness(verdicts: AnswerVerdicts) -> Scores:
    """Share of the claims of the answer that the retrieved text supports.

    It does not say whether the answer is right. An answer without claims has no score. Unjudged claims are left out. If
    nothing was retrieved, no claim is supported.
    """
    return verdicts.share(ANSWER_IN_CONTEXTS)


FAITHFULNESS = Metric(
    "faithfulness",
    faithfulness,
    aliases=("groundedness",),
    view=VIEW,
    formula="supported claims of the answer ÷ claims of the answer",
    cite="Es et al. 2024, RAGAs: Automated Evaluation of Retrieval Augmented Generation, EACL",
)


MEASURE = Param(
    "measure",
    one_of("f1", "precision", "recall"),
    "f1",
    "precision: share of the claims of the answer that the reference answer supports; recall: share of the claims of the "
    "reference answer that the answer supports; f1: their harmonic mean",
)


def correctness(verdicts: AnswerVerdicts, measure: str) -> Scores:
    """Agreement of the claims of the answer with those of the reference answer, as F1, precision or recall.

    An abstention or a missing answer has recall and F1 0, and no precision. A reference answer without claims gives no
    score. An unanswerable query scores 1 if the system abstains, and 0 if it answers.
    """
    if measure == "precision":
        return verdicts.share(ANSWER_IN_REFERENCE)
    recall = verdicts.share(REFERENCE_IN_ANSWER)
    return recall if measure == "recall" else harmonic_mean(verdicts.share(ANSWER_IN_REFERENCE), recall)


def harmonic_mean(precision: Floats, recall: Floats) -> Floats:
    """2pr ÷ (p + r). If the recall is 0, it is 0, also without a precision."""
    total = precision + recall
    mean = np.divide(2 * precision * recall, total, out=np.full(len(recall), np.nan), where=total > 0)
    return np.where(recall == 0, 0.0, mean)


CORRECTNESS = Metric(
    "correctness",
    correctness,
    params=(MEASURE,),
    view=VIEW,
    formula="2 · precision · recall ÷ (precision + recall)",
    cite="Ru et al. 2024, RAGChecker: A Fine-grained Framework for Diagnosing Retrieval-Augmented Generation, NeurIPS",
)


ONLY = Param("only", one_of("all", "vital", "okay"), "all", "which nuggets count: all, only vital ones, or only okay ones")
CREDIT = Param("credit", one_of("strict", "partial"), "strict", "strict: a nugget in part counts 0; partial: it counts 0.5")


def nugget_recall(verdicts: AnswerVerdicts, only: str, credit: str) -> Scores:
    """Share of the nuggets of the query that the answer contains.

    A nugget is a fact that belongs in a good answer: vital if the answer must have it, else okay. The nuggets are fixed
    before answers are judged, and are the same for all systems. An abstention or a missing answer scores 0. A query without
    nuggets has no score.
    """

    def value(verdict: Verdict) -> float | None:
        if verdict.value is None or (only != "all" and verdict.is_vital != (only == "vital")):
            return None
        return verdict.value if credit == "partial" else float(verdict.value == 1)

    return verdicts.share(NUGGETS_IN_ANSWER, value)


NUGGET_RECALL = Metric(
    "nugget_recall",
    nugget_recall,
    params=(ONLY, CREDIT),
    view=VIEW,
    formula="nuggets in the answer ÷ nuggets of the query",
    cite="Pradeep et al. 2025, The Great Nugget Recall, SIGIR; Voorhees 2003, TREC (the nuggets of questions)",
)


def context_precision(verdicts: AnswerVerdicts) -> Scores:
    """Average precision of the retrieved contexts that a judge found useful.

    It asks whether useful contexts come first, not whether all useful ones were retrieved. Without a useful context it is
    0. Unjudged contexts are removed from the ranking. A query for which only unjudged contexts are left has no score.
    """
    return np.array([_average_precision(contexts) for contexts in verdicts.of(USEFUL_CONTEXTS)], dtype=np.float64)


def _average_precision(contexts: Verdicts | None) -> float:
    known = [each.value for each in contexts or () if each.value is not None]
    if contexts is None or (contexts and not known):
        return np.nan
    hits = [rank for rank, value in enumerate(known, 1) if value == 1]
    return sum(place / rank for place, rank in enumerate(hits, 1)) / len(hits) if hits else 0.0


CONTEXT_PRECISION = Metric(
    "context_precision",
    context_precision,
    view=VIEW,
    formula="sum of P@i over the ranks i of useful contexts ÷ number of useful contexts that were retrieved",
    cite="Es et al. 2024, RAGAs: Automated Evaluation of Retrieval Augmented Generation, EACL",
)


def context_recall(verdicts: AnswerVerdicts) -> Scores:
    """Share of the claims of the reference answer that the retrieved text supports.

    A reference answer without claims gives no score, and neither does an unanswerable query. Unjudged claims are left out.
    If nothing was retrieved, it is 0.
    """
    return verdicts.share(REFERENCE_IN_CONTEXTS)


CONTEXT_RECALL = Metric(
    "context_recall",
    context_recall,
    view=VIEW,
    formula="supported claims of the reference answer ÷ claims of the reference answer",
    cite="Es et al. 2024, RAGAs: Automated Evaluation of Retrieval Augmented Generation, EACL",
)
