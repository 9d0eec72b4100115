"""answer_contains: whether an expected answer stands in the answer, word for word."""

from assay.metrics._metric import Metric, Scores
from assay.model import Replies, Words


def answer_contains(replies: Replies) -> Scores:
    """Whether an expected answer stands in the answer, word for word.

    Whole words only: `no` does not stand in `note`. It never falls as an answer gets longer, so look at answer_f1 too.
    """
    return replies.compared(contains_one)


def contains_one(answer: Words, references: list[Words]) -> float:
    """Whether the words of a reference stand side by side in the answer."""
    phrase = f" {' '.join(answer)} "
    return float(any(f" {' '.join(one)} " in phrase for one in references))


METRIC = Metric(
    "answer_contains",
    answer_contains,
    aliases=("answer_includes", "contains_answer"),
    view="answers",
    formula="1 if the words of an expected answer stand side by side in the answer, else 0",
    cite="Mallen et al. 2023, When Not to Trust Language Models, ACL",
)
