"""Residuals: the lowest and highest score over the grades of unjudged documents. All gradings tried, laws, then by hand."""

import random
from functools import cache
from itertools import product
from math import log2

import numpy as np
import pytest

import assay
from assay.evaluation.bands import NOT_ABOUT_QUALITY
from assay.metrics import residuals as _residuals
from assay.metrics.parsing import parse_metric
from assay.metrics.registry import all_metrics
from assay.metrics.residuals import BY_ENDS, BY_RELEVANCE, NOT_BOUNDS, residual_scores
from assay.views.grading import grade

from ._cases import CASES, TOP, Case, as_dicts, close
from .test_laws import NUMBERS, together

each = pytest.mark.parametrize("bound", NUMBERS, ids=str)


def viewed(cases, top=TOP):
    qrels, run = as_dicts(cases)
    return grade(assay.Run(run), assay.Qrels(qrels), assay.Policy(max_grade=top)).run


all_cases = cache(lambda: viewed(CASES))

# ---- all gradings tried

EXACT = [
    *(
        "precision@3",
        "recall",
        "recall@2",
        "capped_recall@2",
        "f1@3",
        "f(beta=2)@2",
        "hit@1",
        "mrr",
        "mrr@2",
        "err",
        "err@2",
    ),
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


@cache
def tried(top, n=40):
    """Cases, the scores of each under all its gradings, and its residuals."""
    rng = random.Random(top)
    names = EXACT + GRADED * (top == 1)
    found = []
    while len(found) < n:
        case = small_case(rng, top)
        gradings = list(every_grading(case, top))
        if len(gradings) > 100:
            continue
        policy = assay.Policy(max_grade=top)
        scores = assay.evaluate(*as_dicts(gradings), names, policy=policy)
        result = assay.evaluate(*as_dicts([case]), names, policy=policy, residuals=True)
        found.append((case, scores, result))
    return found


@pytest.mark.parametrize(
    ("name", "top"), [*((name, top) for name in EXACT for top in (1, 2)), *((name, 1) for name in GRADED)]
)
def test_no_grading_leads_beyond_the_bounds_and_some_lead_there(name, top):
    metric = parse_metric(name).name
    for case, scores, result in tried(top):
        band, values = result.residuals[metric], [*scores.array(metric), *result.array(metric)]
        assert not band.method, case
        assert (band.columns["min"].score[0], band.columns["max"].score[0]) == (close(min(values)), close(max(values))), case


def test_a_gain_for_each_grade_has_bounds_that_may_be_wide():
    """Not every gain between 0 and the largest is that of a grade."""
    name = "ndcg(gain={1: 3, 2: 1})@3"
    rng = random.Random(3)
    for _ in range(60):
        case = small_case(rng, 2)
        if len(gradings := list(every_grading(case, 2))) > 100:
            continue
        scores = assay.evaluate(*as_dicts(gradings), name).array(name)
        low, high = residuals(name, case.ranked, case.missed, max_grade=2)
        assert low - 1e-12 <= scores.min()
        assert scores.max() <= high + 1e-12


@pytest.mark.parametrize(
    "name", ["q_measure", "nerr@3", "rndcg", "compatibility(p=0.8)", "rbp(p=0.5, gain=query)", "g", "infap"]
)
def test_what_is_no_bound_says_so(name):
    band = assay.evaluate(*as_dicts([Case([1, None, 2])]), name, residuals=True).residuals[parse_metric(name).name]
    assert band.summary()["method"] == NOT_BOUNDS
    judged = assay.evaluate(*as_dicts([Case([1, 0, 2])]), name, residuals=True).residuals[parse_metric(name).name]
    assert (judged.width, judged.method) == (0, "")


def test_more_than_can_be_tried_is_two_scenarios(monkeypatch):
    run = viewed([Case([1, None, None])])
    assert not residual_scores(parse_metric("bpref"), run).method
    monkeypatch.setattr(_residuals, "MAX_ROWS", 8)
    assert residual_scores(parse_metric("bpref"), run).method == NOT_BOUNDS


def test_the_families_are_metrics_that_there_are():
    assert all_metrics().keys() >= BY_ENDS | BY_RELEVANCE
    assert not BY_ENDS & BY_RELEVANCE


# ---- laws


@each
def test_the_score_lies_between_its_bounds(bound):
    low, high, _ = residual_scores(bound, all_cases())
    scores = together().array(bound.name)
    assert ((low <= scores) & (scores <= high)).all()


@each
def test_where_everything_retrieved_is_judged_both_are_the_same(bound):
    judged = [Case([0 if given is None or given < 0 else given for given in case.ranked], case.missed) for case in CASES]
    low, high, method = residual_scores(bound, viewed(judged))
    assert low.tolist() == high.tolist()
    assert method == ""


@each
def test_all_within_the_cutoff_relevant_is_no_worse_than_the_best(bound):
    k = bound.params.get("k")
    answered = [
        Case([TOP if _is_open(place, given, k) else given for place, given in enumerate(case.ranked)], case.missed)
        for case in CASES
    ]
    low, high, _ = residual_scores(bound, all_cases())
    scores = assay.evaluate(*as_dicts(answered), [bound], policy=assay.Policy(max_grade=TOP)).array(bound.name)
    assert ((low <= scores + 1e-12) & (scores <= high + 1e-12)).all()


def _is_open(place, given, k):
    return (given is None or given < 0) and (k is None or place < k)


@pytest.mark.parametrize("name", ["map", "ndcg@5", "bpref", "recall@5"])
def test_queries_do_not_change_each_other(name):
    bound = parse_metric(name)
    low, high, _ = residual_scores(bound, all_cases())
    alone = [residual_scores(bound, viewed([case])) for case in CASES[:40]]
    assert np.concatenate([one.low for one in alone]).tolist() == low[:40].tolist()
    assert np.concatenate([one.high for one in alone]).tolist() == high[:40].tolist()


# ---- by hand


def residuals(metric, ranked, missed=(), **policy):
    """The lowest and highest score of one ranking, as evaluate gives them."""
    result = assay.evaluate(*as_dicts([Case(ranked, missed)]), metric, policy=assay.Policy(**policy), residuals=True)
    band = result.residuals[parse_metric(metric).name]
    return band.columns["min"].score[0], band.columns["max"].score[0]


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "low", "high"),
    [
        ("precision@5", [1, None, 0, None, 1, None], (), 2 / 5, 4 / 5),
        ("precision@5", [1, None], (), 1 / 5, 2 / 5),
        ("recall@10", [1, None, None], (1, 1), 1 / 3, 3 / 5),  # the ideal knows of the two as well
        ("recall@1", [1, None, None], (1,), 1 / 4, 1 / 2),  # at worst both below the cut are relevant
        ("map", [None, 1], (), 1 / 2, 1),
        ("map", [1, None], (1,), 1 / 2, 2 / 3),
        ("map", [2, None, None, None, None], (), (1 + 2 / 4 + 3 / 5) / 3, 1),  # at worst the last two are
        ("mrr", [None, 1], (), 1 / 2, 1),
        ("mrr@1", [None, 1], (), 0, 1),
        ("hit@1", [0, None], (1,), 0, 0),
        ("precision@2", [-1, 1], (), 1 / 2, 1),
        ("precision@1", [None], (0,), 0, 1),  # nothing is judged above 0: the grade is 1
        ("num_rel_ret", [None, 1, None], (), 1, 3),
        ("bpref", [None, 0, 1], (), 0, 1 / 2),
        ("rprec", [2, None, None, None, None], (), 1 / 3, 1),
        ("set_recall", [None], (1,), 0, 1 / 2),
        ("num_nonrel_judged_ret", [0, None], (), 1, 2),
        ("map(judged_only=true)", [None, 1], (), 1 / 2, 1),  # a document that is judged after all is not dropped
        ("ndcg@1", [1, None, None], (), 1, 1),
        ("ndcg@2", [1, None, None], (), 1 / (1 + 1 / log2(3)), 1),  # at worst the third belongs second
    ],
)
def test_residuals_by_hand(metric, ranked, missed, low, high):
    assert residuals(metric, ranked, missed) == (close(low), close(high))


def test_the_best_grade_may_lie_in_between():
    """1, then unjudged, then 1, on a scale to 2: with 1 between them the ranking is perfect, with 0 or 2 it is not."""
    low, high = residuals("ndcg", [1, None, 1], max_grade=2)
    assert high == close(1)
    assert low == close((1 + 2 / log2(3) + 1 / 2) / (2 + 1 / log2(3) + 1 / 2))


@pytest.mark.parametrize(
    ("metric", "policy", "low", "high"),
    [
        ("precision@2", {"rel": 3}, 0, 1 / 2),
        ("precision(rel=3)@2", {}, 0, 1 / 2),
        ("precision(rel=3)@2", {"rel": 5}, 0, 1 / 2),
        ("precision(rel=0)@2", {"rel": 5}, 1 / 2, 1),
        ("rbp(p=0.5)", {"rel": 3}, 0, 1 / 2),  # it has gains, but by default it asks for relevance alone
        ("rbp(p=0.5, rel=3)", {}, 0, 1 / 2),
        ("ndcg(rel=3)@2", {}, 0, 1),  # a level of its own: nothing below 3 gains anything
    ],
)
def test_the_assumed_grade_is_relevant_at_the_level_of_the_metric_or_the_policy(metric, policy, low, high):
    """The largest grade is 1; one unjudged document above it."""
    assert residuals(metric, [None, 1], **policy) == (low, high)


def test_a_level_above_every_grade_leaves_room_where_documents_are_unjudged():
    assert residuals("precision(rel=3)@3", [1, None, None]) == (0, close(2 / 3))
    assert residuals("precision(rel=3)@3", [1, 0, 1]) == (0, 0)


@pytest.mark.parametrize(
    ("metric", "low", "high"),
    [
        ("ndcg@10", 1, 1),
        ("ndcg(gain=exp)@10", 1, 1),
        ("dcg", 1, 1 + 1 / log2(3)),
        ("q_measure", 1, 1),
        ("compatibility", 1, 1),
        ("rbp(p=0.5, gain=query)", 1 / 2, 3 / 4),
        ("rbp(p=0.5, gain=scale, rel=5)", 1 / 2, 3 / 4),
        ("err", 1 / 2, 1 / 2 + 1 / 2 * 1 / 2 * 1 / 2),
        ("err(max_grade=4)", 1 / 16, 1 / 16 + 1 / 2 * 15 / 16 * 15 / 16),
        ("sdcg(max_grade=4)@2", 1 / 4 / (1 + 1 / log2(3)), (1 / 4 + 1 / log2(3)) / (1 + 1 / log2(3))),
    ],
)
@pytest.mark.parametrize("rel", [None, 5])
def test_the_level_of_the_policy_is_no_grade_for_metrics_that_weigh_grades(metric, low, high, rel):
    """Judged 1 and then unjudged, on binary judgments: the top of the scale is 1, or the metric's own."""
    assert residuals(metric, [1, None], rel=rel) == (close(low), close(high))


def test_condensed_rankings_hold_nothing_unjudged():
    assert residuals("precision@2", [None, 1], judged_only=True) == (1 / 2, 1 / 2)


def test_what_is_relevant_too_may_lower_a_score():
    """1 alone is as good as can be; with a 4 behind it, it stands in the way."""
    assert residuals("ndcg@2", [1, None], max_grade=4) == (close((1 + 4 / log2(3)) / (4 + 1 / log2(3))), 1)


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


def test_metrics_about_judgments_have_no_residuals():
    names = ["judged@5", "unjudged@5", "rbp_residual(p=0.5)", "map", "relstring"]
    result = assay.evaluate(*as_dicts([Case([1, None])]), names, residuals=True)
    assert list(result.residuals) == ["map"]
    assert {parse_metric(name).metric.name for name in names[:3]} == NOT_ABOUT_QUALITY


def test_the_summary_of_a_band():
    result = assay.evaluate(*as_dicts([Case([None, 1]), Case([1])]), ["mrr", "num_rel_ret"], residuals=True)
    assert result.to_dict()["residuals"] == {
        "mrr": {"min": 0.75, "max": 1.0},
        "num_rel_ret": {"min": 2.0, "max": 3.0},
    }
    assert result.residuals["mrr"].width == 0.25
