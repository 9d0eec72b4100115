"""aurc: the area under the risk-coverage curve, by hand and over all orders of ties."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.catalog.answers import area, curve
from assay.views.answers import Answer

from ._answers import column


def sure(text, confidence):
    return Answer(text, confidence)


def test_by_hand():
    """Right, wrong, right: risks 0, 1/2, 1/3."""
    found = column("aurc", (sure("c", 0.1), "c"), (sure("a", 0.9), "a"), (sure("x", 0.5), "b"))
    assert found.summary() == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)
    assert found.score.tolist() == [0, 0, 1]
    assert [tuple(point) for point in curve(found.score, found.weight)] == [
        (pytest.approx(1 / 3), 0, 0.9, False),
        (pytest.approx(2 / 3), pytest.approx(1 / 2), 0.5, False),
        (1, pytest.approx(1 / 3), 0.1, False),
    ]


def test_what_was_left_open_comes_last():
    """Leaving open is right where there is no answer, and a loss where there is one."""
    found = column("aurc", (None, []), (sure("a", -5), "a"), (None, "b"), (..., "c"))
    assert found.score.tolist() == [0, 0, 1, 1]
    last = curve(found.score, found.weight)[-1]
    assert (last.coverage, last.risk, last.confidence) == (1, 0.5, None)
    assert found.summary() == pytest.approx((0 + 1 / 3 + 4 / 9 + 1 / 2) / 4)


def test_answers_without_a_confidence_are_the_least_sure():
    """One sure right answer does not hide the wrong ones: risks 0, then 1/2; what was left open comes later still."""
    found = column("aurc", (Answer("x"), "b"), (sure("a", -5), "a"), (None, []))
    assert found.values() == [1, 0, 0]
    assert found.summary() == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)
    points = curve(found.score, found.weight)
    assert [(one.confidence, one.is_open) for one in points] == [(-5, False), (None, False), (None, True)]


def test_without_any_confidence_there_is_no_figure():
    assert math.isnan(column("aurc", (Answer("a"), "a"), (None, "b")).summary())


def test_the_loss_may_be_all_or_nothing():
    pair = (sure("it is Paris", 0.5), "Paris")
    assert column("aurc", pair).summary() == pytest.approx(1 - 2 / 4)
    assert column("aurc(loss=exact)", pair).summary() == 1


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_equals_count_as_if_in_every_order(rows):
    losses = np.array([loss for loss, _, _ in rows])
    parts = np.array([[is_open, confidence] for _, confidence, is_open in rows], dtype=float)
    keys = [(1, 0) if is_open else (0, -confidence) for _, confidence, is_open in rows]
    areas = []
    for order in itertools.permutations(range(len(rows))):
        ranked = sorted(order, key=lambda place: keys[place])
        risks = np.cumsum(losses[ranked]) / np.arange(1, len(rows) + 1)
        areas.append(risks.mean())
    assert area(losses, parts) == pytest.approx(np.mean(areas))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 50)), min_size=2, max_size=20))
def test_the_best_order_is_the_smallest_area(rows):
    losses = np.array([float(loss) for loss, _ in rows])
    given_order = np.array([[0, confidence] for _, confidence in rows], dtype=float)
    best, worst = (np.column_stack([np.zeros(len(rows)), sign * losses]) for sign in (-1, 1))
    assert area(losses, best) - 1e-12 <= area(losses, given_order) <= area(losses, worst) + 1e-12


def test_where_only_losses_are_known_it_is_their_mean():
    assert area(np.array([0.0, 1.0, 1.0]), np.ones(3)) == pytest.approx(2 / 3)


def test_an_empty_curve():
    assert curve(np.zeros(0), np.zeros((0, 2))) == []


def test_lower_is_better():
    from assay.metrics.parsing import parse_metric

    assert not parse_metric("aurc").metric.higher_is_better
