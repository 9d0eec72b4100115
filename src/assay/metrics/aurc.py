"""aurc: area under the risk–coverage curve; how wrong answers are when the surest are given first."""

from functools import partial

import numpy as np

from assay.grammar import Param, one_of
from assay.metrics._metric import Metric
from assay.metrics._overlap import is_one_of, token_f1
from assay.metrics._risk_coverage import AREA, OPEN, SURE, UNSURE
from assay.model import Composed, Replies

LOSS = Param("loss", one_of("f1", "exact"), "f1", "how wrong an answer is: 1 − answer_f1, or 1 − answer_exact")


def aurc(replies: Replies, loss: str) -> Composed:
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


METRIC = Metric(
    "aurc",
    aurc,
    params=(LOSS,),
    aliases=("risk_coverage",),
    higher_is_better=False,
    aggregation=AREA,
    view="answers",
    formula="mean over i of the mean loss of the i surest answers",
    cite="Geifman & El-Yaniv 2017, Selective Classification for Deep Neural Networks, NeurIPS",
)
