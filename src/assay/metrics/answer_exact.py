"""answer_exact: whether the answer is word for word an expected one."""

from assay.metrics._answer_params import TOKENS
from assay.metrics._metric import Metric, Scores
from assay.metrics._overlap import is_one_of
from assay.model import Replies


def answer_exact(replies: Replies, tokens: str) -> Scores:
    """Whether the answer is word for word an expected one.

    Case, punctuation and Unicode's compatibility forms do not matter, but a minus before a digit and a + or # behind a
    word do: −5 is not 5, C++ not C. Articles count, unless tokens=squad. What has no answer is exact where none is given.
    """
    return replies.compared(is_one_of, "signed" if tokens == "words" else tokens)


METRIC = Metric(
    "answer_exact",
    answer_exact,
    params=(TOKENS,),
    aliases=("exact_match", "answer_exact_match", "em"),
    presets={"squad_em": {"tokens": "squad"}},
    view="answers",
    formula="1 if the words are the same in the same order, else 0",
    cite="Rajpurkar et al. 2016, SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP",
)
