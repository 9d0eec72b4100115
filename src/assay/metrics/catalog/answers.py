"""Answers: what a system said in words against the expected answer, and whether it should have answered."""

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
    """One place on the curve: answers of this confidence and above, the share of queries that is, and their mean loss."""

    coverage: float
    risk: float
    confidence: float | None
    """None for answers without one, which come after all others; and for queries that were left open, which come last."""
    is_open: bool = False


SURE, UNSURE, OPEN = 0.0, 0.5, 1.0
"""Stages of the curve: answers with a confidence, answers without one, and queries that were left open."""


def curve(loss: Floats, parts: Floats) -> list[Point]:
    """The curve, the surest answers first; answers of equal confidence are taken together.

    `parts` are, for each query, its stage, and the confidence.
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
    """The mean risk over all coverages 1/n, 2/n … 1; equals in confidence count as if in every order.

    Where only losses are known, all are equals, and it is their mean.
    """
    if parts.ndim == 1:
        return float(np.mean(loss))
    order, last = _ordered(parts)
    sizes = np.diff(last, prepend=-1)
    means = np.add.reduceat(loss[order], last - sizes + 1) / sizes
    evened = np.repeat(means, sizes)
    return float(np.mean(np.cumsum(evened) / np.arange(1, len(order) + 1)))


def _ordered(parts: Floats) -> tuple[Ints, Ints]:
    """Places of the queries, the surest first; and where each confidence ends."""
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
    "which queries count: unanswerable: those without an answer; answerable: those with one, where an answer is wanted; all",
)


def abstention_accuracy(replies: Answers, over: str) -> Scores:
    """Whether the system leaves open what has no answer.

    Who always abstains has 1 here, and 0 with over=answerable: look at both. A query that got neither an answer nor an
    abstention is wrong. Queries that do not count have no score.
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
    formula="share of the queries without an answer that the system left open",
    cite="Rajpurkar et al. 2018, Know What You Don't Know: Unanswerable Questions for SQuAD, ACL",
)


def answer_contains(replies: Answers) -> Scores:
    """Whether an expected answer stands in the answer, word for word.

    Whole words only: `no` does not stand in `note`. It never falls as an answer gets longer, so look at answer_f1 too.
    """
    return replies.compared(contains_one)


def contains_one(answer: Words, references: list[Words]) -> float:
    """Whether the words of a reference stand side by side in the answer."""
    phrase = f" {' '.join(answer)} "
    return float(any(f" {' '.join(reference)} " in phrase for reference in references))


ANSWER_CONTAINS = Metric(
    "answer_contains",
    answer_contains,
    aliases=("answer_includes", "contains_answer"),
    view="answers",
    formula="1 if the words of an expected answer stand side by side in the answer, else 0",
    cite="Mallen et al. 2023, When Not to Trust Language Models, ACL",
)


def answer_exact(replies: Answers, tokens: str) -> Scores:
    """Whether the answer is word for word an expected one.

    Case, punctuation and Unicode's compatibility forms do not matter, but a minus before a digit and a + or # behind a
    word do: −5 is not 5, C++ not C. Articles count, unless tokens=squad. What has no answer is exact where none is given.
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
    """How many words the answer and the expected one share, as F1.

    Of several expected answers the most alike counts. Where an answer is expected, none scores 0; where there is none to
    be had, saying so scores 1, and any answer 0. A query of which nobody knows has no score.
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


ANSWER_SUCCESS_THRESHOLD = Param(
    "threshold", fraction, 0.1, "lowest F1 of the words, each counted once, that is like enough"
)


def answer_success(replies: Answers, k: int | None, rel: float | None, threshold: float) -> Scores:
    """Whether a relevant document is among the first k, and the answer is like the expected one.

    Needs the run beside the answers. A query that has no answer, or of which nobody knows what is relevant, has no
    score.
    """
    like = replies.compared(partial(token_f1, count="set"))
    hits = replies.of_ranking(partial(_has_hit, k=k, rel=rel), f"answer_success{f'@{k}' if k else ''}")
    is_scored = replies.is_answerable & ~np.isnan(hits)
    is_answered = replies.is_given & ~replies.has_abstained
    return np.where(is_scored, ((hits > 0) & is_answered & (like >= threshold)).astype(float), np.nan)


def _has_hit(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    return (run.relevant(rel).top(k).count > 0).astype(float)


ANSWER_SUCCESS = Metric(
    "answer_success",
    answer_success,
    params=(CUTOFF, REL, ANSWER_SUCCESS_THRESHOLD),
    view="answers",
    mistaken_for=("hit",),
    formula="1 if a relevant document is in the top k and F1 of the answer ≥ threshold, else 0",
    cite="Rajpurkar et al. 2016, SQuAD, EMNLP (the F1); Buckley & Voorhees 2005, TREC, ch. 3 (success at k)",
)


AURC_LOSS = Param("loss", one_of("f1", "exact"), "f1", "how wrong an answer is: 1 − answer_f1, or 1 − answer_exact")


def aurc(replies: Answers, loss: str) -> Composed:
    """Area under the risk–coverage curve; how wrong answers are when the surest are given first.

    The score of a query is its loss. An answer without a confidence is the least sure. What was left open comes after all
    answers: without loss where there is no answer, else with loss 1. Without any confidence there is no figure.
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
    formula="mean over i of the mean loss of the i surest answers",
    cite="Geifman & El-Yaniv 2017, Selective Classification for Deep Neural Networks, NeurIPS",
)
