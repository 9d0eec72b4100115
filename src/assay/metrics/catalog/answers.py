"""Answers: the text of an answer compared with the expected answer, and whether the system should have answered."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, Ints
from assay.grammar import Param, fraction, one_of
from assay.metrics.catalog.text_overlap import is_one_of, token_f1
from assay.metrics.definition import ANSWER_COUNT, ANSWER_TOKENS, CUTOFF, REL, GradedRun, Metric, Scores
from assay.model import Aggregation, Composed
from assay.views import Answers, Words


class Point(NamedTuple):
    """One point of the curve: the answers of at least this confidence, their share of the queries, and their mean loss."""

    coverage: float
    risk: float
    confidence: float | None
    """None for answers without a confidence, which come after all others, and for unanswered queries, which come last."""
    is_open: bool = False


SURE, UNSURE, OPEN = 0.0, 0.5, 1.0
"""Stages of the curve: answers with a confidence, answers without one, and unanswered queries."""


def curve(loss: Floats, parts: Floats) -> list[Point]:
    """The curve, by descending confidence; answers with equal confidence are one point.

    `parts` has the stage and the confidence of each query.
    """
    order, last = _ordered(parts)
    if not len(order):
        return []
    risk = np.cumsum(loss[order]) / np.arange(1, len(order) + 1)
    stage, confidence = parts[order].T
    sure = [float(value) if at == SURE else None for at, value in zip(stage.tolist(), confidence.tolist(), strict=True)]
    return [
        Point((place + 1) / len(order), float(risk[place]), sure[place], bool(stage[place] == OPEN))
        for place in last.tolist()
    ]


def area(loss: Floats, parts: Floats) -> float:
    """The mean risk over all coverages 1/n, 2/n … 1, averaged over all orders of answers with equal confidence.

    If only losses are known, all confidences are equal, and the area is the mean loss.
    """
    if parts.ndim == 1:
        return float(np.mean(loss))
    order, last = _ordered(parts)
    sizes = np.diff(last, prepend=-1)
    means = np.add.reduceat(loss[order], last - sizes + 1) / sizes
    evened = np.repeat(means, sizes)
    return float(np.mean(np.cumsum(evened) / np.arange(1, len(order) + 1)))


def _ordered(parts: Floats) -> tuple[Ints, Ints]:
    """Places of the queries by descending confidence, and where each confidence ends."""
    stage, unsure = parts[:, 0], np.where(parts[:, 0] == SURE, -parts[:, 1], 0.0)
    order = np.lexsort((unsure, stage))
    ranked = np.column_stack([stage, unsure])[order]
    is_last = (ranked[1:] != ranked[:-1]).any(axis=1)
    return order, np.flatnonzero(np.append(is_last, np.ones(min(len(order), 1), dtype=bool)))


AREA = Aggregation("area under the curve", area, n_parts=2)


ABSTENTION_OVER = Param(
    "over",
    one_of("unanswerable", "answerable", "all"),
    "unanswerable",
    "which queries count. unanswerable: queries that have no right answer; answerable: queries that have one, so abstaining "
    "is wrong; all: both",
)


def abstention_accuracy(replies: Answers, over: str) -> Scores:
    """Share of the unanswerable queries on which the system abstains.

    A system that always abstains scores 1 here and 0 with over=answerable, so look at both. A query with neither an answer
    nor an abstention scores 0. Queries that `over` leaves out have no score.
    """
    is_right = replies.is_given & (replies.has_abstained != replies.is_answerable)
    counts = {"unanswerable": ~replies.is_answerable, "answerable": replies.is_answerable, "all": replies.is_known}[over]
    return np.where(counts & replies.is_known, is_right.astype(float), np.nan)


ABSTENTION_ACCURACY = Metric(
    "abstention_accuracy",
    abstention_accuracy,
    params=(ABSTENTION_OVER,),
    aliases=("refusal_accuracy",),
    view="answers",
    formula="unanswerable queries on which the system abstains ÷ unanswerable queries",
    cite="Rajpurkar et al. 2018, Know What You Don't Know: Unanswerable Questions for SQuAD, ACL",
)


def answer_contains(replies: Answers) -> Scores:
    """Whether the answer contains an expected answer, word for word.

    Only whole words match: `note` does not contain `no`. A longer answer never scores lower, so look at answer_f1 too.
    """
    return replies.compared(contains_one)


def contains_one(answer: Words, references: list[Words]) -> float:
    """Whether the answer contains the words of a reference in sequence."""
    phrase = f" {' '.join(answer)} "
    return float(any(f" {' '.join(reference)} " in phrase for reference in references))


ANSWER_CONTAINS = Metric(
    "answer_contains",
    answer_contains,
    aliases=("answer_includes", "contains_answer"),
    view="answers",
    formula="1 if the answer contains all words of an expected answer next to each other and in order, else 0",
    cite="Mallen et al. 2023, When Not to Trust Language Models, ACL",
)


def answer_exact(replies: Answers, tokens: str) -> Scores:
    """Whether the answer equals an expected answer, word for word.

    Case, punctuation and Unicode compatibility forms are ignored. A minus before a digit and a + or # after a word count: −5
    is not 5, and C++ is not C. Articles count, unless tokens=squad. An unanswerable query scores 1 if the system abstains.
    """
    return replies.compared(is_one_of, "signed" if tokens == "words" else tokens)


ANSWER_EXACT = Metric(
    "answer_exact",
    answer_exact,
    params=(ANSWER_TOKENS,),
    aliases=("exact_match", "answer_exact_match", "em"),
    presets={"squad_em": {"tokens": "squad"}},
    view="answers",
    formula="1 if the words are the same in the same order, else 0",
    cite="Rajpurkar et al. 2016, SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP",
)


def answer_f1(replies: Answers, count: str, tokens: str) -> Scores:
    """Word overlap of the answer with the expected answer, as F1.

    Of several expected answers, the most similar one counts. An answerable query without an answer scores 0. An unanswerable
    query scores 1 if the system abstains, and 0 if it answers. A query whose expected answer is unknown has no score.
    """
    return replies.compared(partial(token_f1, count=count), tokens)


ANSWER_F1 = Metric(
    "answer_f1",
    answer_f1,
    params=(ANSWER_COUNT, ANSWER_TOKENS),
    aliases=("token_f1", "qa_f1"),
    presets={"squad_f1": {"count": "bag", "tokens": "squad"}},
    view="answers",
    formula="2 · |answer ∩ expected| ÷ (|answer| + |expected|), in words",
    cite="Rajpurkar et al. 2016, SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP",
)


def answer_correct(replies: Answers) -> Scores:
    """Whether a judge marked the answer as correct, as the file of answers says: 1, 0, or a number between them.

    The judge may be a person or a language model; nothing is judged again. A query without an answer scores 0. An answer
    without a mark has no score.
    """
    return replies.correct


ANSWER_CORRECT = Metric(
    "answer_correct",
    answer_correct,
    aliases=("answer_accuracy", "judged_correct"),
    view="answers",
    formula="the mark of the judge",
    cite="Wu et al. 2025, LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory, ICLR",
)


ANSWER_SUCCESS_THRESHOLD = Param(
    "threshold",
    fraction,
    0.1,
    "lowest F1 at which the answer counts as similar; each word counts once. It has no effect on an answer with a mark",
)


def answer_success(replies: Answers, k: int | None, rel: float | None, threshold: float) -> Scores:
    """Whether one of the first k documents is relevant and the answer is marked as correct, or similar to the expected one.

    If the file has the mark of a judge, a mark of at least 0.5 decides; otherwise the F1 of the words decides. Needs the
    run in addition to the answers. Unanswerable queries and queries without judgments have no score.
    """
    like = replies.compared(partial(token_f1, count="set"))
    hits = replies.of_ranking(partial(_has_hit, k=k, rel=rel), f"answer_success{f'@{k}' if k else ''}")
    is_scored = replies.is_answerable & ~np.isnan(hits)
    is_answered = replies.is_given & ~replies.has_abstained
    is_right = np.where(np.isnan(replies.correct), like >= threshold, replies.correct >= MARKED)
    return np.where(is_scored, ((hits > 0) & is_answered & is_right).astype(float), np.nan)


MARKED = 0.5
"""The lowest mark of a correct answer, if marks are not only true and false."""


def _has_hit(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    return (run.relevant(rel).n_within(k) > 0).astype(float)


ANSWER_SUCCESS = Metric(
    "answer_success",
    answer_success,
    params=(CUTOFF, REL, ANSWER_SUCCESS_THRESHOLD),
    view="answers",
    mistaken_for=("hit",),
    formula="1 if a relevant document is in the top k and the answer is marked as correct (without a mark: F1 ≥ threshold), "
    "else 0",
    cite="Rajpurkar et al. 2016, SQuAD, EMNLP (the F1); Buckley & Voorhees 2005, TREC, ch. 3 (success at k)",
)


AURC_LOSS = Param("loss", one_of("f1", "exact"), "f1", "loss of an answer. f1: 1 − answer_f1; exact: 1 − answer_exact")


def aurc(replies: Answers, loss: str) -> Composed:
    """Area under the risk–coverage curve: the mean loss of the most confident answers, averaged over all coverages.

    The score of a query is its loss. Answers without a confidence come after all answers with one, and unanswered queries
    come last. An abstention on an unanswerable query has loss 0; every other unanswered query has loss 1. If no answer has a
    confidence, the value is undefined.
    """
    likeness = is_one_of if loss == "exact" else partial(token_f1, count="set")
    losses = 1.0 - replies.compared(likeness)
    is_open = replies.has_abstained | ~replies.is_given
    lacks = np.isnan(replies.confidence)
    counts = replies.is_known & ~lacks.all()
    stage = np.where(is_open, OPEN, np.where(lacks, UNSURE, SURE))
    parts = np.column_stack([stage, np.where(is_open | lacks, 0.0, replies.confidence)])
    return Composed(np.where(counts, losses, np.nan), np.where(counts[:, np.newaxis], parts, np.nan))


AURC = Metric(
    "aurc",
    aurc,
    params=(AURC_LOSS,),
    aliases=("risk_coverage",),
    higher_is_better=False,
    aggregation=AREA,
    view="answers",
    formula="mean over i of the mean loss of the i most confident answers",
    cite="Geifman & El-Yaniv 2017, Selective Classification for Deep Neural Networks, NeurIPS",
)
