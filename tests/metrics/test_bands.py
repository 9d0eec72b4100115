"""Residual bands: what a score would be if the unjudged documents within the cutoff were relevant. Laws, then by hand."""

from functools import cache
from math import log2

import numpy as np
import pytest

import assay
from assay.evaluation.bands import NOT_ABOUT_QUALITY
from assay.metrics._bands import residual_band
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
def test_the_score_lies_in_the_band(bound):
    low, high = residual_band(bound, all_cases())
    score = together().array(bound.name)
    assert ((low <= score) & (score <= high)).all()


@each
def test_one_end_is_the_score_itself(bound):
    low, high = residual_band(bound, all_cases())
    score = together().array(bound.name)
    assert ((low == score) | (high == score)).all()


@each
def test_where_everything_retrieved_is_judged_there_is_no_band(bound):
    judged = [Case([0 if given is None or given < 0 else given for given in case.ranked], case.missed) for case in CASES]
    low, high = residual_band(bound, viewed(judged))
    assert low == close(high)


SHORTENED = [Case(case.ranked[:5], case.missed) for case in CASES if len(case.ranked) >= 5]
LENGTHENED = [Case([*case.ranked, None, -1, None], case.missed) for case in SHORTENED]


@with_cutoff
def test_documents_beyond_the_cutoff_do_not_matter(bound):
    """All cutoffs are 5; a negative grade is one more document that nobody judged."""
    for short, long in zip(*(residual_band(bound, viewed(cases)) for cases in (SHORTENED, LENGTHENED)), strict=True):
        assert short == close(long)


@each
def test_it_is_what_a_judge_could_have_said(bound):
    """The other end is the score with every unjudged document within the cutoff judged, at the top grade."""
    if bound.params.get("judged_only"):
        return
    k = bound.params.get("k")
    answered = [
        Case([TOP if _is_open(place, given, k) else given for place, given in enumerate(case.ranked)], case.missed)
        for case in CASES
    ]
    low, high = residual_band(bound, all_cases())
    wanted = assay.evaluate(*as_dicts(answered), [bound], policy=assay.Policy(max_grade=TOP)).array(bound.name)
    score = together().array(bound.name)
    assert low == close(np.minimum(score, wanted))
    assert high == close(np.maximum(score, wanted))


def _is_open(place, given, k):
    return (given is None or given < 0) and (k is None or place < k)


# ---- by hand


def residuals(metric, ranked, missed=(), **policy):
    """The band of one ranking, as evaluate gives it."""
    result = assay.evaluate(*as_dicts([Case(ranked, missed)]), metric, policy=assay.Policy(**policy), residuals=True)
    band = result.residuals[parse_metric(metric).name]
    return band.low.score[0], band.high.score[0]


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "low", "high"),
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
def test_residuals_by_hand(metric, ranked, missed, low, high):
    assert residuals(metric, ranked, missed) == (close(low), close(high))


def test_the_assumed_grade_is_relevant_at_the_level_of_the_policy():
    assert residuals("precision@2", [None, 1], rel=3) == (0, 1 / 2)


def test_condensed_rankings_hold_nothing_unjudged():
    assert residuals("precision@2", [None, 1], judged_only=True) == (1 / 2, 1 / 2)


def test_what_is_relevant_too_may_lower_a_score():
    """1 alone is as good as can be; with a 4 behind it, it stands in the way."""
    assert residuals("ndcg@2", [1, None], max_grade=4) == (close((1 + 4 / log2(3)) / (4 + 1 / log2(3))), 1)


def test_metrics_about_judgments_have_no_residuals():
    names = ["judged@5", "unjudged@5", "rbp_residual(p=0.5)", "map", "relstring"]
    result = assay.evaluate(*as_dicts([Case([1, None])]), names, residuals=True)
    assert list(result.residuals) == ["map"]
    assert {parse_metric(name).metric.name for name in names[:3]} == NOT_ABOUT_QUALITY


def test_the_summary_of_a_band():
    result = assay.evaluate(*as_dicts([Case([None, 1]), Case([1])]), ["mrr", "num_rel_ret"], residuals=True)
    assert result.to_dict()["residuals"] == {
        "mrr": {"low": 0.75, "high": 1.0, "method": "exact"},
        "num_rel_ret": {"low": 2.0, "high": 3.0, "method": "exact"},
    }
    assert result.residuals["mrr"].width == 0.25
