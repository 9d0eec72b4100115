import numpy as np
import pytest
from scipy import stats

from assay.stats.numeric import group_sizes, shared_ranks
from assay.stats.significance import Field, parse_test

from ._null import SCORES, false_alarms_of_many
from ._sakai import SYSTEMS

SCORED = np.random.default_rng(10).random((12, 4)) + np.arange(4) * 0.1


def outcome_of(scores, settings=""):
    return parse_test(f"friedman({settings})").compare_many(Field(np.asarray(scores, float)))


@pytest.mark.parametrize("scores", [SYSTEMS, SCORED, SCORED[:3]], ids=["ties", "12 × 4", "3 × 4"])
def test_chi2_agrees_with_scipy(scores):
    found, wanted = outcome_of(scores, "statistic=chi2"), stats.friedmanchisquare(*scores.T)
    assert (found.statistic, found.p) == (pytest.approx(wanted.statistic), pytest.approx(wanted.pvalue))


@pytest.mark.parametrize("scores", [SYSTEMS, SCORED])
def test_f_follows_from_chi2(scores):
    n, m = scores.shape
    chi2 = outcome_of(scores, "statistic=chi2").statistic
    f = (n - 1) * chi2 / (n * (m - 1) - chi2)
    found = outcome_of(scores)
    assert found.statistic == pytest.approx(f)
    assert found.p == pytest.approx(stats.f.sf(f, m - 1, (m - 1) * (n - 1)))


def test_nemenyi_by_its_critical_difference():
    """Demšar's table: four classifiers at 0.05 differ from 2.569 · √(k (k + 1) ÷ 6 N) mean ranks up."""
    ranks = stats.rankdata(SCORED, axis=1).mean(axis=0)
    critical = 2.569 * np.sqrt(4 * 5 / (6 * 12))
    assert ((np.abs(ranks[:, None] - ranks) > critical) == (outcome_of(SCORED).pairwise < 0.05)).all()
    q = 2.569 * 2**0.5
    assert stats.studentized_range.sf(q, 4, np.inf) == pytest.approx(0.05, abs=1e-4)


def test_pairs_by_definition():
    ranks = stats.rankdata(SYSTEMS, axis=1).mean(axis=0)
    z = np.abs(ranks[:, None] - ranks) / np.sqrt(3 * 4 / (6 * 20))
    # scores such as 0.3 are tied here as they are on paper
    np.testing.assert_allclose(outcome_of(SYSTEMS).pairwise, stats.studentized_range.sf(z * 2**0.5, 3, np.inf), atol=1e-9)


def test_scores_of_any_scale_only_their_order_counts():
    assert outcome_of(np.exp(5 * SCORED)).pairwise.tolist() == outcome_of(SCORED).pairwise.tolist()
    assert outcome_of(SCORED * 1e300).p == outcome_of(SCORED).p


def test_edges():
    same = outcome_of(np.repeat(SCORED[:, :1], 3, axis=1))
    assert (same.statistic, same.p, same.pairwise.tolist()) == (0, 1, [[1] * 3] * 3)
    assert outcome_of(np.repeat(SCORED[:, :1], 3, axis=1), "statistic=chi2").p == 1
    alike = outcome_of(np.arange(3) + np.arange(4)[:, None] * 0.1)  # 1 2 3 on four queries
    assert (alike.statistic, alike.p) == (np.inf, pytest.approx(6.0**-3))
    assert outcome_of(SCORED[:1]).pairwise.tolist() == [[1] * 4] * 4
    assert outcome_of(SCORED[:, :1]).p == 1
    assert np.isnan(outcome_of(SCORED[:0]).pairwise).all()


def test_ranks_share_places():
    rows = np.array([[0.3, 0.1 + 0.2, 0.1], [3, 2, 1], [5, 5, 5]])
    assert shared_ranks(rows, np.full(3, 1e-12)).tolist() == [[2.5, 2.5, 1], [3, 2, 1], [2, 2, 2]]
    many = np.random.default_rng(0).integers(0, 9, (20, 30)).astype(float)
    np.testing.assert_array_equal(shared_ranks(many, np.zeros(20)), stats.rankdata(many, axis=1))
    assert shared_ranks(np.zeros((2, 0)), np.zeros(2)).shape == (2, 0)
    assert shared_ranks(np.zeros((0, 2)), np.zeros(0)).shape == (0, 2)
    assert group_sizes(np.array([3.0, 1, 3, 2]), 0).tolist() == [1, 1, 2]


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("settings", ["", "(statistic=chi2)"])
def test_false_alarms_are_as_many_as_promised(kind, settings):
    overall, pairs = false_alarms_of_many(f"friedman{settings}", kind, 2000)
    assert 0.035 <= overall <= 0.065
    assert pairs <= 0.065
