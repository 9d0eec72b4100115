"""What the tests of answer metrics share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from assay.evaluation import score_views
from assay.metrics import parse_metric
from assay.model import Column
from assay.views import Answer, Answers, ExpectedAnswer

from ._cases import close
from ._ties import graded

Pair = tuple[Any, Any]
"""What was answered: text, a Reply, None for an abstention, ... for nothing; and what is right: a text, several, or ..."""


def view(*pairs: Pair, ranking: Any = None) -> Answers:
    """The answers view of pairs. Right answers that are [] mean that there is none; ... that nobody knows."""
    ids = tuple(f"q{number}" for number in range(len(pairs)))
    return Answers(ids, tuple(_reply(one) for one, _ in pairs), tuple(_wanted(right) for _, right in pairs), ranking)


def _reply(answer: Any) -> Answer | None:
    return None if answer is ... else answer if isinstance(answer, Answer) else Answer(answer)


def _wanted(right: Any) -> ExpectedAnswer | None:
    return None if right is ... else ExpectedAnswer((right,) if isinstance(right, str) else tuple(right))


def column(metric: str, *pairs: Pair, ranking: Any = None) -> Column:
    """The column of a metric."""
    bound = parse_metric(metric)
    return score_views({"answers": view(*pairs, ranking=ranking)}, [bound]).columns[bound.name]


def score(metric: str, answer: Any, right: Any) -> float:
    """The score of one answer."""
    return float(column(metric, (answer, right)).score[0])


def assert_worked_out(rows: Sequence[tuple[Any, ...]]) -> None:
    """Rows: a metric, what was answered, what is right, the score; None where there is none.

    What was retrieved is relevant at rank 2.
    """
    ranking = graded({"q0": {"a": 1}}, {"q0": ["x", "a"]})
    for metric, answer, right, expected in rows:
        (found,) = column(metric, (answer, right), ranking=ranking).values()
        assert found == (expected if expected is None else close(expected)), (metric, answer, right)


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "the", "of", "Paris", "東", "京", "größe"]), max_size=12)
SOME_WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "the", "of", "paris"]), min_size=1, max_size=14)


def text(words: Sequence[str]) -> str:
    """Words as a text."""
    return " ".join(words)


def edges(metric: str) -> list[tuple[Any, ...]]:
    """Rows for where there is no answer, or none to be had, or nobody knows: the same for all metrics of likeness."""
    pairs = [
        *((..., "Paris", 0), (None, "Paris", 0), ("", "Paris", 0), ("?!", "Paris", 0), (None, [], 1), ("", [], 1)),
        *(("Paris", [], 0), (..., [], 0), ("Paris", ..., None), (None, ..., None)),
    ]
    return [(metric, *pair) for pair in pairs]
