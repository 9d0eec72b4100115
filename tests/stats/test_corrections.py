"""Corrections of p for many comparisons: against statsmodels, by hand, and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from tests._variants import for_each

from assay.stats import CORRECTIONS, correct, parse_correction

STATSMODELS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "holm_sidak": "holm-sidak",
    "hommel": "hommel",
    "sidak": "sidak",
    "hochberg": "simes-hochberg",
    "benjamini_hochberg": "fdr_bh",
    "benjamini_yekutieli": "fdr_by",
}
values = st.lists(st.floats(0, 1) | st.sampled_from([0, 0.01, 0.05, 1]), min_size=1, max_size=30)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # statsmodels' own, at p = 1
@for_each("method", STATSMODELS)
@for_each("n", [2, 20])
def test_agrees_with_statsmodels(method, n):
    generator = np.random.default_rng(n)
    for p in (generator.random(n), generator.random(n) ** 6, generator.choice([0, 0.01, 0.05, 1], n)):
        np.testing.assert_allclose(correct(p, method), multipletests(p, method=STATSMODELS[method])[1], rtol=1e-12)


@given(p=values)
def test_no_p_falls_and_the_order_stays(p):
    for method in CORRECTIONS:
        corrected = correct(p, method)
        assert (corrected >= p).all(), method
        assert (corrected <= 1).all(), method
        assert (np.diff(corrected[np.argsort(p, kind="stable")]) >= 0).all(), method


@for_each("method", CORRECTIONS)
def test_undefined_ones_do_not_count_and_one_or_none_stays_as_it_is(method):
    p = np.array([[0.01, np.nan], [0.02, 0.6]])
    corrected = correct(p, method)
    assert (corrected.shape, np.isnan(corrected[0, 1])) == ((2, 2), True)
    assert corrected[~np.isnan(p)].tolist() == correct([0.01, 0.02, 0.6], method).tolist()
    assert (correct([0.03], method), correct([], method).shape) == ([0.03], (0,))
    assert np.isnan(correct([np.nan, np.nan], method)).all()


@given(p=values)
def test_hommel_finds_no_less_than_hochberg_and_holm_sidak_no_less_than_holm(p):
    for finer, coarser in (("hommel", "hochberg"), ("hochberg", "holm"), ("holm_sidak", "holm"), ("sidak", "bonferroni")):
        assert (correct(p, finer) <= correct(p, coarser) + 1e-12).all()


def test_other_names_and_wrong_ones(snapshots):
    assert parse_correction("fdr_bh") is parse_correction("Benjamini-Hochberg") is CORRECTIONS["benjamini_hochberg"]
    assert correct([1e-18, 1, 1], "sidak")[0] == pytest.approx(3e-18, rel=1e-12)  # a tiny p keeps its digits
    assert correct([0.01, 0.04, 0.03], "none").tolist() == [0.01, 0.04, 0.03]
    cases = {f"p of {p}": lambda p=p: correct([0.1, p]) for p in (-0.1, 1.5, np.inf)}
    snapshots.check_errors("stats/corrections", {**cases, "unknown name": lambda: correct([0.1], "hom")})


def test_names_are_unambiguous_and_explained():
    names = [name for correction in CORRECTIONS.values() for name in (correction.name, *correction.aliases)]
    assert len(set(names)) == len(names)
    assert list(CORRECTIONS) == sorted(CORRECTIONS)
    assert all(correction.meaning and correction.title for correction in CORRECTIONS.values())
