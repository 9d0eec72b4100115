"""Laws that hold for every test of the catalog; a new test is covered as soon as it is there."""

from dataclasses import replace

import numpy as np
import pytest
from tests._variants import for_each

from assay.stats import BoundTest, Field, Pairs, all_tests, parse_test

TESTS = list(all_tests().values())
OTHER_QUESTION = {"non_inferiority", "equivalence"}
"""Tests that are meant to come out for systems that are alike."""
QUICK = {"resamples": 300}
SIDES = ("two_sided", "greater", "less")


def _variants(test):
    """The test as it comes, and once for every word a parameter may be; quick where it resamples."""
    settings = {param.name: QUICK.get(param.name, param.default) for param in test.params}
    yield BoundTest(test, settings)
    for param in test.params:
        for choice in param.choices:
            if choice != param.default:
                yield BoundTest(test, settings | {param.name: choice})


BOUND = [bound for test in TESTS for bound in _variants(test)]
each_paired = for_each("bound", [bound for bound in BOUND if not bound.test.is_for_many])
each_many = for_each("bound", [bound for bound in BOUND if bound.test.is_for_many])

# Multiples of 1/64, so that sums and differences are exact and only the laws are put to the test.
GENERATOR = np.random.default_rng(0)
A, B = GENERATOR.integers(0, 65, (2, 24, 9)) / 64
B[:, 1] = A[:, 1]
B[:, 2] = A[:, 2] + 0.25
B[:, 3] = np.where(np.arange(24) < 3, A[:, 3] + 0.5, A[:, 3])
SCORES = GENERATOR.integers(0, 65, (24, 5)) / 64
SCORES[:, 4] = SCORES[:, 3]


def is_one_sided(bound):
    return bound.params.get("alternative", "two_sided") != "two_sided" or bound.test.name == "non_inferiority"


def from_side(bound, side):
    return replace(bound, params=dict(bound.params) | {"alternative": side})


# ---- two systems


@each_paired
def test_p_is_a_probability_and_how_much_was_drawn_is_known(bound):
    a, b = A.copy(), B.copy()
    outcome = bound.compare(Pairs(a, b))
    assert (a == A).all()  # what is given is not touched
    assert (b == B).all()
    assert outcome.p.shape == outcome.statistic.shape == (9,)
    assert ((outcome.p >= 0) & (outcome.p <= 1)).all()
    assert not np.isnan(outcome.statistic).any()
    draws = np.broadcast_to(outcome.draws, 9)
    if "resamples" not in bound.params:
        assert (draws == 0).all()
    elif bound.test.name == "randomization":  # few differences: all ways to change sides are counted
        assert draws.tolist() == [300 if changed > 24 else 0 for changed in np.count_nonzero(A != B, axis=0)]
    else:
        assert (draws == 300).all()


@each_paired
def test_it_says_whom_it_speaks_for(bound):
    """Everything points one way here, so that all tests agree; the mirror points the other way."""
    assert (bound.compare(Pairs(A, A + 0.25)).direction == 1).all()
    assert (bound.compare(Pairs(A + 0.25, A)).direction == -1).all()
    assert (bound.compare(Pairs(A, A)).direction == 0).all()
    one, other = bound.compare(Pairs(A, B)), bound.compare(Pairs(B, A))
    assert np.array_equal(other.direction, -one.direction)
    if bound.test.name != "non_inferiority":  # swapping the systems mirrors the answer
        turned = {"two_sided": "two_sided", "greater": "less", "less": "greater"}
        if "alternative" in bound.params:
            other = from_side(bound, turned[bound.params["alternative"]]).compare(Pairs(B, A))
        np.testing.assert_allclose(other.p, one.p, rtol=1e-9)


@each_paired
def test_identical_systems_do_not_differ(bound):
    """Nor do those that differ by rounding: 0.1 + 0.2 is not 0.3 to a computer."""
    if bound.test.name in OTHER_QUESTION:
        return
    p = bound.compare(Pairs(A, A)).p
    if bound.test.is_paired:
        assert (p == 1).all()
        assert bound.compare(Pairs(np.full((20, 1), 0.3), np.full((20, 1), 0.1 + 0.2))).p == [1]
    else:  # two samples of the same scores: on either side of nothing
        np.testing.assert_allclose(p, 0.5 if is_one_sided(bound) else 1)


@each_paired
def test_two_sides_are_harder_to_convince_than_one(bound):
    if bound.params.get("alternative") == "two_sided":
        both, greater, less = (from_side(bound, side).compare(Pairs(A, B)).p for side in SIDES)
        assert (both >= np.minimum(greater, less) - 1e-12).all()


@each_paired
def test_neither_a_constant_nor_scale_nor_other_columns_matter(bound):
    p = bound.compare(Pairs(A, B)).p
    np.testing.assert_allclose(bound.compare(Pairs(A + 3, B + 3)).p, p, rtol=1e-9)
    assert bound.compare(Pairs(A[:, ::-1], B[:, ::-1])).p[::-1].tolist() == p.tolist()
    assert [bound.compare(Pairs(A[:, [column]], B[:, [column]])).p[0] for column in range(9)] == p.tolist()
    for scale in (2.0**-900, 2.0**900):
        scaled = bound.compare(Pairs(A * scale, B * scale)).p
        assert not np.isnan(scaled).any()
        if bound.test.name not in OTHER_QUESTION:
            np.testing.assert_allclose(scaled, p, rtol=1e-9)


@each_paired
def test_few_queries_are_hardly_any_evidence(bound):
    none, one, two = (bound.compare(Pairs(A[:n], B[:n])) for n in range(3))
    assert none.p.shape == none.statistic.shape == (9,)
    assert np.isnan(none.p).all()
    assert (one.p >= 0.5).all() if is_one_sided(bound) else (one.p == 1).all()
    assert ((two.p > 0) & (two.p <= 1)).all()


@each_paired
def test_a_large_difference_is_found_and_the_same_everywhere_is_judged_and_not_divided_by(bound):
    if bound.test.name != "equivalence" and bound.params.get("alternative") != "less":
        assert (bound.compare(Pairs(A[:, 4:], B[:, 4:] + 10)).p < 0.01).all()
    p = bound.compare(Pairs(A, A + 0.25)).p
    assert ((p >= 0) & (p <= 1)).all()
    if bound.test.is_paired and bound.test.name != "equivalence":
        assert ((p == 1) if bound.params.get("alternative") == "less" else (p < 0.01)).all()


# ---- many systems


@each_many
def test_every_pair_has_its_p_and_every_system_its_standing(bound):
    outcome = bound.compare_many(Field(SCORES))
    assert outcome.pairwise.shape == (5, 5)
    assert (np.diag(outcome.pairwise) == 1).all()
    np.testing.assert_array_equal(outcome.pairwise, outcome.pairwise.T)
    assert all(0 <= figure <= 1 for figure in [outcome.p, *outcome.pairwise[~np.isnan(outcome.pairwise)]])
    assert outcome.standing[3] == outcome.standing[4]
    assert outcome.draws == bound.params.get("resamples", 0)
    assert (np.diff(bound.compare_many(Field(SCORES + np.arange(5))).standing) > 0).all()


@each_many
def test_identical_systems_do_not_differ_among_many_and_a_large_difference_is_found(bound):
    outcome = bound.compare_many(Field(np.repeat(SCORES[:, :1], 4, axis=1)))
    assert outcome.p == 1
    assert np.isin(outcome.pairwise[~np.isnan(outcome.pairwise)], 1).all()
    twins = bound.compare_many(Field(SCORES)).pairwise[3, 4]
    assert np.isnan(twins) or twins == 1
    outcome = bound.compare_many(Field(SCORES + np.array([0, 0, 10, 0, 0])))
    assert outcome.p < 0.01
    assert np.isnan(outcome.pairwise[2, 0]) or outcome.pairwise[2, 0] < 0.01


@each_many
def test_neither_a_constant_nor_hard_queries_nor_scale_matter_among_many(bound):
    one = bound.compare_many(Field(SCORES))
    for other in (SCORES + 3, SCORES + np.arange(24)[:, None], SCORES * 2.0**-900, SCORES * 2.0**900):
        np.testing.assert_allclose(bound.compare_many(Field(other)).pairwise, one.pairwise, rtol=1e-9)
    slack = 0.12 if "resamples" in bound.params else 1e-9  # deals are drawn for places, not for systems
    turned = bound.compare_many(Field(SCORES[:, ::-1]))
    assert turned.p == pytest.approx(one.p, abs=slack)
    np.testing.assert_allclose(turned.pairwise[::-1, ::-1], one.pairwise, atol=slack)


@each_many
def test_few_queries_and_few_systems(bound):
    assert np.isnan(bound.compare_many(Field(SCORES[:0])).p)
    assert bound.compare_many(Field(SCORES[:1])).p == bound.compare_many(Field(SCORES[:, :1])).p == 1
    assert 0 < bound.compare_many(Field(SCORES[:2])).p <= 1
    assert bound.compare_many(Field(SCORES[:, :0])).pairwise.shape == (0, 0)


# ---- records


def test_names_read_back_and_belong_to_one_test():
    for bound in BOUND:
        read = parse_test(bound.name)
        assert (read.name, dict(read.params)) == (bound.name, dict(bound.params))
    for test in TESTS:
        for alias in test.aliases:
            assert parse_test(alias).test is parse_test(alias.upper().replace("_", "-")).test is test, alias
    names = [name for test in TESTS for name in (test.name, *test.aliases)]
    assert len(set(names)) == len(names)


@for_each("test", TESTS)
def test_the_record_is_complete(test):
    assert (test.meaning[-1], test.assumes[-1]) == (".", ".")
    assert all((test.edge_cases, test.cite, *(param.meaning for param in test.params)))
    assert all(param.parse(str(param.default)) == param.default for param in test.params if param.default is not None)


def test_wrong_names_and_parameters(snapshots):
    words = ("wilcoxn", "paired_t(alternativ=less)", "bootstrap(method=magic)", "randomized_tukey_hsd(resamples=0)")
    snapshots.check_errors("stats/tests", {word: lambda word=word: parse_test(word) for word in words})
