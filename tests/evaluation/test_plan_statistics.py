"""Statistics of a plan: at the top or in the block of the seed, and what is wrong with them."""

import pytest

from assay import BadParameter
from assay.execution.plan_parts import Statistics

from ._small_plans import plan


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, Statistics("auto", "randomization", 0.05)),
        ({"confidence_intervals": True}, Statistics("auto", "randomization", 0.05)),
        ({"confidence_intervals": "bca", "significance_testing": "wilcoxon"}, Statistics("bca", "wilcoxon", 0.05)),
        ({"confidence_intervals": "t", "significance_testing": "yes"}, Statistics("t", "randomization", 0.05)),
        ({"confidence_intervals": "wilson", "significance_testing": "t"}, Statistics("wilson", "paired_t", 0.05)),
        ({"confidence_intervals": False, "significance_testing": "off", "alpha_level": 0.2}, Statistics(None, None, 0.2)),
    ],
)
def test_statistics_stand_at_the_top_or_in_the_block_of_the_seed(given, found):
    assert plan(statistical_analysis=given).statistics == found
    assert plan(retrieval_metrics={"statistical_analysis": given}).statistics == found


def test_statistics_at_the_top_win():
    block = {"statistical_analysis": {"alpha_level": 0.01, "confidence_intervals": "t"}}
    assert plan(statistical_analysis={"alpha_level": 0.1}, retrieval_metrics=block).statistics == Statistics(
        "t", "randomization", 0.1
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"confidence_intervals": "booststrap"},
            r"confidence_intervals is true, false or a name: .*Did you mean bootstrap\?",
        ),
        ({"confidence_intervals": 3}, "confidence_intervals is true or false, not 3"),
        ({"significance_testing": "magic"}, "significance_testing is true, false or a name: no test is called 'magic'"),
        ({"alpha_level": 0}, "alpha_level is a number above 0, not 0"),
        ({"alpha_level": 1}, "alpha_level is a number between 0 and 1, such as 0.05, not 1"),
        ({"alpha_level": "small"}, "alpha_level is a number above 0, not 'small'"),
        ({"alpha_level": float("nan")}, "alpha_level is a number above 0, not nan"),
    ],
)
def test_statistics_that_are_not_are_told(given, told):
    for content in ({"statistical_analysis": given}, {"retrieval_metrics": {"statistical_analysis": given}}):
        with pytest.raises(BadParameter, match=told):
            plan(**content)
