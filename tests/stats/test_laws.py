"""Laws that hold for every test of the catalog; a new test is covered as soon as it is there."""

from dataclasses import replace
from functools import cache

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
PAIRED = [bound for bound in BOUND if not bound.test.is_for_many]
MANY = [bound for bound in BOUND if bound.test.is_for_many]

each_test = for_each("test", TESTS)
each = for_each("bound", BOUND)
each_paired = for_each("bound", PAIRED)
each_many = for_each("bound", MANY)

# Multiples of 1/64, so that sums and differences are exact and only the laws are put to the test.
GENERATOR = np.random.default_rng(0)
A, B = GENERATOR.integers(0, 65, (2, 24, 9)) / 64
B[:, 1] = A[:, 1]
B[:, 2] = A[:, 2] + 0.25
B[:, 3] = np.where(np.arange(24) < 3, A[:, 3] + 0.5, A[:, 3])
SCORES = GENERATOR.integers(0, 65, (24, 5)) / 64
SCORES[:, 4] = SCORES[:, 3]


@cache
def together(bound_name):
    return by_name(bound_name).compare(Pairs(A, B))


def by_name(name):
    return next(bound for bound in BOUND if bound.name == name)


def is_one_sided(bound):
    return bound.params.get("alternative", "two_sided") != "two_sided" or bound.test.name == "non_inferiority"


def other_side(bound):
    """The same test asked from the other system's side."""
    turned = {"two_sided": "two_sided", "greater": "less", "less": "greater"}
    return replace(bound, params=dict(bound.params) | {"alternative": turned[bound.params["alternative"]]})


# ---- two systems


@each_paired
def test_p_is_a_probability(bound):
    outcome = together(bound.name)
    assert outcome.p.shape == outcome.statistic.shape == (9,)
    assert ((outcome.p >= 0) & (outcome.p <= 1)).all()
    assert not np.isnan(outcome.statistic).any()


@each_paired
def test_it_says_whom_it_speaks_for(bound):
    """Everything points one way here, so that all tests agree; the mirror points the other way."""
    better = bound.compare(Pairs(A, A + 0.25))
    assert (better.direction == 1).all()
    assert (bound.compare(Pairs(A + 0.25, A)).direction == -1).all()
    assert (bound.compare(Pairs(A, A)).direction == 0).all()
    assert np.array_equal(bound.compare(Pairs(B, A)).direction, -together(bound.name).direction)


@each_paired
def test_how_much_was_drawn_is_known(bound):
    draws = np.broadcast_to(together(bound.name).draws, 9)
    if "resamples" not in bound.params:
        assert (draws == 0).all()
    elif bound.test.name == "randomization":  # few differences (columns 1 and 3): all ways to change sides are looked at
        assert draws.tolist() == [0 if column in (1, 3) else 300 for column in range(9)]
    else:
        assert (draws == 300).all()


@each_paired
def test_identical_systems_do_not_differ(bound):
    if bound.test.name in OTHER_QUESTION:
        return
    p = bound.compare(Pairs(A, A)).p
    if bound.test.is_paired:
        assert (p == 1).all()
    else:  # two samples of the same scores: on either side of nothing
        np.testing.assert_allclose(p, 0.5 if is_one_sided(bound) else 1)


@each_paired
def test_a_difference_by_rounding_is_none(bound):
    """0.1 + 0.2 is not 0.3 to a computer."""
    if bound.test.is_paired and bound.test.name not in OTHER_QUESTION:
        a = np.full((20, 1), 0.3)
        assert bound.compare(Pairs(a, np.full((20, 1), 0.1 + 0.2))).p == [1]


@each_paired
def test_swapping_the_systems_mirrors_the_answer(bound):
    if bound.test.name == "non_inferiority":
        return
    turned = other_side(bound) if "alternative" in bound.params else bound
    np.testing.assert_allclose(turned.compare(Pairs(B, A)).p, together(bound.name).p, rtol=1e-9)


@each_paired
def test_two_sides_are_harder_to_convince_than_one(bound):
    if bound.params.get("alternative") == "two_sided":
        sides = [replace(bound, params=dict(bound.params) | {"alternative": side}) for side in SIDES]
        both, greater, less = (side.compare(Pairs(A, B)).p for side in sides)
        assert (both >= np.minimum(greater, less) - 1e-12).all()


@each_paired
def test_a_constant_added_to_both_changes_nothing(bound):
    np.testing.assert_allclose(bound.compare(Pairs(A + 3, B + 3)).p, together(bound.name).p, rtol=1e-9)


@each_paired
def test_the_order_of_columns_changes_nothing(bound):
    turned = bound.compare(Pairs(A[:, ::-1], B[:, ::-1]))
    assert turned.p[::-1].tolist() == together(bound.name).p.tolist()


@each_paired
def test_a_column_has_the_same_p_alone_and_in_company(bound):
    alone = [bound.compare(Pairs(A[:, [column]], B[:, [column]])).p[0] for column in range(9)]
    assert alone == together(bound.name).p.tolist()


@each_paired
def test_no_query_says_nothing(bound):
    outcome = bound.compare(Pairs(A[:0], B[:0]))
    assert outcome.p.shape == outcome.statistic.shape == (9,)
    assert np.isnan(outcome.p).all()


@each_paired
def test_a_single_query_is_no_evidence(bound):
    p = bound.compare(Pairs(A[:1], B[:1])).p
    assert (p >= 0.5).all() if is_one_sided(bound) else (p == 1).all()


@each_paired
def test_two_queries_are_hardly_any(bound):
    p = bound.compare(Pairs(A[:2], B[:2])).p
    assert ((p > 0) & (p <= 1)).all()


@each_paired
def test_a_large_difference_is_found(bound):
    if bound.test.name == "equivalence" or bound.params.get("alternative") == "less":
        return
    assert (bound.compare(Pairs(A[:, 4:], B[:, 4:] + 10)).p < 0.01).all()


@each_paired
def test_the_same_difference_everywhere_is_judged_and_not_divided_by(bound):
    p = bound.compare(Pairs(A, A + 0.25)).p
    assert ((p >= 0) & (p <= 1)).all()
    if bound.test.is_paired and bound.test.name != "equivalence":
        assert ((p == 1) if bound.params.get("alternative") == "less" else (p < 0.01)).all()


@each_paired
@for_each("scale", [2.0**-900, 2.0**900])
def test_huge_and_tiny_scores(bound, scale):
    if bound.test.name in OTHER_QUESTION:
        assert not np.isnan(bound.compare(Pairs(A * scale, B * scale)).p).any()
    else:
        np.testing.assert_allclose(bound.compare(Pairs(A * scale, B * scale)).p, together(bound.name).p, rtol=1e-9)


@each_paired
def test_what_is_given_is_not_touched(bound):
    a, b = A.copy(), B.copy()
    bound.compare(Pairs(a, b))
    assert (a == A).all()
    assert (b == B).all()


# ---- many systems


@each_many
def test_every_pair_has_its_p(bound):
    outcome = bound.compare_many(Field(SCORES))
    assert outcome.pairwise.shape == (5, 5)
    assert (np.diag(outcome.pairwise) == 1).all()
    np.testing.assert_array_equal(outcome.pairwise, outcome.pairwise.T)
    figures = [outcome.p, *outcome.pairwise[~np.isnan(outcome.pairwise)]]
    assert all(0 <= figure <= 1 for figure in figures)


@each_many
def test_every_system_has_its_standing(bound):
    outcome = bound.compare_many(Field(SCORES + np.arange(5)))
    assert (np.diff(outcome.standing) > 0).all()
    assert bound.compare_many(Field(SCORES)).standing[3] == bound.compare_many(Field(SCORES)).standing[4]
    assert outcome.draws == bound.params.get("resamples", 0)


@each_many
def test_identical_systems_do_not_differ_among_many(bound):
    outcome = bound.compare_many(Field(np.repeat(SCORES[:, :1], 4, axis=1)))
    assert outcome.p == 1
    assert np.isin(outcome.pairwise[~np.isnan(outcome.pairwise)], 1).all()
    twins = bound.compare_many(Field(SCORES)).pairwise[3, 4]
    assert np.isnan(twins) or twins == 1


@each_many
def test_a_constant_added_to_all_changes_nothing(bound):
    one, other = bound.compare_many(Field(SCORES)), bound.compare_many(Field(SCORES + 3))
    assert other.p == pytest.approx(one.p, rel=1e-9)
    np.testing.assert_allclose(other.pairwise, one.pairwise, rtol=1e-9)


@each_many
def test_hard_and_easy_queries_cancel(bound):
    one, other = bound.compare_many(Field(SCORES)), bound.compare_many(Field(SCORES + np.arange(24)[:, None]))
    np.testing.assert_allclose(other.pairwise, one.pairwise, rtol=1e-9)


@each_many
def test_the_order_of_systems_changes_nothing(bound):
    """But for luck: deals are drawn for places, not for systems."""
    slack = 0.12 if "resamples" in bound.params else 1e-9
    one, other = bound.compare_many(Field(SCORES)), bound.compare_many(Field(SCORES[:, ::-1]))
    assert other.p == pytest.approx(one.p, abs=slack)
    np.testing.assert_allclose(other.pairwise[::-1, ::-1], one.pairwise, atol=slack)


@each_many
def test_few_queries_and_few_systems(bound):
    assert np.isnan(bound.compare_many(Field(SCORES[:0])).p)
    assert bound.compare_many(Field(SCORES[:1])).p == 1
    assert 0 < bound.compare_many(Field(SCORES[:2])).p <= 1
    assert bound.compare_many(Field(SCORES[:, :1])).p == 1
    assert bound.compare_many(Field(SCORES[:, :0])).pairwise.shape == (0, 0)


@each_many
def test_a_large_difference_is_found_among_many(bound):
    outcome = bound.compare_many(Field(SCORES + np.array([0, 0, 10, 0, 0])))
    assert outcome.p < 0.01
    assert np.isnan(outcome.pairwise[2, 0]) or outcome.pairwise[2, 0] < 0.01


@each_many
@for_each("scale", [2.0**-900, 2.0**900])
def test_huge_and_tiny_scores_of_many(bound, scale):
    one, other = bound.compare_many(Field(SCORES)), bound.compare_many(Field(SCORES * scale))
    np.testing.assert_allclose(other.pairwise, one.pairwise, rtol=1e-9)


# ---- records


@each
def test_the_name_reads_back(bound):
    read = parse_test(bound.name)
    assert (read.name, dict(read.params)) == (bound.name, dict(bound.params))


@each_test
def test_the_record_is_complete(test):
    assert test.meaning.endswith(".")
    assert test.edge_cases
    assert test.assumes.endswith(".")
    assert test.cite


@each_test
def test_every_parameter_is_explained_and_has_a_default_it_can_read(test):
    for param in test.params:
        assert param.meaning
        assert param.parse(str(param.default)) == param.default


@each_test
def test_every_alias_leads_to_it(test):
    for alias in test.aliases:
        assert parse_test(alias).test is test
        assert parse_test(alias.upper().replace("_", "-")).test is test


def test_no_name_means_two_tests():
    names = [name for test in TESTS for name in (test.name, *test.aliases)]
    assert len(set(names)) == len(names)


def test_wrong_names_and_parameters(snapshots):
    words = ("wilcoxn", "paired_t(alternativ=less)", "bootstrap(method=magic)", "randomized_tukey_hsd(resamples=0)")
    snapshots.check_errors("stats/tests", {word: lambda word=word: parse_test(word) for word in words})
