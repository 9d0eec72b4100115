"""Every measure that trec_eval 9.0.8 has, against trec_eval itself (pytrec_eval-terrier)."""

import math
import random

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.metrics import parse_metrics

MEASURES = sorted(pytrec_eval.supported_measures - {"runid", "relstring"})
OURS = {metric.trec_name: metric for metric in parse_metrics("all_trec") if metric.metric.aggregation.summarise}
SAME = 1e-9

# pytrec_eval ends the interpreter over what it cannot take: plain ids, whole grades of which one is not negative,
# scores that float32 tells apart, no empty list of any kind.
JUDGED = [*"abcXYZ", *(f"doc{number}" for number in range(8))]
RETRIEVED = [*JUDGED, *(f"unjudged-{number}" for number in range(8))]
QUERIES = ["q1", "q2", "q10", "Q1"]
SCORES = st.one_of(st.integers(0, 2), st.integers(-50, 50)).map(float)
RUNS = st.dictionaries(st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(RETRIEVED), SCORES, min_size=1), min_size=1)


def judgments(lowest):
    """Judgments whose grades start at `lowest`, in queries that have at least one from 0 up."""
    of_query = st.dictionaries(st.sampled_from(JUDGED), st.integers(lowest, 4), min_size=1)
    return st.dictionaries(st.sampled_from(QUERIES), of_query.filter(lambda grades: max(grades.values()) >= 0), min_size=1)


def assert_same(qrels, run, measures, level, judged_only):
    """Per query and in the summary, for everything pytrec_eval returns."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=level, judged_docs_only_flag=judged_only)
    theirs = evaluator.evaluate(run)
    policy = assay.Policy(rel=level, judged_only=judged_only, missing="skip")
    if run.keys() and not qrels.keys() & run.keys():
        assert theirs == {}
        with pytest.raises(assay.DataError):
            assay.evaluate(qrels, run, OURS.values(), policy=policy)
        return
    ours = assay.evaluate(qrels, run, OURS.values(), policy=policy)
    assert sorted(ours.query_ids) == sorted(theirs)
    for query, values in theirs.items():
        for name, value in values.items():
            found = ours.scores(OURS[name].name)[query]
            assert _as_pytrec_eval(name, found) == pytest.approx(value, rel=SAME, abs=SAME, nan_ok=False), (query, name)
    for name in next(iter(theirs.values()), ()):
        summary = pytrec_eval.compute_aggregated_measure(name, [values[name] for values in theirs.values()])
        assert ours[OURS[name].name] == pytest.approx(summary, rel=SAME, abs=SAME), name


def _as_pytrec_eval(name, score):
    """What it returns for a query of a geometric mean is the logarithm that goes into it."""
    return math.log(max(score, 1e-5)) if name.startswith("gm_") else score


def with_something_judged(qrels, run):
    """The run without queries that condensing would empty: interpolated precision is nan there."""
    judged = {query: {doc for doc, grade in grades.items() if grade >= 0} for query, grades in qrels.items()}
    return {query: ranked for query, ranked in run.items() if ranked.keys() & judged.get(query, ())}


@given(qrels=judgments(lowest=0) | judgments(lowest=-2), run=RUNS, level=st.integers(1, 3))
def test_all_measures(qrels, run, level):
    assert_same(qrels, run, MEASURES, level, judged_only=False)


@given(qrels=judgments(lowest=-2), run=RUNS, level=st.integers(1, 3))
def test_condensed_rankings(qrels, run, level):
    assert_same(qrels, with_something_judged(qrels, run), MEASURES, level, judged_only=True)


def test_deep_rankings():
    docs = [f"doc{number}" for number in range(3000)]
    for seed in (1, 2):
        rng = random.Random(seed)
        qrels = {query: {doc: rng.choice((0, 0, 1, 2, 3)) for doc in rng.sample(docs, 1500)} for query in QUERIES[:3]}
        found = {query: rng.sample(docs, rng.randint(900, 1500)) for query in QUERIES[1:]}
        run = {query: {doc: float(rng.randrange(400)) for doc in some} for query, some in found.items()}
        assert_same(qrels, run, MEASURES, rng.randint(1, 3), judged_only=seed == 2)


OTHER_PARAMETERS = [
    *("P_7", "ndcg_cut.3", "map_cut_2", "recall.1", "success_2", "relative_P.3"),
    *("Rprec_mult.0.5", "iprec_at_recall_0.25", "set_F.2", "set_F.0.5", "11pt_avg.0.2,0.8"),
]


def test_other_parameters():
    for measure in OTHER_PARAMETERS:
        rng = random.Random(measure)
        qrels = {query: {doc: rng.randint(0, 3) for doc in rng.sample(JUDGED, 8)} for query in QUERIES}
        run = {query: {doc: float(rng.randrange(9)) for doc in rng.sample(RETRIEVED, 12)} for query in QUERIES}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
        expected = {query: next(iter(values.values())) for query, values in theirs.items()}
        assert assay.evaluate(qrels, run, measure).scores(measure) == pytest.approx(expected, abs=SAME), measure


def test_no_measure_is_missing():
    known = {name for metric in parse_metrics("all_trec") for name in metric.metric.trec_names}
    assert pytrec_eval.supported_measures <= known
