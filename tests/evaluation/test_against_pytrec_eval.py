"""The profile pytrec_eval against pytrec_eval itself: ties, near scores, missing and extra queries, negative grades."""

import math

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import find_profile
from assay.metrics import parse_metrics

MEASURES = sorted(pytrec_eval.supported_measures - {"runid", "relstring"})
OURS = {metric.trec_name: metric for metric in parse_metrics("all_trec") if {*metric.metric.trec_names} & {*MEASURES}}
SAME = 1e-9

# What it aborts or crashes over is left out: odd ids, an empty query, a query whose every grade is negative.
JUDGED = [*"abXY", *(f"doc{number}" for number in range(8))]
RETRIEVED = [*JUDGED, *(f"unjudged-{number}" for number in range(6))]
QUERIES = ["q1", "q2", "q10", "Q1", "7"]
NEAR = [1.0, 1.00000001, 1.00000002, 1 + 2**-24, 1 + 2**-23, 16777216.0, 16777217.0, 0.1, 0.1 + 1e-9, -0.1, -0.1 - 1e-9]
TINY = [0.0, -0.0, 1e-46, -1e-46, 1e-45, 3e38, 1e39, 2e39, -1e39]
SCORES = st.one_of(st.integers(0, 2).map(float), st.sampled_from(NEAR), st.sampled_from(TINY), st.floats(-2, 2))
RUNS = st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(RETRIEVED), SCORES, min_size=1), min_size=1)
GRADES = st.dictionaries(st.sampled_from(JUDGED), st.integers(-2, 4), min_size=1)
QRELS = st.dictionaries(
    st.sampled_from(QUERIES), GRADES.filter(lambda grades: max(grades.values()) >= 0), min_size=1, max_size=4
)


def assert_same(qrels, run, level=1, judged_only=False):
    """Every query that pytrec_eval returns, every measure, and nothing besides."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, MEASURES, relevance_level=level, judged_docs_only_flag=judged_only)
    theirs = evaluator.evaluate(run)
    profile = find_profile("pytrec_eval").adjusted(rel=None if level == 1 else level, judged_only=judged_only)
    ours = assay.evaluate(qrels, run, OURS.values(), profile=profile)
    assert sorted(ours.query_ids) == sorted(theirs)
    assert not any("has no" in note for note in ours.notes)
    for name in next(iter(theirs.values()), ()):
        found = ours.scores(OURS[name].name)
        wanted = {query: values[name] for query, values in theirs.items()}
        assert {query: _as_pytrec_eval(name, score) for query, score in found.items()} == pytest.approx(
            wanted, rel=SAME, abs=SAME
        ), name
        if wanted:
            summary = pytrec_eval.compute_aggregated_measure(name, list(wanted.values()))
            assert ours[OURS[name].name] == pytest.approx(summary, rel=SAME, abs=SAME), name


def _as_pytrec_eval(name, score):
    """What it returns for a query of a geometric mean is the logarithm that goes into it."""
    return math.log(max(score, 1e-5)) if name.startswith("gm_") else score


@given(qrels=QRELS, run=RUNS)
def test_every_measure(qrels, run):
    assert_same(qrels, run)


@given(qrels=QRELS, run=RUNS, level=st.integers(1, 3))
def test_condensed_rankings_and_levels(qrels, run, level):
    judged = {query: {doc for doc, grade in grades.items() if grade >= 0} for query, grades in qrels.items()}
    run = {query: ranked for query, ranked in run.items() if ranked.keys() & judged.get(query, ())}  # nan otherwise
    if run:
        assert_same(qrels, run, level, judged_only=True)


def test_a_long_ranking_of_near_scores():
    docs = [f"doc{number:04}" for number in range(1500)]
    run = {"q1": {doc: 0.5 + (number * 7919 % 1500) * 1e-9 for number, doc in enumerate(docs)}}
    assert_same({"q1": {doc: number % 3 for number, doc in enumerate(docs[::4])}}, run)
