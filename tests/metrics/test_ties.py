"""Ties: expected scores, bands and which queries change, against every order of every group of equals, one by one."""

from functools import cache
from itertools import chain, groupby
from math import comb, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.metrics import N_SAMPLED, TieQuestion, changed_by_ties, parse_metric, parse_metrics, tie_band

from ._cases import CASES, TOP, Case, as_dicts, close
from ._ties import graded, orders, random_ties, tied
from .test_laws import NUMBERS, together

MORE = parse_metrics(
    [
        *("precision@1,2,3", "precision(over=retrieved)@3", "precision(rel=2)@3", "recall@2", "recall(rel=0)@2", "f1@2"),
        *("capped_recall@2", "hit@1", "hit(judged_only=true)@1", "mrr@2", "mrr(rel=2)", "map@2", "map(rel=0)"),
        *(
            "map(norm=min)@2",
            "map(norm=found)",
            "map(judged_only=true)@2",
            "rprec(rel=2)",
            "ndcg@1,2,3",
            "ndcg(discount=jk2002)@3",
        ),
        *("ndcg(rel=2)@3", "ndcg(ideal=uncut)@2", "ndcg(judged_only=true)@2", "dcg(gain=binary)@2", "rbp(p=0.5, rel=2)@3"),
        *("rbp(p=0.9, gain=grade)", "rbp(p=0.5, gain=query)@2", "rbp_residual(p=0.5, complete=zero)", "rbp_residual(p=0.9)"),
        *("judged@2", "unjudged@2", "num_rel_ret@2", "iprec@0.3", "err@2", "q_measure@2", "bpref(rel=2)"),
    ]
)
GAIN_MAPS = parse_metrics(["ndcg(gain={1: 9, 2: 1})@2", "dcg(gain={0: 2, 1: 9, 2: 1})@3"])
"""Gains that do not grow with the grade."""
SOME = parse_metrics(["err", "map", "compatibility", "infap", "bpm@5"])
"""With and without a closed form; each draws as the others do, and so does every query."""
OF_RETRIEVED = parse_metrics(["ndcg(ideal=retrieved)@1,2,3", "map(norm=found)@1,2"])
"""The ideal, or the divisor, grows with what enters the first k."""
OWN_RULE = {"lrap"}
"""Metrics with a rule for ties of their own, so that no order of ties gives their score."""
EVERY = {bound.name: bound for bound in (*NUMBERS, *MORE, *GAIN_MAPS, *OF_RETRIEVED)}.values()
METRICS = [bound for bound in EVERY if bound.metric.name not in OWN_RULE]
CLOSED = [bound for bound in METRICS if bound.metric.expected and bound not in OF_RETRIEVED]
MONOTONE = [bound for bound in METRICS if bound.metric.is_monotone and bound not in (*GAIN_MAPS, *OF_RETRIEVED)]
POLICY, EXPECTED = assay.Policy(max_grade=TOP), assay.Policy(max_grade=TOP, ties="expected")
FEWER = settings(max_examples=max(2, settings.default.max_examples // 8))
"""For tests whose examples take long."""
TIES = random_ties(8, 9)


@cache
def brute_force():
    """All metrics of all orders of all cases, and where the orders of each case begin."""
    every = [[Case(order, missed) for order in orders(groups)] for groups, missed in TIES]
    start = np.cumsum([0, *map(len, every)])[:-1]
    return assay.evaluate(*as_dicts(chain.from_iterable(every)), METRICS, policy=POLICY), start


def truth(bound):
    """Lowest, mean and highest score of each case over all its orders."""
    result, start = brute_force()
    scores = result.array(bound.name)
    mean = np.add.reduceat(scores, start) / np.diff([*start, len(scores)])
    return np.minimum.reduceat(scores, start), mean, np.maximum.reduceat(scores, start)


view = cache(lambda: graded(*tied(*TIES), TOP))
bands = cache(lambda: {bound.name: tie_band(bound, view()) for bound in METRICS})
by_policy = cache(lambda: assay.evaluate(*tied(*TIES), METRICS, policy=EXPECTED))


# ---- means


def test_the_expected_score_is_the_mean_over_all_orders_or_an_estimate_of_it():
    for bound in METRICS:
        low, mean, high = truth(bound)
        found = by_policy().array(bound.name)
        if bound in CLOSED:
            assert bound.expected(view()) == close(mean), bound.name
            assert found == close(mean), bound.name
        else:  # the mean of N_SAMPLED orders: five standard errors of it are at most a quarter of the range
            assert (np.abs(found - mean) <= 5 / 2 / N_SAMPLED**0.5 * (high - low) + 1e-12).all(), bound.name


def test_which_metrics_have_a_closed_form():
    named = {bound.metric.name for bound in CLOSED}
    assert named == {
        *("precision", "recall", "capped_recall", "f", "hit", "mrr", "map", "rprec", "ndcg", "dcg", "rbp", "rbp_residual"),
        *("judged", "unjudged", "err", "nerr", "sdcg", "num_rel_ret", "rprec_mult", "gm_map", "bpref", "gm_bpref", "bing"),
        *("q_measure", "mean_rel_ret", "rsum"),
    }
    assert all(bound.expected(view()) is None for bound in OF_RETRIEVED)


@FEWER
@given(
    groups=st.lists(
        st.lists(st.sampled_from([None, -1, 0, 1, 2, TOP]), min_size=1, max_size=4), min_size=1, max_size=3
    ).filter(lambda groups: sum(map(len, groups)) <= 5),
    missed=st.lists(st.sampled_from([0, 1, TOP]), max_size=2),
)
def test_the_closed_form_of_any_ties(groups, missed):
    cases = [Case(order, missed) for order in orders(groups)]
    every = assay.evaluate(*as_dicts(cases), CLOSED, policy=POLICY)
    found = assay.evaluate(*tied((groups, missed)), CLOSED, policy=EXPECTED)
    for bound in CLOSED:
        assert found.array(bound.name)[0] == close(every.array(bound.name).mean()), bound.name


def expected_scores(metrics, qrels, run):
    """Query → its scores under every metric, as bytes: equal to the last digit or not at all."""
    result = assay.evaluate(qrels, run, metrics, policy=EXPECTED)
    columns = [result.array(bound.name) for bound in metrics]
    return {
        query: np.array(row).tobytes() for query, row in zip(result.table.query_ids, zip(*columns, strict=True), strict=True)
    }


def shuffled(table, chance):
    """The same table with its rows, and the entries of each, in another order."""
    rows = {query: dict(chance.sample(list(row.items()), len(row))) for query, row in table.items()}
    return dict(chance.sample(list(rows.items()), len(rows)))


@FEWER
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_a_query_scores_the_same_alone_in_company_and_in_any_order(seed, chance):
    """To the last digit, sampled or not; whatever the order of queries and of documents, judged or retrieved."""
    qrels, run = tied(*random_ties(seed, 2))
    together = expected_scores(SOME, qrels, run)
    assert {query: expected_scores(SOME, {query: qrels[query]}, {query: run[query]})[query] for query in qrels} == together
    assert expected_scores(SOME, shuffled(qrels, chance), shuffled(run, chance)) == together


# ---- bands


def test_a_band_reaches_from_the_lowest_to_the_highest_of_all_orders():
    for bound in METRICS:
        low, _, high = truth(bound)
        band = bands()[bound.name]
        if bound in MONOTONE:
            assert band.ends_are_exact, bound.name
            assert (band.low, band.high) == (close(low), close(high)), bound.name
        assert band.mean_is_exact or bound not in CLOSED, bound.name
        assert ((low - 1e-12 <= band.low) & (band.low <= band.high) & (band.high <= high + 1e-12)).all(), bound.name
        slack = 1e-12 if bound in GAIN_MAPS else 0.0
        assert ((band.low - slack <= band.expected) & (band.expected <= band.high + slack)).all(), bound.name
    for bound in SOME:  # sampled ones are the same every time
        assert all(map(np.array_equal, bands()[bound.name][:3], tie_band(bound, view())[:3])), bound.name


def test_without_ties_nothing_changes_and_a_band_has_no_width():
    run = graded({"q": {"a": 1, "b": TOP}}, {"q": {"a": 2.0, "x": 1.0, "b": 0.5}}, TOP)
    as_expected = assay.evaluate(*as_dicts(CASES), NUMBERS, policy=EXPECTED)
    for bound in NUMBERS:
        assert as_expected.array(bound.name) == close(together().array(bound.name)), bound.name
    for bound in METRICS:
        band = tie_band(bound, run)
        assert band.low == band.expected == band.high, bound.name
        assert (band.mean_is_exact, band.ends_are_exact) == (True, True), bound.name


def test_each_tie_rule_lies_in_the_band():
    for ties in ("docid_desc", "docid_asc", "input_order", "ranx"):
        result = assay.evaluate(*tied(*TIES), MONOTONE, policy=assay.Policy(max_grade=TOP, ties=ties))
        for bound in MONOTONE:
            scores, band = result.array(bound.name), bands()[bound.name]
            assert ((band.low - 1e-12 <= scores) & (scores <= band.high + 1e-12)).all(), (bound.name, ties)


# ---- by hand

EXPECTED_BY_HAND = [  # metric, the grades of each group of equals, the mean over all orders
    ("precision@3", [[0], [1, 1, None]], 4 / 3 / 3),  # two of the three equals are within, each with chance 2/3
    ("hit@2", [[1, 1, None, None]], 1 - 2 / 4 * 1 / 3),
    ("map", [[1, 1, None]], (1 + (1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2) / 3),
    ("err", [[1], [1, None]], 1 / 2 + 1 / 2 * 1 / 2 * (1 / 2 + 1 / 3) / 2),
    ("nerr", [[2, 1]], (1 + (1 / 4 + 3 / 4 * 3 / 4 / 2) / (3 / 4 + 1 / 4 * 1 / 4 / 2)) / 2),
    ("bpref", [[1, 0]], 1 / 2),
    ("unjudged@1", [[0, None, -1]], 2 / 3),
    ("precision(judged_only=true)@1", [[None], [1, None, 0]], 1 / 2),
    # one relevant document anywhere among 1,000: the mean of 1 ÷ rank is the harmonic number over 1,000
    ("mrr", [[1, *[None] * 999]], sum(1 / rank for rank in range(1, 1001)) / 1000),
    ("recall@10", [[1, *[None] * 999]], 0.01),
    ("rsum", [[1, None]], 100 * (1 / 2 + 1 + 1)),
]


def test_expected_scores_by_hand():
    for metric, groups, mean in EXPECTED_BY_HAND:
        found = assay.evaluate(*tied((groups, ())), metric, policy=assay.Policy(ties="expected"))
        assert found[metric] == close(mean), (metric, groups)
    text = assay.evaluate(*tied(([[1, 0]], ())), "relstring", policy=assay.Policy(ties="expected"))
    assert text.scores("relstring") == {"q0": "01"}  # shown in the order that stands


def expected_err(group, top, metric="err"):
    """The err of equals on a scale up to `top`."""
    return assay.evaluate(*tied(([group], [top])), metric, policy=assay.Policy(ties="expected", max_grade=top))[metric]


def test_many_equals_with_many_stops_are_no_trouble():
    """80 perfect documents among 200 equals: how many of the first so many are perfect is hypergeometric."""

    def share(found, drawn):
        return comb(80, found) * comb(120, drawn - found) / comb(200, drawn)

    goes_on = [sum(share(n, place) * (1 / 16) ** n for n in range(min(place, 80) + 1)) for place in range(201)]
    for metric, k in (("err", 200), ("err@10", 10)):
        expected = sum((goes_on[rank - 1] - goes_on[rank]) / rank for rank in range(1, k + 1))
        assert expected_err([4] * 80 + [None] * 120, 4, metric) == close(expected), metric


def test_a_scale_so_long_that_a_document_hardly_ever_satisfies():
    """Next to nothing is lost to rounding: two equals at a chance of 2⁻⁴⁰ each, to nine digits of what they add up to."""
    chance = (2**1 - 1) / 2**40
    assert expected_err([1, 1], 40) == pytest.approx(chance * (1 + (1 - chance) / 2), rel=1e-9, abs=0)


def test_a_better_document_may_lower_ndcg_over_what_was_retrieved():
    """1, then a grade of 4 tied with one unjudged, k = 2: alone in the first two, the grade of 1 is as good as can be."""
    qrels, run = tied(([[1], [4, None]], ()))
    band = assay.evaluate(qrels, run, "ndcg(ideal=retrieved)@2", tie_band=True).tie_bands["ndcg(ideal=retrieved)@2"]
    assert band.columns["max"].score[0] == 1
    assert band.columns["min"].score[0] == close((1 + 4 / log2(3)) / (4 + 1 / log2(3)))
    assert band.method == f"over {N_SAMPLED} sampled orders, seed 0"


# ---- ties as faults


def test_ties_may_be_faults_where_they_change_a_score():
    qrels, run = tied(([[1, None], [2]], ()))
    strict = assay.Policy(ties="error")
    assert assay.evaluate(qrels, run, ["recall@2", "recall@3", "num_rel_ret"], policy=strict)["recall@3"] == 1
    for metric in ("mrr", "ndcg@2", "precision@1"):
        with pytest.raises(assay.DataError, match=f"^{metric} depends on .* in 1 query: q0"):
            assay.evaluate(qrels, run, metric, policy=strict)


# ---- which queries change

CHANGED = parse_metrics(
    [
        *("mrr", "ndcg@2", "recall@2", "iprec@0.5", "bpref", "num_ret", "yaap", "rndcg", "ndcg_rel", "judged@2"),
        *("infap", "g", "accuracy@2", "accuracy(rel=0)@2", "bpm(min_grade=-1)@2"),
        *("dcg(gain={0: 1, 2: 3})", "ndcg(ideal=retrieved)@2", "infap(rel=0)", "g(gain={0: 1, 1: 0})"),
    ]
)
GRADES = st.dictionaries(st.sampled_from("abcde"), st.sampled_from([-1, 0, 0, 1, 2]), min_size=1)
SCORES = st.dictionaries(st.sampled_from("abcdexyz"), st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=6)
EVERY = np.array([True, True])
MOST_EQUAL = 4
"""Documents with one score, so that the drawn orders are certain to be all there are."""


@FEWER
@given(GRADES, SCORES.filter(lambda scores: all(list(scores.values()).count(one) <= MOST_EQUAL for one in scores.values())))
def test_a_query_changes_where_two_orders_have_different_scores_and_its_band_a_width(grades, scores):
    ranked = sorted(scores, key=scores.get, reverse=True)
    every = orders([list(group) for _, group in groupby(ranked, key=scores.get)])
    queries = {f"q{number}": grades for number in range(len(every))}
    alone = assay.evaluate(queries, {f"q{number}": order for number, order in enumerate(every)}, CHANGED)
    run = graded({"q": grades}, {"q": scores})
    for metric, changed in zip(
        CHANGED, changed_by_ties([TieQuestion([one], EVERY[:1]) for one in CHANGED], run), strict=True
    ):
        found, band = alone.array(metric.name), tie_band(metric, run)
        assert changed.tolist() == [found.min() < found.max()] == (band.low < band.high).tolist(), metric.name


def test_documents_of_one_grade_about_different_subtopics_change_a_query():
    rows = [("q", "a", 1, "1"), ("q", "b", 1, "1"), ("q", "c", 1, "2"), ("r", "a", 1, "1"), ("r", "a", 0, "2")]
    run = {query: {"a": 2.0, "b": 1.0, "c": 1.0} for query in "qr"}
    bounds = [parse_metric(name) for name in ("map", "alpha_ndcg@2", "err_ia@2", "nrbp")]
    changed = changed_by_ties([TieQuestion([one], EVERY) for one in bounds], graded(rows, run))
    assert [one.tolist() for one in changed] == [[False, False], [True, False], [True, False], [True, False]]
