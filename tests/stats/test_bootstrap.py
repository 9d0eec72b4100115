"""The paired bootstrap test: the seed's own loop, edge cases, false alarms."""

import numpy as np
import pytest
from scipy import stats

from assay.errors import BadParameter
from assay.stats import resampling
from assay.stats.resampling import index_blocks
from assay.stats.significance import Pairs, parse_test

from ._null import SCORES, false_alarms

METHODS = ["bootstrap", "bootstrap(method=studentised)"]


def outcome(differences, text="bootstrap", seed=0):
    differences = np.asarray(differences, dtype=float)
    columns = differences[:, np.newaxis] if differences.ndim == 1 else differences
    return parse_test(text).compare(Pairs(np.zeros_like(columns), columns, seed))


@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
def test_shift_is_the_loop_of_textbooks(alternative):
    differences = np.random.default_rng(0).normal(0.2, 1, 40)
    means = (differences - differences.mean())[np.concatenate(list(index_blocks(40, 4000, 0)))].mean(axis=1)
    observed = differences.mean()
    extreme = {"two_sided": np.abs(means) >= abs(observed), "greater": means >= observed, "less": means <= observed}[
        alternative
    ]
    found = outcome(differences, f"bootstrap(resamples=4000, alternative={alternative})")
    assert found.p[0] == (1 + extreme.sum()) / 4001
    assert found.statistic[0] == pytest.approx(observed)


@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
def test_studentised_is_the_loop_of_textbooks(alternative):
    differences = np.random.default_rng(1).normal(0.2, 1, 40)
    drawn = (differences - differences.mean())[np.concatenate(list(index_blocks(40, 4000, 0)))]
    t = stats.ttest_1samp(drawn, 0, axis=1).statistic
    observed = stats.ttest_1samp(differences, 0).statistic
    extreme = {"two_sided": np.abs(t) >= abs(observed), "greater": t >= observed, "less": t <= observed}[alternative]
    found = outcome(differences, f"bootstrap(method=studentised, resamples=4000, alternative={alternative})")
    assert found.p[0] == (1 + extreme.sum()) / 4001
    assert found.statistic[0] == pytest.approx(observed)


def test_sums_that_are_equal_count_as_equal():
    """Centred thirds of tenths are equal in exact arithmetic only."""
    whole = np.array([3, -1, 2, 2, -1, 1])
    sums = 6 * whole[np.concatenate(list(index_blocks(6, 3000, 0)))].sum(axis=1) - 6 * whole.sum()
    wanted = (1 + (np.abs(sums) >= 6 * whole.sum()).sum()) / 3001
    for scale in (0.1, 1 / 3, 1e-200, 1e200):
        assert outcome(whole * scale, "bootstrap(resamples=3000)").p[0] == wanted


@pytest.mark.parametrize("text", METHODS)
def test_edge_cases(text):
    assert outcome(np.zeros((30, 2)), text).p.tolist() == [1, 1]
    assert outcome([0.7], text).p[0] == 1
    assert np.isnan(outcome(np.empty((0, 2)), text).p).all()
    assert outcome(np.full(20, 0.1), text).p[0] == 1 / 10_001
    assert 1 / 10_001 <= outcome([0.1, 0.3], text).p[0] <= 1
    assert outcome([0.5, -0.5], text).p[0] == 1


def test_two_queries_are_no_evidence_when_studentised():
    assert outcome([0.1, 0.3], METHODS[1]).p[0] >= 0.49


@pytest.mark.parametrize("text", METHODS)
@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e250])
def test_scale_does_not_matter(text, scale):
    differences = np.random.default_rng(6).normal(0.3, 1, (25, 2))
    assert np.array_equal(outcome(differences * 2.0 ** np.round(np.log2(scale)), text).p, outcome(differences, text).p)


@pytest.mark.parametrize("text", METHODS)
def test_columns_do_not_disturb_each_other(text, monkeypatch):
    differences = np.random.default_rng(7).normal(0.1, 1, (30, 9))
    together = outcome(differences, text)
    alone = [outcome(differences[:, number], text).p[0] for number in range(9)]
    monkeypatch.setattr(resampling, "MAX_FIGURES_AT_ONCE", 8 * resampling.block_rows(30))
    pieces = outcome(differences, text)
    assert np.array_equal(together.p, alone)
    assert np.array_equal(together.p, pieces.p)
    assert np.array_equal(together.statistic, pieces.statistic)


@pytest.mark.slow
@pytest.mark.parametrize("text", METHODS)
@pytest.mark.parametrize("kind", SCORES)
def test_false_alarms_are_as_rare_as_promised(text, kind):
    assert 0.035 <= false_alarms(text, kind) <= 0.065


def test_a_method_it_does_not_know():
    with pytest.raises(BadParameter, match="shift, studentised"):
        parse_test("bootstrap(method=magic)")
    assert parse_test("bootstrap(method=studentized)").name == "bootstrap(method=studentised)"


@pytest.mark.parametrize("text", METHODS)
def test_p_is_never_below_that_of_as_many_coins(text):
    assert outcome([0.1] * 3, text).p == [2 / 2**3]
    assert outcome([0.1, 0.2], text).p >= [0.5]


def test_one_side_is_half_as_likely():
    assert outcome([0.1] * 3, "bootstrap(alternative=greater)").p == [1 / 2**3]


def test_too_few_queries_are_told_of():
    shift, studentised = map(parse_test, METHODS)
    assert shift.caution(29).startswith("The bootstrap finds too much with fewer than 30 queries, and here are 29:")
    assert shift.caution(30) == studentised.caution(10) == parse_test("paired_t").caution(3) == ""
    assert "thirty" in shift.test.assumes
