"""faithfulness, correctness, nugget_recall and the metrics of contexts: by hand, against loops, and in any order."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.evaluation import score_views
from assay.metrics import parse_metric
from assay.views import (
    ANSWER_IN_CONTEXTS,
    ANSWER_IN_REFERENCE,
    NUGGETS_IN_ANSWER,
    REFERENCE_IN_ANSWER,
    REFERENCE_IN_CONTEXTS,
    USEFUL_CONTEXTS,
    AnswerVerdicts,
    Verdict,
)

from ._cases import close

ORDERED = {"context_precision"}
CHECKS = {
    "faithfulness": (ANSWER_IN_CONTEXTS,),
    "correctness": (ANSWER_IN_REFERENCE, REFERENCE_IN_ANSWER),
    "correctness(measure=precision)": (ANSWER_IN_REFERENCE,),
    "correctness(measure=recall)": (REFERENCE_IN_ANSWER,),
    "nugget_recall": (NUGGETS_IN_ANSWER,),
    "nugget_recall(only=vital)": (NUGGETS_IN_ANSWER,),
    "nugget_recall(only=okay, credit=partial)": (NUGGETS_IN_ANSWER,),
    "context_precision": (USEFUL_CONTEXTS,),
    "context_recall": (REFERENCE_IN_CONTEXTS,),
}
NUGGETS = [(1, True), (0.5, True), (0, True), (1, False), (0.5, False)]
WORKED_OUT = [  # metric, verdicts of each check, score
    ("faithfulness", [[1, 1, 0, 1]], 0.75),
    ("faithfulness", [[1, None, 0]], 0.5),  # an unjudged claim is neither supported nor unsupported
    ("faithfulness", [[None, None]], None),
    ("faithfulness", [[]], None),  # no claims: undefined
    ("faithfulness", [None], None),
    ("groundedness", [[0, 0]], 0),
    ("correctness(measure=precision)", [[1, 1, 0, 0], [1]], 0.5),
    ("correctness(measure=recall)", [[1], [1, 0, 0, 0]], 0.25),
    ("correctness", [[1, 1, 0, 0], [1, 0, 0, 0]], 2 * 0.5 * 0.25 / 0.75),
    ("correctness", [[0, 0], [0, 0]], 0),
    ("correctness", [[], [0, 0]], 0),  # an abstention has no claims, and misses all of the reference
    ("correctness(measure=precision)", [[], [0, 0]], None),
    ("correctness", [[1, 1], []], None),  # nobody knows what was right
    ("correctness", [[0, 0], [1]], 0),
    ("nugget_recall", [NUGGETS], 2 / 5),
    ("nugget_recall(credit=partial)", [NUGGETS], 3 / 5),
    ("nugget_recall(only=vital)", [NUGGETS], 1 / 3),
    ("nugget_recall(only=vital, credit=partial)", [NUGGETS], 1.5 / 3),
    ("nugget_recall(only=okay)", [NUGGETS], 1 / 2),
    ("nugget_recall(only=okay)", [[(1, True)]], None),
    ("context_precision", [[1, 0, 1, 0]], (1 / 1 + 2 / 3) / 2),
    ("context_precision", [[0, 1]], 1 / 2),
    ("context_precision", [[1, 0]], 1),
    ("context_precision", [[0, 0]], 0),
    ("context_precision", [[None, 1]], 1),  # an unjudged context leaves the ranking
    ("context_precision", [[None]], None),
    ("context_precision", [[]], 0),  # nothing was retrieved, as for an empty ranking
    ("context_precision", [None], None),
    ("context_recall", [[1, 0, 0, 0]], 0.25),
    ("context_recall", [[]], None),
]


def verdict(entry) -> Verdict:
    return Verdict(*entry) if isinstance(entry, tuple) else Verdict(entry)


def score(metric: str, *checks) -> float | None:
    bound = parse_metric(metric)
    names = CHECKS.get(metric) or CHECKS[bound.metric.name]
    names = CHECKS["correctness"] if bound.metric.name == "correctness" else names
    columns = {
        name: [None if listed is None else [verdict(each) for each in listed]]
        for name, listed in zip(names, checks, strict=False)
    }
    table = score_views({"verdicts": AnswerVerdicts(("q",), columns)}, [bound])
    return table.columns[bound.name].values()[0]


@pytest.mark.parametrize(("metric", "checks", "expected"), WORKED_OUT)
def test_worked_out_by_hand(metric, checks, expected):
    assert score(metric, *checks) == (None if expected is None else close(expected))


VALUES = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, None]), st.booleans()), max_size=8)


def naive_share(listed, wanted=(True, False), strict=False) -> float:
    values = [value for value, is_vital in listed if value is not None and is_vital in wanted]
    values = [value // 1 if strict else value for value in values]
    return sum(values) / len(values) if values else math.nan


def naive_f1(first, second) -> float:
    precision, recall = naive_share(first), naive_share(second)
    if recall == 0:
        return 0.0
    return 2 / (1 / precision + 1 / recall) if precision else precision + 0 * recall


def naive_precision(listed) -> float:
    ranked = [value == 1 for value, _ in listed if value is not None]
    if listed and not ranked:
        return math.nan
    at = [sum(ranked[:k]) / k for k in range(1, len(ranked) + 1) if ranked[k - 1]]
    return sum(at) / len(at) if at else 0.0


@given(VALUES, VALUES)
def test_the_same_as_loops(first, second):
    expected = {
        "faithfulness": naive_share(first),
        "context_recall": naive_share(first),
        "correctness": naive_f1(first, second),
        "nugget_recall": naive_share(first, strict=True),
        "nugget_recall(only=vital)": naive_share(first, [True], strict=True),
        "nugget_recall(only=okay, credit=partial)": naive_share(first, [False]),
        "context_precision": naive_precision(first),
    }
    for metric, value in expected.items():
        found = score(metric, first, second)
        assert (math.nan if found is None else found) == pytest.approx(value, nan_ok=True), metric


@given(VALUES, st.randoms())
def test_the_order_of_claims_and_nuggets_has_no_effect(listed, rng):
    """Exactly, also in the last digit. Only the order of contexts counts, because a ranking is what it measures."""
    shuffled = rng.sample(listed, len(listed))
    for metric in CHECKS:
        if metric not in ORDERED:
            assert score(metric, listed, shuffled) == score(metric, shuffled, listed), metric
    if all(value == 1 for value, _ in listed):
        assert score("context_precision", shuffled) == score("context_precision", listed)


@given(VALUES)
def test_a_further_yes_never_lowers_a_score(listed):
    for metric in CHECKS.keys() - ORDERED:  # a useful context far down lowers the mean precision of contexts
        changed = [(1.0 if value == 0 else value, is_vital) for value, is_vital in listed]
        before, after = score(metric, listed, listed), score(metric, changed, changed)
        assert (before is None) == (after is None)
        assert before is None or after >= before - 1e-12


def test_without_verdicts_the_error_says_how_to_get_them():
    bound = parse_metric("faithfulness")
    with pytest.raises(UsageError, match="assay answers --with"):
        score_views({"verdicts ": AnswerVerdicts((), {})}, [bound])
    assert np.isnan(AnswerVerdicts(("q",), {"x": [[]]}).share("x")).all()
