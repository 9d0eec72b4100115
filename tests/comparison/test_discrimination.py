"""Discriminative power: which share of system pairs each metric tells apart."""

import itertools

import numpy as np
import pytest
from scipy import stats

from assay.comparison import discriminative_power
from assay.errors import UsageError

from ._systems import tagged

RNG = np.random.default_rng(3)
HARD = RNG.random(30) / 2


def system(number):
    """A little better than the one before it: clearly by ndcg, with much noise by mrr, not at all by map."""
    better = HARD + number / 12
    return tagged(
        f"s{number}", {"ndcg": better + RNG.normal(0, 0.1, 30), "mrr": better + RNG.normal(0, 0.4, 30), "map": HARD}
    )


SYSTEMS = [system(number) for number in range(4)]


def test_pairs_of_a_paired_test_are_those_of_scipy():
    found = discriminative_power(SYSTEMS, test="paired_t")
    assert [metric.metric for metric in found.metrics] == ["ndcg", "mrr", "map"]
    for metric in found.metrics:
        theirs = {
            (a.name, b.name): stats.ttest_rel(a.array(metric.metric), b.array(metric.metric)).pvalue
            for a, b in itertools.combinations(SYSTEMS, 2)
        }
        expected = sorted((1.0 if np.isnan(p) else p for p in theirs.values()), reverse=True)
        assert metric.p == pytest.approx(expected)
        assert metric.share == pytest.approx(np.mean([p <= 0.05 for p in expected]))
    sharp, blunt, same = found.metrics
    assert sharp.n_apart > blunt.n_apart > same.n_apart == 0
    apart = [abs(pair.difference) for pair in sharp.pairs if pair.p <= 0.05]
    assert sharp.smallest_difference == min(apart)
    assert np.isnan(same.smallest_difference)


def test_by_default_p_accounts_for_all_pairs_and_order_does_not_matter():
    found, plain = discriminative_power(SYSTEMS), discriminative_power(SYSTEMS, test="paired_t")
    assert found.test == "randomized_tukey_hsd"
    assert found.metrics[0].n_apart <= plain.metrics[0].n_apart
    turned = [result.subset(queries=result.query_ids[::-1]) for result in SYSTEMS]
    assert discriminative_power(turned).to_dict() == found.to_dict()


def test_too_few_systems_or_no_test_of_pairs():
    with pytest.raises(UsageError):
        discriminative_power(SYSTEMS[:2])
    with pytest.raises(UsageError):
        discriminative_power(SYSTEMS, test="anova")
    with pytest.raises(UsageError):
        discriminative_power(SYSTEMS, test="non_inferiority(margin=0.1)")
