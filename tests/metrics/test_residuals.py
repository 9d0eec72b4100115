"""Residuals: the lowest and highest score over the grades of unjudged documents. All gradings tried, laws, then by hand."""

import random
from itertools import chain, product
from math import log2

import numpy as np

import assay
from assay.metrics import parse_metric, parse_metrics, residual_scores

from ._cases import CASES, TOP, Case, as_dicts, close
from ._ties import graded_cases
from .test_laws import NUMBERS, together

# ---- all gradings tried

EXACT = [
    *("precision@3", "recall", "recall@2", "capped_recall@2", "f1@3", "f(beta=2)@2", "hit@1", "mrr", "mrr@2", "err@2"),
    *("dcg@2", "dcg(gain=exp)", "ideal_dcg@2", "sdcg@3", "rbp(p=0.5)", "rbp(p=0.5, gain=scale)", "rbp(gain=grade)@2"),
    *("set_precision", "set_recall", "set_relative_precision", "set_map", "set_f", "utility", "utility.1,2,-3,0"),
    *("num_ret", "num_rel", "num_rel_ret", "num_rel_ret@2", "mean_rel_ret@2", "map", "map@2", "map(norm=min)@2", "gm_map"),
    *("map(judged_only=true)", "rprec", "rprec_mult@0.6", "bpref", "gm_bpref", "iprec@0.5", "iprec@0", "11pt_avg", "yaap"),
    *("bing", "num_nonrel_judged_ret", "ndcg", "ndcg@2", "ndcg(gain=exp)@3", "ndcg(gain=binary)", "ndcg(discount=jk2002)"),
    *("ndcg(ideal=uncut)@2", "ndcg(rel=1)@2"),
]
GRADED = [
    "q_measure",
    "nerr@3",
    "rndcg",
    "ndcg_rel",
    "compatibility(p=0.8)",
    "nerr8@3",
    "nerr9@3",
    "nerr10(p=0.5)",
    "nerr11",
]
"""Bounds are known where grades are 0 and 1."""


def small_case(rng, top):
    ranked = [rng.choice([None, None, -1, *range(top + 1)]) for _ in range(rng.randint(1, 6))]
    return Case(ranked, [rng.randint(0, top) for _ in range(rng.randint(0, 2))])


def every_grading(case, top):
    """The case with every unjudged document judged, in every way."""
    is_open = [given is None or given < 0 for given in case.ranked]
    for grades in product(range(top + 1), repeat=sum(is_open)):
        left = iter(grades)
        yield Case([next(left) if one else given for one, given in zip(is_open, case.ranked, strict=True)], case.missed)


def some_cases(seed, top, n):
    """Cases with all their gradings, where these are not too many."""
    rng = random.Random(seed)
    every = ((case, list(every_grading(case, top))) for case in (small_case(rng, top) for _ in range(n)))
    return [(case, gradings) for case, gradings in every if len(gradings) <= 100]


def test_no_grading_leads_beyond_the_bounds_and_some_lead_there():
    for top in (1, 2):
        cases, gradings = zip(*some_cases(top, top, 24), strict=True)
        policy = assay.Policy(max_grade=top)
        names = [bound.name for bound in parse_metrics(EXACT + GRADED * (top == 1))]
        scores = assay.evaluate(*as_dicts(chain.from_iterable(gradings)), names, policy=policy)
        result = assay.evaluate(*as_dicts(cases), names, policy=policy, residuals=True)
        start = np.cumsum([0, *map(len, gradings)])[:-1]
        for metric in names:
            band, given, every = result.residuals[metric], result.array(metric), scores.array(metric)
            assert not band.method, metric
            assert band.columns["min"].score == close(np.minimum(np.minimum.reduceat(every, start), given)), (metric, top)
            assert band.columns["max"].score == close(np.maximum(np.maximum.reduceat(every, start), given)), (metric, top)


def test_what_is_no_bound_says_so():
    for bound in parse_metrics(["q_measure", "nerr@3", "rndcg", "compatibility(p=0.8)", "rbp(p=0.5, gain=query)", "infap"]):
        band = assay.evaluate(*as_dicts([Case([1, None, 2])]), bound, residuals=True).residuals[bound.name]
        assert band.summary()["method"].startswith("two scenarios"), bound.name
        judged = assay.evaluate(*as_dicts([Case([1, 0, 2])]), bound, residuals=True).residuals[bound.name]
        assert (judged.width, judged.method) == (0, ""), bound.name


# ---- laws


def is_open(grade):
    return grade is None or grade < 0


FEW = CASES[::5]


def with_best_grade(k):
    """All that is unjudged within the cutoff has the top grade."""
    for case in FEW:
        ranked = [TOP if is_open(one) and (k is None or place < k) else one for place, one in enumerate(case.ranked)]
        yield Case(ranked, case.missed)


def test_scores_lie_between_their_bounds_and_so_does_what_the_best_grade_would_give():
    every = graded_cases(FEW)
    judged = graded_cases(Case([0 if is_open(given) else given for given in case.ranked], case.missed) for case in FEW)
    best = {
        k: assay.evaluate(*as_dicts(with_best_grade(k)), NUMBERS, policy=assay.Policy(max_grade=TOP))
        for k in (None, 5, 1000)
    }
    for bound in NUMBERS:
        low, high, _ = residual_scores(bound, every)
        scores, highest = together().array(bound.name)[::5], best[bound.params.get("k")].array(bound.name)
        assert ((low <= scores) & (scores <= high)).all(), bound.name
        assert ((low <= highest + 1e-12) & (highest <= high + 1e-12)).all(), bound.name
        low, high, method = residual_scores(bound, judged)  # where everything retrieved is judged both are the same
        assert (low.tolist(), method) == (high.tolist(), ""), bound.name


def test_queries_do_not_change_each_other():
    every, alone = graded_cases(CASES[:20]), [graded_cases([case]) for case in CASES[:20]]
    for bound in parse_metrics("map, ndcg@5, bpref, recall@5"):
        low, high, _ = residual_scores(bound, every)
        one_by_one = [residual_scores(bound, one) for one in alone]
        assert [(one.low[0], one.high[0]) for one in one_by_one] == list(zip(low, high, strict=True)), bound.name


# ---- by hand


def residuals(metric, ranked, missed=(), **policy):
    """The lowest and highest score of one ranking, as evaluate gives them."""
    result = assay.evaluate(*as_dicts([Case(ranked, missed)]), metric, policy=assay.Policy(**policy), residuals=True)
    band = result.residuals[parse_metric(metric).name]
    return band.columns["min"].score[0], band.columns["max"].score[0]


BY_HAND = [  # metric, grades down the ranking, grades of what was missed, lowest, highest; and a policy
    ("precision@2", [-1, 1], (), 1 / 2, 1),
    ("precision@1", [None], (0,), 0, 1),  # nothing is judged above 0: the grade is 1
    ("map(judged_only=true)", [None, 1], (), 1 / 2, 1),  # a document that is judged after all is not dropped
    ("ndcg@2", [1, None, None], (), 1 / (1 + 1 / log2(3)), 1),  # at worst the third belongs second
    # the largest grade is 1; the assumed grade is relevant at the level of the metric or the policy
    ("precision@2", [None, 1], (), 0, 1 / 2, {"rel": 3}),
    ("precision(rel=3)@2", [None, 1], (), 0, 1 / 2, {"rel": 5}),
    ("precision(rel=0)@2", [None, 1], (), 1 / 2, 1, {"rel": 5}),
    ("rbp(p=0.5)", [None, 1], (), 0, 1 / 2, {"rel": 3}),  # it has gains, but by default it asks for relevance alone
    ("ndcg(rel=3)@2", [None, 1], (), 0, 1),  # a level of its own: nothing below 3 gains anything
    # with 1 between them the ranking is perfect, with 0 or 2 it is not: the best grade may lie in between
    ("ndcg", [1, None, 1], (), (1 + 2 / log2(3) + 1 / 2) / (2 + 1 / log2(3) + 1 / 2), 1, {"max_grade": 2}),
    ("precision@2", [None, 1], (), 1 / 2, 1 / 2, {"judged_only": True}),  # condensed rankings hold nothing unjudged
]
OF_GRADES = [  # metric that weighs grades, lowest and highest of a judged 1 and an unjudged document; whatever the level
    ("ndcg(gain=exp)@10", 1, 1),
    ("rbp(p=0.5, gain=scale, rel=5)", 1 / 2, 3 / 4),
    ("err(max_grade=4)", 1 / 16, 1 / 16 + 1 / 2 * 15 / 16 * 15 / 16),
    ("sdcg(max_grade=4)@2", 1 / 4 / (1 + 1 / log2(3)), (1 / 4 + 1 / log2(3)) / (1 + 1 / log2(3))),
]


def test_residuals_by_hand():
    for metric, ranked, missed, low, high, *policy in BY_HAND:
        found = residuals(metric, ranked, missed, **(policy[0] if policy else {}))
        assert found == (close(low), close(high)), (metric, ranked)
    for metric, low, high in OF_GRADES:
        for rel in (None, 5):
            assert residuals(metric, [1, None], rel=rel) == (close(low), close(high)), (metric, rel)


def test_the_top_of_the_scale_is_that_of_all_judgments():
    """Query 2 knows of a 3, so an unjudged document of query 1 may be one, and what was perfect no longer is."""
    qrels, run = {"1": {"a": 1}, "2": {"z": 3}}, {"1": ["a", "u"], "2": ["z"]}
    result = assay.evaluate(qrels, run, "ndcg@10", residuals=True)
    lower = (1 + 3 / log2(3)) / (3 + 1 / log2(3))
    assert result.residuals["ndcg@10"].columns["min"].score.tolist() == [close(lower), 1]
    plain = result.to_dict()["residuals"]["ndcg@10"]
    assert list(plain.items()) == [("min", close((lower + 1) / 2)), ("max", close(1.0))]
    assert f"{plain['min']:.3f}" == "0.898"
    assert result.residuals["ndcg@10"].width == close((1 - lower) / 2)


def test_the_summary_of_a_band():
    names = ["judged@5", "unjudged@5", "rbp_residual(p=0.5)", "mrr", "num_rel_ret", "relstring"]  # some have no residuals
    result = assay.evaluate(*as_dicts([Case([None, 1]), Case([1])]), names, residuals=True)
    assert result.to_dict()["residuals"] == {"mrr": {"min": 0.75, "max": 1.0}, "num_rel_ret": {"min": 2.0, "max": 3.0}}
    assert result.residuals["mrr"].width == 0.25
