import numpy as np
import pytest
from scipy import stats

from assay.stats.significance import Pairs, parse_test

from ._null import SCORES, null_pairs

GENERATOR = np.random.default_rng(6)
A = GENERATOR.random((25, 6))
B = A + GENERATOR.normal(0, 0.05, A.shape)


def p_of(a, b, margin):
    return parse_test(f"non_inferiority(margin={margin})").compare(Pairs(a, b)).p


@pytest.mark.parametrize("margin", [0, 0.01, 0.2])
def test_is_a_one_sided_t_test_against_the_margin(margin):
    np.testing.assert_allclose(
        p_of(A, B, margin), stats.ttest_1samp(B - A, -margin, alternative="greater").pvalue, rtol=1e-8
    )


def test_a_wider_margin_is_easier():
    assert (np.diff([p_of(A, B, margin) for margin in (0, 0.01, 0.02, 0.1)], axis=0) < 0).all()


def test_the_question_has_a_direction():
    assert (p_of(A, A + 0.5 + B - A, 0.01) < 1e-6).all()
    assert (p_of(A + 0.5 + B - A, A, 0.01) > 0.999).all()


def test_edges():
    assert p_of(A, A, 0.01) == pytest.approx(2.0**-25)
    assert (p_of(A, A, 0) == 1).all()
    assert p_of(A, A - 0.01, 0.01) == pytest.approx(1.0)  # at the margin itself, but for rounding
    assert p_of(A, A - 0.1, 0.01) == pytest.approx(1.0)
    assert (p_of(A[:1], B[:1], 1) == 1).all()
    assert np.isnan(p_of(A[:0], B[:0], 1)).all()


@pytest.mark.parametrize("kind", SCORES)
def test_false_alarms_at_the_margin_are_as_many_as_promised(kind):
    pairs = null_pairs(kind)
    assert 0.035 <= (p_of(pairs.a, pairs.b - 0.02, 0.02) <= 0.05).mean() <= 0.065
