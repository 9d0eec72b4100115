from itertools import permutations, product

import numpy as np
import pytest

from assay.errors import BadParameter
from assay.stats.catalog import resampling as module
from assay.stats.significance import Field, Pairs, parse_test

from ._null import SCORES, false_alarms_of_many
from ._sakai import SYSTEMS

FEW = np.array([[0.1, 0.3, 0.2], [0.5, 0.9, 0.4], [0.2, 0.2, 0.1]])


def outcome_of(scores, resamples=10_000, seed=0):
    return parse_test(f"randomized_tukey_hsd(resamples={resamples})").compare_many(Field(np.asarray(scores, float), seed))


def enumerated(scores):
    """Every way to deal each query's scores, the first query's included, one by one."""
    deals = [np.sum(deal, axis=0) for deal in product(*(list(permutations(row)) for row in scores))]
    ranges = np.array([deal.max() - deal.min() for deal in deals])
    sums = scores.sum(axis=0)
    return np.array([[np.mean(ranges >= abs(one - other) - 1e-9) for other in sums] for one in sums])


@pytest.mark.parametrize("scores", [FEW, FEW[:2], FEW[:, :2]], ids=["3 × 3", "2 × 3", "3 × 2"])
def test_few_scores_are_dealt_in_every_way(scores):
    np.testing.assert_allclose(outcome_of(scores).pairwise, enumerated(scores))


def test_by_hand():
    """Two queries, two systems, b above by 1 and by 2: of four deals two have a gap of 3."""
    assert outcome_of([[0, 1], [0, 2]]).pairwise[0, 1] == 0.5
    assert outcome_of([[0, 1], [0, 2]]).statistic == 1.5


def test_random_deals_come_close_to_all_deals(monkeypatch):
    exact = outcome_of(FEW).pairwise
    monkeypatch.setattr(module, "log", lambda _: 1.0)  # (n - 1) · 1 > 1: never few enough
    random = outcome_of(FEW, 20_000).pairwise
    np.testing.assert_allclose(random, exact, atol=0.015)


def test_sakais_scores():
    """Comparing floats without a tolerance gives 0.264 or 0.251: gaps that are equal on paper differ in their last bits."""
    found = outcome_of(SYSTEMS, 50_000).pairwise
    assert found[0, 1] == pytest.approx(0.302, abs=0.006)
    assert found[0, 2] == pytest.approx(0.107, abs=0.005)


@pytest.mark.parametrize("factor", [1, 1 / 3, 0.7, 1e-300, 1e300])
def test_equal_gaps_stay_equal_at_any_scale(factor):
    np.testing.assert_array_equal(outcome_of(SYSTEMS * factor, 2000).pairwise, outcome_of(SYSTEMS, 2000).pairwise)


def test_with_two_systems_it_is_fishers_randomisation_test():
    two = SYSTEMS[:10, :2]
    p = parse_test("randomization").compare(Pairs(two[:, :1], two[:, 1:])).p[0]
    assert outcome_of(two).p == pytest.approx(p, rel=1e-12)


def test_the_seed_decides_and_nothing_else(monkeypatch):
    once = outcome_of(SYSTEMS, 500).pairwise
    assert outcome_of(SYSTEMS, 500).pairwise.tolist() == once.tolist()
    assert outcome_of(SYSTEMS, 500, seed=1).pairwise.tolist() != once.tolist()
    monkeypatch.setattr(module, "BLOCK_CELLS", 1000)
    assert outcome_of(SYSTEMS, 500).pairwise.tolist() == once.tolist()


def test_more_deals_begin_with_the_same_ones():
    within = SYSTEMS - SYSTEMS.mean(axis=1, keepdims=True)
    assert (
        module._ranges_of_random_deals(within, 100, 0).tolist()
        == module._ranges_of_random_deals(within, 300, 0)[:100].tolist()
    )


def test_p_is_never_zero():
    assert outcome_of(SYSTEMS + np.array([0, 5, 9]), 99).p == 1 / 100


def test_edges():
    same = outcome_of(np.repeat(SYSTEMS[:, :1], 3, axis=1), 99)
    assert (same.statistic, same.p, same.pairwise.tolist()) == (0, 1, [[1] * 3] * 3)
    assert outcome_of(SYSTEMS[:1]).pairwise.tolist() == [[1] * 3] * 3
    assert outcome_of(SYSTEMS[:, :1]).p == 1
    assert np.isnan(outcome_of(SYSTEMS[:0]).pairwise).all()
    with pytest.raises(BadParameter, match="resamples"):
        outcome_of(SYSTEMS, 0)


@pytest.mark.parametrize("kind", SCORES)
def test_false_alarms_over_all_pairs_are_as_many_as_promised(kind):
    assert 0.03 <= false_alarms_of_many("randomized_tukey_hsd(resamples=399)", kind)[1] <= 0.07
