"""Cohen's κ: by hand, against statsmodels, and its laws."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.errors import BadParameter, DataError
from assay.stats.effect_sizes import cohen_kappa

GRADES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


def test_by_hand():
    """Cohen 1960's way on 50 pairs: both yes 20, yes/no 5, no/yes 10, both no 15: observed 0.7, by chance 0.5."""
    a = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
    b = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(a, b) == pytest.approx((0.7 - 0.5) / (1 - 0.5))


def test_weights_by_hand():
    """Grades 0 0 3 against 0 1 3: squares 0 + 1 + 0 observed; by chance over all nine pairings (0+1+9)·2 + (9+4+0) = 33."""
    assert cohen_kappa([0, 0, 3], [0, 1, 3], "quadratic") == pytest.approx(1 - (1 / 3) / (33 / 9))
    assert cohen_kappa([0, 0, 3], [0, 1, 3], "linear") == pytest.approx(
        1 - (1 / 3) / ((0 + 1 + 3) * 2 / 9 + (3 + 2 + 0) / 9)
    )


@given(GRADES)
def test_statsmodels_agrees(pairs):
    from statsmodels.stats.inter_rater import cohens_kappa

    assume(len({grade for pair in pairs for grade in pair}) > 1)
    a, b = zip(*pairs, strict=True)
    table = np.zeros((4, 4))
    for one, other in pairs:
        table[one, other] += 1
    for weights, kind in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
        theirs = cohens_kappa(table, wt=kind, return_results=False)
        assert cohen_kappa(a, b, weights) == pytest.approx(theirs, abs=1e-12)


@given(GRADES, st.sampled_from(["none", "linear", "quadratic"]))
def test_laws(pairs, weights):
    """Symmetric, at most 1, 1 for a judge and himself, and the same whatever the grades are called."""
    a, b = (list(side) for side in zip(*pairs, strict=True))
    kappa = cohen_kappa(a, b, weights)
    if math.isnan(kappa):
        assert len({*a, *b}) == 1
        return
    assert kappa <= 1 + 1e-12
    assert kappa == pytest.approx(cohen_kappa(b, a, weights))
    assert kappa == pytest.approx(cohen_kappa([10 - 2 * one for one in a], [10 - 2 * one for one in b], weights))
    if len(set(a)) > 1:
        assert cohen_kappa(a, a, weights) == 1


def test_what_cannot_be_said():
    assert math.isnan(cohen_kappa([], []))
    assert math.isnan(cohen_kappa([2, 2], [2, 2]))
    with pytest.raises(DataError, match="one gave 1 grades, the other 2"):
        cohen_kappa([1], [1, 2])
    with pytest.raises(DataError, match="finite"):
        cohen_kappa([float("nan")], [1])
    with pytest.raises(BadParameter, match="none, linear, quadratic"):
        cohen_kappa([1], [1], "cubic")
