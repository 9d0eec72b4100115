"""answer_success: whether a relevant document is among the first k, and the answer is like the expected one."""

from functools import partial

import numpy as np

from assay.grammar import Param, fraction
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._overlap import token_f1
from assay.metrics._param import CUTOFF, REL
from assay.model import Replies

THRESHOLD = Param("threshold", fraction, 0.1, "lowest F1 of the words, each counted once, that is like enough")


def answer_success(replies: Replies, k: int | None, rel: float | None, threshold: float) -> Scores:
    """Whether a relevant document is among the first k, and the answer is like the expected one.

    Needs the run beside the answers. A query that has no answer, or of which nobody knows what is relevant, has no
    score.
    """
    like = replies.compared(partial(token_f1, count="set"))
    found = replies.of_ranking(partial(_has_hit, k=k, rel=rel), f"answer_success{f'@{k}' if k else ''}")
    is_scored = replies.is_answerable & ~np.isnan(found)
    is_answered = replies.is_given & ~replies.has_abstained
    return np.where(is_scored, ((found > 0) & is_answered & (like >= threshold)).astype(float), np.nan)


def _has_hit(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    return (run.relevant(rel).top(k).count > 0).astype(float)


METRIC = Metric(
    "answer_success",
    answer_success,
    params=(CUTOFF, REL, THRESHOLD),
    view="answers",
    mistaken_for=("hit",),
    formula="1 if a relevant document is in the top k and F1 of the answer ≥ threshold, else 0",
    cite="Rajpurkar et al. 2016, SQuAD, EMNLP (the F1); Buckley & Voorhees 2005, TREC, ch. 3 (success at k)",
)
