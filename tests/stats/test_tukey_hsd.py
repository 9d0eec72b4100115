import numpy as np
import pytest
from scipy import stats

from assay.stats.significance import Field, Pairs, parse_test
from assay.stats.student import chance_of_range

from ._null import SCORES, false_alarms_of_many
from ._sakai import SYSTEMS

SCORED = np.random.default_rng(9).random((12, 4)) + np.arange(4) * 0.1


def outcome_of(scores):
    return parse_test("tukey_hsd").compare_many(Field(np.asarray(scores, float)))


def by_definition(scores):
    n, m = scores.shape
    rest = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    error = np.sqrt((rest**2).sum() / ((n - 1) * (m - 1)) / n)
    means = scores.mean(axis=0)
    return stats.studentized_range.sf(np.abs(means[:, None] - means) / error, m, (n - 1) * (m - 1))


@pytest.mark.parametrize("scores", [SYSTEMS, SCORED], ids=["Sakai", "12 × 4"])
def test_agrees_with_the_definition(scores):
    found = outcome_of(scores)
    np.testing.assert_allclose(found.pairwise, by_definition(scores), atol=1e-10)
    assert found.p == found.pairwise.min()


def test_queries_are_accounted_for():
    """scipy's test is for independent samples; the two-way one sees what the queries hide."""
    assert stats.tukey_hsd(*SYSTEMS.T).pvalue[0, 1] == pytest.approx(0.394, abs=1e-3)
    assert outcome_of(SYSTEMS).pairwise[0, 1] == pytest.approx(0.257, abs=1e-3)
    assert outcome_of(SYSTEMS).pairwise.shape == stats.tukey_hsd(*SYSTEMS.T).pvalue.shape


def test_with_two_systems_it_is_the_paired_t_test():
    t = parse_test("paired_t").compare(Pairs(SCORED[:, :1], SCORED[:, 1:2]))
    assert outcome_of(SCORED[:, :2]).p == pytest.approx(t.p[0], rel=1e-9)


def test_edges():
    base = np.linspace(0.1, 0.5, 6)[:, None]
    same = outcome_of(np.repeat(base, 3, axis=1))
    assert (same.statistic, same.p, same.pairwise.tolist()) == (0, 1, [[1] * 3] * 3)
    shifted = outcome_of(base + np.array([0, 0.1, 0.1]))
    assert shifted.statistic == np.inf
    np.testing.assert_allclose(shifted.pairwise, [[1, 3 / 32, 3 / 32], [3 / 32, 1, 1], [3 / 32, 1, 1]])
    assert outcome_of(SCORED[:1]).pairwise.tolist() == [[1] * 4] * 4
    assert outcome_of(SCORED[:, :1]).pairwise.tolist() == [[1]]
    assert np.isnan(outcome_of(SCORED[:0]).pairwise).all()


@pytest.mark.parametrize("k", [2, 3, 10, 40])
@pytest.mark.parametrize("df", [1, 2, 10, 400, np.inf])
def test_the_studentised_range_agrees_with_scipy(k, df):
    q = np.array([0.01, 0.5, 2, 4, 8])
    np.testing.assert_allclose(chance_of_range(q, k, df), stats.studentized_range.sf(q, k, df), atol=1e-9)


@pytest.mark.parametrize("df", [1, 2, 3, 30, 1000])
def test_the_range_of_two_is_students_t(df):
    q = np.linspace(0, 20, 50)
    np.testing.assert_allclose(chance_of_range(q, 2, df), 2 * stats.t.sf(q / 2**0.5, df), atol=1e-12)


def test_the_range_keeps_its_shape():
    assert chance_of_range(np.full((300, 3), 2.0), 5, 20).shape == (300, 3)
    assert chance_of_range(np.array([0.0, 1e9]), 3, 5).tolist() == [1, pytest.approx(0, abs=1e-12)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", SCORES)
def test_false_alarms_over_all_pairs_are_as_many_as_promised(kind):
    assert 0.03 <= false_alarms_of_many("tukey_hsd", kind, 1500)[1] <= 0.065
