"""Evaluator: judgments and metrics that are prepared once give what evaluate gives; so does plain Python for small runs."""

import math
import pickle
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.views import few_rankings

METRICS = ["ndcg@3", "map", "mrr", "P@2", "recall@100", "bpref", "judged@2", "num_ret", "relstring@2"]
QUERIES, DOCUMENTS = [f"q{number}" for number in range(4)], [*"abcdefgh", "q1"]
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([-1, 0, 1, 2, 2.5]), max_size=6)
SCORE = st.one_of(
    st.sampled_from([0.0, -0.0, 1, 2, 1.0, 1.0 + 1e-9, 2.0**53, 2**53, 2**53 + 1, 10**400, math.inf, -math.inf]),
    st.sampled_from([1.0, 2.0, 3.0]),
    st.sampled_from([np.float32(1.5), np.int64(2), Fraction(1, 2)]),
    st.sampled_from([math.nan, None, True, "1"]),
)
RUNS = st.dictionaries(
    st.sampled_from([*QUERIES, "unjudged"]),
    st.dictionaries(st.sampled_from([*DOCUMENTS, "x", "y", "z"]), SCORE | st.sampled_from([1.0, 2.0, 3.0]), max_size=8),
    max_size=4,
)
POLICIES = st.builds(
    assay.Policy,
    **{
        setting.name: st.sampled_from(setting.metadata["choices"])
        for setting in fields(assay.Policy)
        if "choices" in setting.metadata
    },
    rel=st.sampled_from([None, 2]),
    judged_only=st.booleans(),
    drop_self=st.booleans(),
    max_grade=st.sampled_from([None, 4]),
    depth=st.sampled_from([None, 2]),
)


FEWER = settings(max_examples=max(2, settings.default.max_examples // 2))


def outcome(compute):
    """What a function returns; for an error that a user can fix, its text."""
    try:
        return compute()
    except assay.AssayError as error:
        return str(error)


def plain(result):
    """A result as JSON values; an error as it is."""
    return result if isinstance(result, str) else result.to_dict()


@FEWER
@given(st.dictionaries(st.sampled_from(QUERIES), GRADES, min_size=1), st.lists(RUNS, min_size=1, max_size=3), POLICIES)
def test_an_evaluator_gives_what_evaluate_gives(qrels, runs, policy):
    evaluator = assay.Evaluator(qrels, METRICS, policy=policy)
    for run in runs:
        whole = outcome(lambda: assay.evaluate(qrels, run, METRICS, policy=policy))  # noqa: B023 (called at once)
        again = outcome(lambda: evaluator.evaluate(run))  # noqa: B023
        scores = outcome(lambda: evaluator.scores(run))  # noqa: B023
        assert plain(again) == plain(whole)
        assert scores == (whole if isinstance(whole, str) else whole.table.by_query())


@FEWER
@given(st.dictionaries(st.sampled_from(QUERIES), GRADES, min_size=1), RUNS, POLICIES)
def test_a_small_run_has_the_result_of_a_large_one(qrels, run, policy):
    def evaluated():
        result = assay.evaluate(qrels, run, METRICS, policy=policy)
        return result.to_dict(), result.ties, result.fingerprints

    small = outcome(evaluated)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.views.small_runs.MAX_RANKINGS", -1)
        assert outcome(evaluated) == small


def test_the_small_and_the_large_way_are_both_used():
    qrels = assay.Qrels({"q": {"a": 1}})
    few, many = {"q": {"a": 1.0, "b": 1.0}}, {"q": {f"d{number}": 1.0 for number in range(1000)} | {"a": 1.0}}
    assert few_rankings(assay.Run(few), qrels) is not None
    for unfit in (many, {f"q{number}": {"a": 1.0} for number in range(100)}, {"q": {"b": 1.0}}, {"q": {"a": 2**53 + 1}}):
        assert few_rankings(assay.Run(unfit), qrels) is None


def test_an_evaluator_says_what_it_has_and_can_be_pickled():
    evaluator = assay.Evaluator({"q1": {"a": 2, "b": 0}}, ["ndcg@10", "P@1"])
    assert repr(evaluator) == "Evaluator(Qrels(1 query, 2 judgments), ndcg@10, precision@1)"
    assert [metric.name for metric in evaluator.metrics] == ["ndcg@10", "precision@1"]
    run = {"q1": {"b": 2.0, "a": 1.0}}
    copy = pickle.loads(pickle.dumps(evaluator))
    assert copy.scores(run) == {"q1": {"ndcg@10": pytest.approx(1 / math.log2(3)), "precision@1": 0.0}}
    assert copy.evaluate(run, name="mine").name == "mine"
    assert assay.Evaluator({"q1": {"a": 2}}, ["map"], profile="trec_eval-9").evaluate(run).profile == "trec_eval-9"


def test_the_default_metrics_are_those_of_evaluate():
    assert assay.Evaluator({"q1": {"a": 1}}).metrics == assay.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}).metrics


def test_a_metric_registered_later_is_found_by_its_name():
    qrels, run = {"q1": {"a": 1}}, {"q1": ["a"]}
    with pytest.raises(assay.UnknownName):
        assay.Evaluator(qrels, ["evaluated_late"])

    @assay.metric
    def evaluated_late(run):
        """Always 0.5."""
        return np.full(run.n_queries, 0.5)

    assert assay.Evaluator(qrels, ["evaluated_late"]).scores(run) == {"q1": {"evaluated_late": 0.5}}


def test_what_an_evaluator_refuses(snapshots):
    dataset = assay.load_dataset("rag-template")
    qrels = {"q1": {"a": 1}}
    wrong = {
        "a benchmark": lambda: assay.Evaluator(dataset, ["map"]),
        "a run as judgments": lambda: assay.Evaluator(assay.Run({"q1": ["a"]}), ["map"]),
        "judgments as a run": lambda: assay.Evaluator(qrels, ["map"]).scores(assay.Qrels(qrels)),
        "another tool and a policy": lambda: assay.Evaluator(qrels, ["map"], policy=assay.Policy(), profile="ranx"),
        "other queries": lambda: assay.Evaluator(qrels, ["map"]).scores({"q7": ["a"]}),
    }
    snapshots.check("api/evaluator", "\n".join(f"{what}\n    {outcome(call)}" for what, call in wrong.items()) + "\n")
