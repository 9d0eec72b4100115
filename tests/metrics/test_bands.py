"""Residual bands: what a score would be if the unjudged documents within the cutoff were relevant. Laws, then by hand."""

from functools import cache
from math import log2

import pytest

import assay
from assay.evaluation.bands import NOT_ABOUT_QUALITY
from assay.metrics._bands import residual_scores
from assay.metrics._parse import parse_metric
from assay.model.grading import grade

from ._cases import CASES, TOP, Case, as_dicts, close
from .test_laws import NUMBERS, together

each = pytest.mark.parametrize("bound", NUMBERS, ids=str)
with_cutoff = pytest.mark.parametrize("bound", [bound for bound in NUMBERS if bound.params.get("k")], ids=str)


def viewed(cases):
    qrels, run = as_dicts(cases)
    return grade(assay.Run(run), assay.Qrels(qrels), assay.Policy(max_grade=TOP)).run


all_cases = cache(lambda: viewed(CASES))


@each
def test_if_nothing_unjudged_is_relevant_the_score_is_the_score_itself(bound):
    no, _ = residual_scores(bound, all_cases())
    assert no.tolist() == together().array(bound.name).tolist()


@each
def test_where_everything_retrieved_is_judged_both_are_the_same(bound):
    judged = [Case([0 if given is None or given < 0 else given for given in case.ranked], case.missed) for case in CASES]
    no, yes = residual_scores(bound, viewed(judged))
    assert no == close(yes)


SHORTENED = [Case(case.ranked[:5], case.missed) for case in CASES if len(case.ranked) >= 5]
LENGTHENED = [Case([*case.ranked, None, -1, None], case.missed) for case in SHORTENED]


@with_cutoff
def test_documents_beyond_the_cutoff_do_not_matter(bound):
    """All cutoffs are 5; a negative grade is one more document that nobody judged."""
    for short, long in zip(*(residual_scores(bound, viewed(cases)) for cases in (SHORTENED, LENGTHENED)), strict=True):
        assert short == close(long)


@each
def test_it_is_what_a_judge_could_have_said(bound):
    """If all are relevant, the score is that with every unjudged document within the cutoff judged, at the top grade."""
    if bound.params.get("judged_only"):
        return
    k = bound.params.get("k")
    answered = [
        Case([TOP if _is_open(place, given, k) else given for place, given in enumerate(case.ranked)], case.missed)
        for case in CASES
    ]
    _, yes = residual_scores(bound, all_cases())
    wanted = assay.evaluate(*as_dicts(answered), [bound], policy=assay.Policy(max_grade=TOP)).array(bound.name)
    assert yes == close(wanted)


def _is_open(place, given, k):
    return (given is None or given < 0) and (k is None or place < k)


# ---- by hand


def residuals(metric, ranked, missed=(), **policy):
    """The scores of one ranking if nothing unjudged is relevant, and if all is, as evaluate gives them."""
    result = assay.evaluate(*as_dicts([Case(ranked, missed)]), metric, policy=assay.Policy(**policy), residuals=True)
    band = result.residuals[parse_metric(metric).name]
    return band.columns["no"].score[0], band.columns["yes"].score[0]


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "no", "yes"),
    [
        ("precision@5", [1, None, 0, None, 1, None], (), 2 / 5, 4 / 5),
        ("precision@5", [1, None], (), 1 / 5, 2 / 5),
        ("recall@10", [1, None, None], (1, 1), 1 / 3, 3 / 5),  # the ideal knows of the two as well
        ("recall@1", [1, None, None], (1,), 1 / 2, 1 / 2),
        ("map", [None, 1], (), 1 / 2, 1),
        ("map", [1, None], (1,), 1 / 2, 2 / 3),
        ("mrr", [None, 1], (), 1 / 2, 1),
        ("mrr@1", [None, 1], (), 0, 1),
        ("hit@1", [0, None], (1,), 0, 0),
        (
            "ndcg@3",
            [None, 2, 0, None],
            (1,),
            (2 / log2(3)) / (2 + 1 / log2(3)),
            (2 + 2 / log2(3)) / (2 + 2 / log2(3) + 1 / 2),
        ),
        ("precision@2", [-1, 1], (), 1 / 2, 1),
        ("precision@1", [None], (0,), 0, 1),  # nothing is judged above 0: the grade is 1
        ("num_rel_ret", [None, 1, None], (), 1, 3),
        ("bpref", [None, 0, 1], (), 0, 1 / 2),
        ("rprec", [1, None], (), 1, 1),
        ("set_recall", [None], (1,), 0, 1 / 2),
        ("num_nonrel_judged_ret", [0, None], (), 1, 1),
        ("map(judged_only=true)", [None, 1], (), 1, 1),
    ],
)
def test_residuals_by_hand(metric, ranked, missed, no, yes):
    assert residuals(metric, ranked, missed) == (close(no), close(yes))


@pytest.mark.parametrize(
    ("metric", "policy", "no", "yes"),
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
def test_the_assumed_grade_is_relevant_at_the_level_of_the_metric_or_the_policy(metric, policy, no, yes):
    """The largest grade is 1; one unjudged document above it."""
    assert residuals(metric, [None, 1], **policy) == (no, yes)


def test_a_level_above_every_grade_leaves_room_where_documents_are_unjudged():
    no, yes = residuals("precision(rel=3)@3", [1, None, None])
    assert (no, yes) == (0, close(2 / 3))
    assert residuals("precision(rel=3)@3", [1, 0, 1]) == (0, 0)


@pytest.mark.parametrize(
    ("metric", "no", "yes"),
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
def test_the_level_of_the_policy_is_no_grade_for_metrics_that_weigh_grades(metric, no, yes, rel):
    """Judged 1 and then unjudged, on binary judgments: the top of the scale is 1, or the metric's own."""
    assert residuals(metric, [1, None], rel=rel) == (close(no), close(yes))


def test_condensed_rankings_hold_nothing_unjudged():
    assert residuals("precision@2", [None, 1], judged_only=True) == (1 / 2, 1 / 2)


def test_what_is_relevant_too_may_lower_a_score():
    """1 alone is as good as can be; with a 4 behind it, it stands in the way."""
    assert residuals("ndcg@2", [1, None], max_grade=4) == (1, close((1 + 4 / log2(3)) / (4 + 1 / log2(3))))


def test_the_top_of_the_scale_is_that_of_all_judgments_and_no_comes_before_yes():
    """Query 2 knows of a 3, so an unjudged document of query 1 may be one, and what was perfect no longer is."""
    qrels, run = {"1": {"a": 1}, "2": {"z": 3}}, {"1": ["a", "u"], "2": ["z"]}
    result = assay.evaluate(qrels, run, "ndcg@10", residuals=True)
    lower = (1 + 3 / log2(3)) / (3 + 1 / log2(3))
    assert list(result.residuals["ndcg@10"].columns) == ["no", "yes"]
    assert result.residuals["ndcg@10"].columns["yes"].score.tolist() == [close(lower), 1]
    plain = result.to_dict()["residuals"]["ndcg@10"]
    assert list(plain.items()) == [("no", 1.0), ("yes", close((lower + 1) / 2))]
    assert f"{plain['yes']:.3f}" == "0.898"
    assert result.residuals["ndcg@10"].width == close((1 - lower) / 2)


def test_metrics_about_judgments_have_no_residuals():
    names = ["judged@5", "unjudged@5", "rbp_residual(p=0.5)", "map", "relstring"]
    result = assay.evaluate(*as_dicts([Case([1, None])]), names, residuals=True)
    assert list(result.residuals) == ["map"]
    assert {parse_metric(name).metric.name for name in names[:3]} == NOT_ABOUT_QUALITY


def test_the_summary_of_a_band():
    result = assay.evaluate(*as_dicts([Case([None, 1]), Case([1])]), ["mrr", "num_rel_ret"], residuals=True)
    assert result.to_dict()["residuals"] == {
        "mrr": {"no": 0.75, "yes": 1.0},
        "num_rel_ret": {"no": 2.0, "yes": 3.0},
    }
    assert result.residuals["mrr"].width == 0.25
