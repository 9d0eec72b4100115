"""abstention_accuracy: whether the system leaves open what has no answer."""

import numpy as np

from assay.grammar import Param, one_of
from assay.metrics._metric import Metric, Scores
from assay.model import Replies

OVER = Param(
    "over",
    one_of("unanswerable", "answerable", "all"),
    "unanswerable",
    "which queries count: unanswerable: those without an answer; answerable: those with one, where an answer is wanted; all",
)


def abstention_accuracy(replies: Replies, over: str) -> Scores:
    """Whether the system leaves open what has no answer.

    Who always abstains has 1 here, and 0 with over=answerable: look at both. A query that got neither an answer nor an
    abstention is wrong. Queries that do not count have no score.
    """
    is_right = replies.is_given & (replies.has_abstained != replies.is_answerable)
    counts = {"unanswerable": ~replies.is_answerable, "answerable": replies.is_answerable, "all": replies.is_known}[over]
    return np.where(counts & replies.is_known, is_right.astype(float), np.nan)


METRIC = Metric(
    "abstention_accuracy",
    abstention_accuracy,
    params=(OVER,),
    aliases=("refusal_accuracy",),
    view="answers",
    formula="share of the queries without an answer that the system left open",
    cite="Rajpurkar et al. 2018, Know What You Don't Know: Unanswerable Questions for SQuAD, ACL",
)
