"""answer_f1: how many words the answer and the expected one share, as F1."""

from functools import partial

from assay.metrics._answer_params import COUNT, TOKENS
from assay.metrics._metric import Metric, Scores
from assay.metrics._overlap import token_f1
from assay.model import Replies


def answer_f1(replies: Replies, count: str, tokens: str) -> Scores:
    """How many words the answer and the expected one share, as F1.

    Of several expected answers the most alike counts. Where an answer is expected, none scores 0; where there is none to
    be had, saying so scores 1, and any answer 0. A query of which nobody knows has no score.
    """
    return replies.compared(partial(token_f1, count=count), tokens)


METRIC = Metric(
    "answer_f1",
    answer_f1,
    params=(COUNT, TOKENS),
    aliases=("token_f1", "qa_f1"),
    presets={"squad_f1": {"count": "bag", "tokens": "squad"}},
    view="answers",
    formula="2 · |answer ∩ expected| ÷ (|answer| + |expected|), in words",
    cite="Rajpurkar et al. 2016, SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP",
)
