"""reranking_improvement: how much better NDCG is after reranking than before, as a percentage of the NDCG before."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.evaluation.scoring import evaluate
from assay.metrics.parsing import parse_metric
from assay.model.policy import Policy
from assay.model.qrels import Qrels
from assay.model.run import Run
from assay.model.scores import Column
from assay.views.grading import grade
from assay.views.timing import Reranking

DOCS = ("a", "b", "c")


def improved(qrels, before, after, metric="reranking_improvement@3"):
    """The column of two runs: query → ids, best first."""
    judged = Qrels(qrels)
    runs = [
        grade(
            Run({query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in run.items()}),
            judged,
            Policy(),
        ).run
        for run in (before, after)
    ]
    bound = parse_metric(metric)
    return Column.of(bound.score(Reranking(*runs)), bound.metric.aggregation)


def test_by_hand():
    """From rank 2 to rank 1: 1 ÷ log₂ 3 before, 1 after."""
    found = improved({"q": {"a": 1}}, {"q": "ba"}, {"q": "ab"})
    assert found.score.tolist() == pytest.approx([100 * (math.log2(3) - 1)])
    assert found.summary() == pytest.approx(100 * (math.log2(3) - 1))


def test_overall_it_is_the_change_of_the_mean_and_no_mean_of_percentages():
    """Before ½ and 1, after 1 and 1: the mean rises from 0.75 to 1, by a third; the percentages are 100 and 0."""
    qrels = {"q1": {"c": 1}, "q2": {"a": 1}}
    found = improved(qrels, {"q1": "abc", "q2": "abc"}, {"q1": "cab", "q2": "abc"})
    assert found.score.tolist() == pytest.approx([100.0, 0.0])
    assert found.summary() == pytest.approx(100 / 3)


def test_what_was_0_before_has_no_percentage_but_counts():
    """Means 0.5 before and 1 after: +100 %, though the one query that changed has no percentage of its own."""
    qrels = {"q1": {"c": 1}, "q2": {"a": 1}}
    found = improved(qrels, {"q1": "ab", "q2": "abc"}, {"q1": "cab", "q2": "abc"})
    assert found.score.tolist() == pytest.approx([math.nan, 0.0], nan_ok=True)
    assert found.summary() == pytest.approx(100.0)
    assert found.counts.tolist() == [True, True]


def test_where_everything_was_0_before_it_is_undefined():
    found = improved({"q1": {"c": 1}}, {"q1": "ab"}, {"q1": "cab"})
    assert math.isnan(found.summary())


def test_the_gain_can_be_chosen():
    found = improved({"q": {"a": 3, "b": 1}}, {"q": "ba"}, {"q": "ab"}, "reranking_improvement(gain=exp)@2")
    best, worst = 7 + 1 / math.log2(3), 1 + 7 / math.log2(3)
    assert found.summary() == pytest.approx(100 * (best - worst) / worst)


def test_a_single_ranking_cannot_have_it():
    with pytest.raises(UsageError, match="the rankings before and after"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["reranking_improvement@10"])


@given(st.lists(st.tuples(st.permutations(DOCS), st.permutations(DOCS), st.sampled_from(DOCS)), min_size=1, max_size=8))
def test_agrees_with_the_ratio_of_two_mean_ndcgs(rows):
    qrels = {f"q{number}": {relevant: 1} for number, (_, _, relevant) in enumerate(rows)}
    runs = [{f"q{number}": row[side] for number, row in enumerate(rows)} for side in (0, 1)]
    scored = [
        evaluate(
            qrels, {query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in run.items()}, ["ndcg@3"]
        )
        for run in runs
    ]
    before, after = (one["ndcg@3"] for one in scored)
    assert improved(qrels, *runs).summary() == pytest.approx(100 * (after - before) / before)
    each = 100 * (scored[1].array("ndcg@3") / scored[0].array("ndcg@3") - 1)
    assert np.allclose(improved(qrels, *runs).score, each)
