"""Plans without runs: the paired t-test and Sakai's topic set size design, against statsmodels."""

import math

import pytest
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower, TTestPower

from assay.errors import BadParameter
from assay.stats import anova_power, normal_power, plan_queries

CASES = [(0.05, 0.28, 0.8, 0.05), (0.1, 0.2, 0.9, 0.01), (0.02, 0.3, 0.7, 0.1)]


def chance(n, size, alpha):
    """The power of the paired t-test, from scipy's noncentral t."""
    return stats.nct.sf(stats.t.isf(alpha / 2, n - 1), n - 1, size * math.sqrt(n))


@pytest.mark.parametrize(("effect", "sd", "power", "alpha"), CASES)
@pytest.mark.parametrize("systems", [3, 5, 20])
def test_the_queries_needed_are_the_fewest_with_this_power(effect, sd, power, alpha, systems):
    alone, together, corrected = plan_queries(effect, sd, systems=systems, power=power, alpha=alpha)
    for design, level in ((alone, alpha), (corrected, alpha / math.comb(systems, 2))):
        assert chance(design.needed, effect / sd, level) >= power > chance(design.needed - 1, effect / sd, level)
    # Sakai's least favourable case: Σ (mean - grand mean)² = effect² ÷ 2, and the variance of one system is sd² ÷ 2
    size = effect / sd / math.sqrt(systems)
    total = FTestAnovaPower().solve_power(size, k_groups=systems, power=power, alpha=alpha)
    assert together.needed == math.ceil(total / systems)


def test_a_usual_case_is_that_of_statsmodels():
    (plan,) = plan_queries(0.05, 0.28)
    assert plan.needed == math.ceil(TTestPower().solve_power(0.05 / 0.28, power=0.8, alpha=0.05)) == 249


def test_the_anova_power_is_that_of_statsmodels():
    for n, systems in ((5, 2), (48, 5), (300, 12)):
        size = 0.1 / math.sqrt(2 * 0.04 * systems)
        theirs = FTestAnovaPower().power(size, n * systems, 0.05, systems)
        assert anova_power(n, 0.1, 0.04, systems) == pytest.approx(theirs, abs=1e-9)


def test_a_number_of_queries_has_a_chance_and_a_smallest_difference():
    (plan,) = plan_queries(0.05, 0.28, queries=48)
    assert plan.chance == normal_power(48, 0.28, 0.05)
    assert normal_power(48, 0.28, plan.detectable) == pytest.approx(0.8)
    (again,) = plan_queries(plan.detectable, 0.28)
    assert again.needed == 48
    assert plan_queries(queries=48)[0].needed is None
    assert plan.to_dict()["test"] == "paired_t"


def test_what_is_refused(snapshots):
    snapshots.check_errors(
        "stats/query_planning",
        {
            "nothing": lambda: plan_queries(),
            "no spread": lambda: plan_queries(0.1, 0.0),
            "no difference": lambda: plan_queries(0.0, 0.1),
            "one system": lambda: plan_queries(0.1, 0.1, systems=1),
            "too small": lambda: plan_queries(1e-9, 0.3),
            "power": lambda: plan_queries(0.1, 0.1, power=0.01),
        },
    )
    with pytest.raises(BadParameter):
        plan_queries(queries=1)
