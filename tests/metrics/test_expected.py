"""Expected scores and tie bands against brute force: every order of every group of equals, scored one by one."""

from functools import cache
from itertools import chain, permutations, product
from math import log2, prod
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.metrics.parsing import parse_metrics
from assay.metrics.ties import N_SAMPLED, tie_band
from assay.views.grading import grade

from ._cases import CASES, TOP, Case, as_dicts, close
from .test_laws import NUMBERS, together

MORE = parse_metrics(
    [
        *("precision@1,2,3", "precision(over=retrieved)@3", "precision(rel=2)@3", "precision(judged_only=true)@2"),
        *("recall@2", "recall(rel=0)@2", "recall(judged_only=true)@2", "capped_recall@2", "capped_recall(rel=2)@1", "f1@2"),
        *("hit@1", "hit(rel=2)@2", "hit(judged_only=true)@1", "mrr@2", "mrr(rel=2)", "mrr(judged_only=true)@3"),
        *("map@2", "map@3", "map(rel=2)", "map(rel=0)", "map(norm=min)@2", "map(judged_only=true)@2", "rprec(rel=2)"),
        *("rprec(judged_only=true)", "ndcg@1,2,3", "ndcg(gain=exp)@3", "ndcg(discount=jk2002)@3", "ndcg(rel=2)@3"),
        *("ndcg(ideal=uncut)@2", "ndcg(judged_only=true)@2", "dcg(gain=binary)@2", "rbp(p=0.5, rel=2)@3"),
        *("rbp(p=0.9, gain=grade)", "rbp(p=0.5, gain=query)@2", "rbp_residual(p=0.5, complete=zero)", "rbp_residual(p=0.9)"),
        *("judged@1,2,3", "unjudged@1,2,3", "num_rel_ret@2", "iprec@0.3", "err@2", "q_measure@2", "bpref(rel=2)"),
    ]
)
GAIN_MAPS = parse_metrics(["ndcg(gain={1: 9, 2: 1})@2", "dcg(gain={0: 2, 1: 9, 2: 1})@3"])
"""Gains that do not grow with the grade."""
SOME = parse_metrics(
    [
        *("err", "nerr@3", "q_measure", "bpref", "bing", "map"),
        *("compatibility", "inst", "infap", "11pt_avg", "g", "bpm@5", "rndcg", "ndcg_rel", "nerr10"),
    ]
)
"""With and without a closed form; each draws as the others do, and so does every query."""
OF_RETRIEVED = parse_metrics("ndcg(ideal=retrieved)@1,2,3")
"""The ideal grows with what enters the first k."""
METRICS = list({bound.name: bound for bound in (*NUMBERS, *MORE, *GAIN_MAPS, *OF_RETRIEVED)}.values())
CLOSED = [bound for bound in METRICS if bound.metric.expected and bound not in OF_RETRIEVED]
MONOTONE = [bound for bound in METRICS if bound.metric.is_monotone and bound not in (*GAIN_MAPS, *OF_RETRIEVED)]
POLICY = assay.Policy(max_grade=TOP)


def tied(*cases):
    """Judgments and a run: for each query the grades of each group of equals, best group first, and those not retrieved."""
    qrels, run = {}, {}
    for number, (groups, missed) in enumerate(cases):
        docs = {(place, nth): given for place, group in enumerate(groups) for nth, given in enumerate(group)}
        judged = {f"{place}.{nth}": given for (place, nth), given in docs.items() if given is not None}
        qrels[f"q{number}"] = judged | {f"missed{nth}": given for nth, given in enumerate(missed)}
        run[f"q{number}"] = {f"{place}.{nth}": float(-place) for place, nth in docs}
    return qrels, run


def orders(groups):
    """Every ranking the ties allow, as grades; orders that look alike are listed as often as they occur."""
    return [list(chain.from_iterable(choice)) for choice in product(*map(permutations, groups))]


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


def random_ties(seed, n, longest=7):
    """Several groups of one to five equals, not too many orders."""
    rng = Random(seed)
    found = []
    while len(found) < n:
        sizes = [rng.randint(1, 5) for _ in range(rng.randint(1, 4))]
        if sum(sizes) <= longest and prod(prod(range(1, size + 1)) for size in sizes) <= 720:
            groups = [rng.choices((None, None, -1, 0, 1, 1, 2, TOP), k=size) for size in sizes]
            found.append((groups, rng.choices((0, 1, 2, TOP), k=rng.choice((0, 0, 1, 3)))))
    return found


TIES = random_ties(8, 36)


@cache
def view():
    """All cases, graded."""
    qrels, run = tied(*TIES)
    return grade(assay.Run(run), assay.Qrels(qrels), POLICY).run


bands = cache(lambda: {bound.name: tie_band(bound, view()) for bound in METRICS})
one_each = pytest.mark.parametrize("bound", METRICS, ids=str)


# ---- means


@pytest.mark.parametrize("bound", CLOSED, ids=str)
def test_the_closed_form_is_the_mean_over_all_orders(bound):
    assert bound.expected(view()) == close(truth(bound)[1])


def test_which_metrics_have_a_closed_form():
    named = {bound.metric.name for bound in CLOSED}
    assert named == {
        *("precision", "recall", "capped_recall", "f", "hit", "mrr", "map", "rprec", "ndcg", "dcg", "rbp", "rbp_residual"),
        *("judged", "unjudged", "err", "nerr", "sdcg", "num_rel_ret", "rprec_mult", "gm_map", "bpref", "gm_bpref", "bing"),
        *("q_measure", "mean_rel_ret"),
    }
    assert all(bound.expected(view()) is None for bound in OF_RETRIEVED)


@given(
    groups=st.lists(
        st.lists(st.sampled_from([None, -1, 0, 1, 2, TOP]), min_size=1, max_size=4), min_size=1, max_size=3
    ).filter(lambda groups: sum(map(len, groups)) <= 6),
    missed=st.lists(st.sampled_from([0, 1, TOP]), max_size=2),
)
@settings(max_examples=30)
def test_the_closed_form_of_any_ties(groups, missed):
    cases = [Case(order, missed) for order in orders(groups)]
    wanted = assay.evaluate(*as_dicts(cases), CLOSED, policy=POLICY)
    found = assay.evaluate(*tied((groups, missed)), CLOSED, policy=assay.Policy(max_grade=TOP, ties="expected"))
    for bound in CLOSED:
        assert found.array(bound.name)[0] == close(wanted.array(bound.name).mean()), bound.name


by_policy = cache(lambda: assay.evaluate(*tied(*TIES), METRICS, policy=assay.Policy(max_grade=TOP, ties="expected")))


@one_each
def test_the_policy_gives_the_mean_or_an_estimate_of_it(bound):
    low, mean, high = truth(bound)
    found = by_policy().array(bound.name)
    if bound in CLOSED:
        assert found == close(mean)
    else:  # the mean of N_SAMPLED orders: five standard errors of it are at most a quarter of the range
        assert (np.abs(found - mean) <= 5 / 2 / N_SAMPLED**0.5 * (high - low) + 1e-12).all()


def expected_scores(metrics, qrels, run):
    """Query → its scores under every metric, as bytes: equal to the last digit or not at all."""
    result = assay.evaluate(qrels, run, metrics, policy=assay.Policy(max_grade=TOP, ties="expected"))
    columns = [result.array(bound.name) for bound in metrics]
    return {
        query: np.array(row).tobytes() for query, row in zip(result.table.query_ids, zip(*columns, strict=True), strict=True)
    }


@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
@settings(max_examples=6, deadline=None)
def test_a_query_scores_the_same_alone_in_company_and_in_any_order(seed, chance):
    """To the last digit, sampled or not; whatever the order of queries and of documents, judged or retrieved."""
    qrels, run = tied(*random_ties(seed, 3))
    together = expected_scores(SOME, qrels, run)
    alone = {query: expected_scores(SOME, {query: qrels[query]}, {query: run[query]})[query] for query in qrels}
    assert together == alone
    assert expected_scores(SOME, shuffled(qrels, chance), shuffled(run, chance)) == together


def shuffled(table, chance):
    """The same table with its rows, and the entries of each, in another order."""
    rows = {query: dict(chance.sample(list(row.items()), len(row))) for query, row in table.items()}
    return dict(chance.sample(list(rows.items()), len(rows)))


@one_each
def test_each_query_scores_the_same_alone_under_every_metric(bound):
    qrels, run = tied(*TIES)
    wanted = by_policy().scores(bound.name)
    for query in ("q0", "q7", "q21"):
        policy = assay.Policy(max_grade=TOP, ties="expected")
        assert assay.evaluate({query: qrels[query]}, {query: run[query]}, bound, policy=policy)[bound] == close(
            wanted[query]
        )


as_expected = cache(lambda: assay.evaluate(*as_dicts(CASES), NUMBERS, policy=assay.Policy(max_grade=TOP, ties="expected")))


@pytest.mark.parametrize("bound", NUMBERS, ids=str)
def test_without_ties_nothing_changes(bound):
    assert as_expected().array(bound.name) == close(together().array(bound.name))


# ---- bands


@pytest.mark.parametrize("bound", MONOTONE, ids=str)
def test_the_ends_of_the_band_are_those_of_all_orders(bound):
    low, _, high = truth(bound)
    assert bands()[bound.name].ends_are_exact
    assert bands()[bound.name].low == close(low)
    assert bands()[bound.name].high == close(high)


@one_each
def test_a_band_holds_its_mean_and_lies_within_all_orders(bound):
    low, _, high = truth(bound)
    band = bands()[bound.name]
    assert band.mean_is_exact or bound not in CLOSED
    assert ((low - 1e-12 <= band.low) & (band.low <= band.high) & (band.high <= high + 1e-12)).all()
    slack = 1e-12 if bound in GAIN_MAPS else 0.0
    assert ((band.low - slack <= band.expected) & (band.expected <= band.high + slack)).all()


@pytest.mark.parametrize("bound", [bound for bound in METRICS if bound not in CLOSED], ids=str)
def test_sampled_bands_are_the_same_every_time(bound):
    assert all(map(np.array_equal, bands()[bound.name][:3], tie_band(bound, view())[:3]))


@one_each
def test_without_ties_a_band_has_no_width(bound):
    run = assay.Run({"q": {"a": 2.0, "x": 1.0, "b": 0.5}})
    band = tie_band(bound, grade(run, assay.Qrels({"q": {"a": 1, "b": TOP}}), POLICY).run)
    assert band.low == band.expected == band.high
    assert band.mean_is_exact
    assert band.ends_are_exact


# ---- by hand


@pytest.mark.parametrize(
    ("metric", "groups", "mean"),
    [
        ("precision@1", [[1, None, None, None]], 1 / 4),
        ("precision@3", [[0], [1, 1, None]], 4 / 3 / 3),  # two of the three equals are within, each with chance 2/3
        ("hit@1", [[1, 1, None, None]], 1 / 2),
        ("hit@2", [[1, 1, None, None]], 1 - 2 / 4 * 1 / 3),
        ("mrr", [[1, None, None, None]], (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4),
        ("mrr", [[1, 1, None]], (2 * 1 + 1 / 2) / 3),
        ("mrr@1", [[0, 1]], 1 / 2),
        ("map", [[1, 1, None]], (1 + (1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2) / 3),
        ("ndcg@1", [[2, 1, None]], (2 + 1) / 3 / 2),
        ("ndcg", [[1, None]], (1 + 1 / log2(3)) / 2),
        ("rprec", [[1, 1, None, None]], 1 / 2),
        ("rbp(p=0.5)", [[1, None]], 0.5 * (1 + 0.5) / 2),
        ("judged@1", [[0, None]], 1 / 2),
        ("err", [[1, None]], 1 / 2 * (1 + 1 / 2) / 2),  # it satisfies with 1/2, at rank 1 or 2
        ("err@1", [[1, None, None]], 1 / 2 / 3),
        ("err", [[2, 1]], (3 / 4 + 1 / 4 * 1 / 4 / 2 + 1 / 4 + 3 / 4 * 3 / 4 / 2) / 2),
        ("err", [[1], [1, None]], 1 / 2 + 1 / 2 * 1 / 2 * (1 / 2 + 1 / 3) / 2),
        ("nerr", [[2, 1]], (1 + (1 / 4 + 3 / 4 * 3 / 4 / 2) / (3 / 4 + 1 / 4 * 1 / 4 / 2)) / 2),
        ("q_measure", [[1, None]], (1 + 2 / 3) / 2),
        ("bpref", [[1, 0]], 1 / 2),
        ("bing", [[1, None]], (1 + 1 / log2(3)) / 2),
        ("rprec_mult@2", [[1, None, None]], 2 / 3 / 2),
        ("num_rel_ret@1", [[1, None, None]], 1 / 3),
        ("sdcg@1", [[1, None]], 1 / 2),
        ("judged@1", [[-1, None]], 1 / 2),
        ("unjudged@1", [[0, None, -1]], 2 / 3),
        ("precision(judged_only=true)@1", [[1, None, None, -1]], 1),
        ("precision(judged_only=true)@1", [[None], [1, None, 0]], 1 / 2),
    ],
)
def test_expected_scores_by_hand(metric, groups, mean):
    found = assay.evaluate(*tied((groups, ())), metric, policy=assay.Policy(ties="expected"))
    assert found[metric] == close(mean)


def test_a_thousand_equals():
    """One relevant document anywhere among 1,000: the mean of 1 ÷ rank is the harmonic number over 1,000."""
    qrels, run = tied(([[1, *[None] * 999]], ()))
    found = assay.evaluate(qrels, run, ["mrr", "map", "recall@10", "hit@10"], policy=assay.Policy(ties="expected"))
    harmonic = sum(1 / rank for rank in range(1, 1001)) / 1000
    assert [found["mrr"], found["map"]] == [close(harmonic), close(harmonic)]
    assert [found["recall@10"], found["hit@10"]] == [close(0.01), close(0.01)]


def test_condensing_by_policy_and_by_parameter_agree():
    groups = [[1, None, 0, -1], [None, 2, 0]]
    by_policy = assay.evaluate(
        *tied((groups, ())), ["map", "mrr", "ndcg@2"], policy=assay.Policy(ties="expected", judged_only=True)
    )
    names = ["map(judged_only=true)", "mrr(judged_only=true)", "ndcg(judged_only=true)@2"]
    by_parameter = assay.evaluate(*tied((groups, ())), names, policy=assay.Policy(ties="expected"))
    assert list(by_policy.summary.values()) == close(list(by_parameter.summary.values()))
    assert by_policy["mrr"] == close(3 / 4)  # 1 and 0 first with like chance; the second group never matters


def test_text_is_shown_in_the_order_that_stands():
    result = assay.evaluate(*tied(([[1, 0]], ())), "relstring", policy=assay.Policy(ties="expected"))
    assert result.scores("relstring") == {"q0": "01"}


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input_order", "ranx"])
def test_each_tie_rule_lies_in_the_band(ties):
    result = assay.evaluate(*tied(*TIES), MONOTONE, policy=assay.Policy(max_grade=TOP, ties=ties))
    for bound in MONOTONE:
        scores, band = result.array(bound.name), bands()[bound.name]
        assert ((band.low - 1e-12 <= scores) & (scores <= band.high + 1e-12)).all(), bound.name


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
        with pytest.raises(assay.DataError, match=f"no rule to order them, change {metric} in 1 query: q0"):
            assay.evaluate(qrels, run, metric, policy=strict)
