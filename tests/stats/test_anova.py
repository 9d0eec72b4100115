import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import AnovaRM, anova_lm

from assay.stats.significance import Field, Pairs, parse_test

from ._null import SCORES, false_alarms_of_many
from ._sakai import SYSTEMS

SCORED = np.random.default_rng(8).random((12, 4)) + np.arange(4) * 0.1


def outcome_of(scores):
    return parse_test("anova").compare_many(Field(np.asarray(scores, float)))


def long(scores):
    """One row per score: query, system, score."""
    query, system = np.indices(scores.shape)
    return pd.DataFrame({"query": query.ravel(), "system": system.ravel(), "score": scores.ravel()})


@pytest.mark.parametrize("scores", [SYSTEMS, SCORED, SCORED[:2], SCORED[:, :2]], ids=["Sakai", "12 × 4", "2 × 4", "12 × 2"])
def test_agrees_with_statsmodels(scores):
    found = outcome_of(scores)
    wanted = anova_lm(ols("score ~ C(query) + C(system)", long(scores)).fit()).loc["C(system)"]
    assert (found.statistic, found.p) == (pytest.approx(wanted["F"], rel=1e-9), pytest.approx(wanted["PR(>F)"], rel=1e-9))


def test_agrees_with_repeated_measures():
    wanted = AnovaRM(long(SYSTEMS), "score", "query", within=["system"]).fit().anova_table.iloc[0]
    assert outcome_of(SYSTEMS).p == pytest.approx(wanted["Pr > F"], rel=1e-9)


def test_with_two_systems_it_is_the_paired_t_test():
    t = parse_test("paired_t").compare(Pairs(SCORED[:, :1], SCORED[:, 1:2]))
    found = outcome_of(SCORED[:, :2])
    assert (found.statistic, found.p) == (pytest.approx(t.statistic[0] ** 2), pytest.approx(t.p[0]))


def test_says_nothing_about_pairs():
    pairwise = outcome_of(SCORED).pairwise
    assert np.diag(pairwise).tolist() == [1] * 4
    assert np.isnan(pairwise[~np.eye(4, dtype=bool)]).all()


def test_edges():
    base = np.linspace(0.1, 0.5, 4)[:, None]
    same = outcome_of(np.repeat(base, 3, axis=1))
    assert (same.statistic, same.p) == (0, 1)
    shifted = outcome_of(base + np.array([0, 0.1, 0.3]))  # the same on every query: 6 orders each
    assert (shifted.statistic, shifted.p) == (np.inf, pytest.approx(6.0**-3))
    assert outcome_of(base + np.array([0, 0.1, 0.1])).p == pytest.approx(3.0**-3)
    assert outcome_of(SCORED[:1]).p == 1
    assert outcome_of(SCORED[:, :1]).p == 1
    assert np.isnan(outcome_of(SCORED[:0]).p)
    assert outcome_of(SCORED[:0]).pairwise.shape == (4, 4)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_scale_does_not_matter(scale):
    assert outcome_of(SCORED * scale).p == pytest.approx(outcome_of(SCORED).p)


@pytest.mark.parametrize("kind", SCORES)
def test_false_alarms_are_as_many_as_promised(kind):
    assert 0.035 <= false_alarms_of_many("anova", kind, 2000)[0] <= 0.065
