"""evaluate: shapes, alignment, metrics and faults; by hand. Against ranx itself: test_against_ranx.py."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.compat.ranx import DifferenceWarning, Qrels, Run, compare, evaluate, fuse, optimize_fusion

pytestmark = pytest.mark.filterwarnings("ignore::assay.compat.ranx.DifferenceWarning")

QRELS = {"q2": {"a": 1, "b": 2}, "q1": {"c": 1, "z": 0}}
RUN = {"q1": {"c": 0.5, "z": 0.9}, "q2": {"x": 3.0, "b": 2.0, "a": 1.0}}


def test_one_metric_is_a_float_and_several_are_a_dictionary():
    qrels, run = Qrels(QRELS), Run(RUN)
    assert evaluate(qrels, run, "mrr") == evaluate(qrels, run, ["mrr"]) == 0.5
    assert type(evaluate(qrels, run, "mrr")) is float
    assert evaluate(qrels, run, ["mrr", "hits@2"]) == {"mrr": 0.5, "hits@2": 1.0}


def test_arrays_stand_in_the_order_of_query_ids():
    found = evaluate(Qrels(QRELS), Run(RUN), ["map", "recall@2"], return_mean=False)
    assert found["map"].tolist() == pytest.approx([1 / 2, (1 / 2 + 2 / 3) / 2])
    assert found["recall@2"].tolist() == [1.0, 0.5]
    assert isinstance(evaluate(Qrels(QRELS), Run(RUN), "map", return_mean=False, return_std=True), np.ndarray)
    assert evaluate(Qrels(QRELS), Run(RUN), "recall@2", return_std=True) == {"mean": 0.75, "std": 0.25}


def test_scores_are_kept_in_the_run_unless_they_are_not_wanted():
    run = Run(RUN)
    evaluate(Qrels(QRELS), run, "recall@2", save_results_in_run=False)
    assert (dict(run.scores), run.mean_scores, run.std_scores) == ({}, {}, {})
    evaluate(Qrels(QRELS), run, ["recall@2"], return_std=True)
    assert run.scores == {"recall@2": {"q1": 1.0, "q2": 0.5}}
    assert (run.mean_scores, run.std_scores) == ({"recall@2": 0.75}, {"recall@2": 0.25})


@given(st.permutations(["q1", "q2", "q3", "q4"]), st.permutations(["q1", "q2", "q3", "q4"]))
def test_the_order_of_queries_never_matters(first, second):
    qrels = {query: {"a": 1, query: 2} for query in first}
    run = {query: {"a": 1.0, "q1": 2.0, "q3": 3.0} for query in second}
    expected = {"q1": evaluate({"q1": qrels["q1"]}, {"q1": run["q1"]}, "ndcg")}
    found = Run(run)
    evaluate(Qrels(qrels), found, "ndcg")
    assert found.scores["ndcg"]["q1"] == pytest.approx(expected["q1"])
    assert list(found.scores["ndcg"]) == ["q1", "q2", "q3", "q4"]


def test_queries_that_only_one_side_has():
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}, "q9": {"a": 1.0}}
    for same_run in (run, Run(run)):
        assert evaluate(qrels, same_run, "map", make_comparable=True) == 0.5
        assert list(same_run) == ["q1", "q9"]


def test_by_hand_where_ranx_differs():
    with pytest.warns(DifferenceWarning, match="fraction"):
        fractions = evaluate({"q": {"a": 0.5, "b": 2.5}}, {"q": {"a": 2.0, "b": 1.0}}, "ndcg")
    assert fractions == pytest.approx((0.5 + 2.5 / math.log2(3)) / (2.5 + 0.5 / math.log2(3))), "grades keep a fraction"
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}, "q3": {"c": 1, "d": 0}}
    run = {query: {"a": 4.0, "b": 3.0, "d": 2.0, "c": 1.0} for query in qrels}
    with pytest.warns(DifferenceWarning, match="bpref"):
        scores = evaluate(qrels, run, "bpref", return_mean=False)
    assert scores.tolist() == [1.0, 0.0, 0.0], "ranx has no number"
    assert evaluate({"q": {"a": 3}}, {"q": {"a": 1.0}}, "rbp.5") == 1.5, "by grades"
    assert evaluate({"q": {"a": 3}}, {"q": {"a": 1.0}}, "rbp@75") == pytest.approx(0.75)
    qrels, run = {"q": {"a": 2, "b": 1, "n": 0}}, {"q": {"b": 3.0, "a": 2.0, "n": 1.0}}
    assert evaluate(qrels, run, "ndcg@3-l2") == pytest.approx(0.6309, abs=1e-4), "a level drops lower grades"
    assert evaluate(qrels, run, "ndcg@3-l1") == evaluate(qrels, run, "ndcg@3")
    assert evaluate(Qrels(QRELS), RUN, "err@10") == pytest.approx(assay.evaluate(QRELS, RUN, "err@10")["err@10"])
    assert assay.evaluate(Qrels(QRELS), Run(RUN), "mrr")["mrr"] == 0.5, "the objects go into assay itself"


def test_no_queries_score_0_without_a_warning():
    run = Run()
    assert evaluate(Qrels(), run, "mrr", return_std=True) == {"mean": 0.0, "std": 0.0}
    assert (run.mean_scores, run.std_scores) == ({"mrr": 0.0}, {"mrr": 0.0})


def test_what_cannot_be_scored(snapshots):
    metrics = [
        *("latency", "routing_accuracy", "num_rel", "gm_map", "runid", "ndcg-l2@3"),  # ranx could not score them
        *("r-precision@5", "bpref@3", "rbp", "ndgc@5", [], [10]),
    ]
    cases = {f"metric {metric}": lambda metric=metric: evaluate(QRELS, RUN, metric) for metric in metrics}
    cases |= {
        "a query without results": lambda: evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}}, "map"),
        "a query without judgments": lambda: evaluate({"q1": {"a": 1}}, Run({"q1": {"a": 1.0}, "q9": {"a": 1.0}}), "map"),
        "a score": lambda: Run({"q": {"a": math.nan}}),
        "a grade": lambda: Qrels({"q": {"a": math.inf}}),
        "documents and scores": lambda: Run().add("q1", ["a", "b"], [1.0]),
        "a hub": lambda: Run.from_ranxhub("some/run"),
        "a kind of file": lambda: Run.from_file("run.xml", kind="xml"),
        "LZ4": lambda: Run.from_file("run.lz4"),
        "written compressed": lambda: Run(RUN).save("run.gz"),
        "columns": lambda: Run.from_df({"query": ["q1"], "passage": ["b"]}),
        "one name": lambda: compare(QRELS, [Run(RUN, name="a"), Run(RUN, name="a")], "mrr"),
        "a test": lambda: compare(QRELS, [RUN, RUN], "mrr", stat_test="students t"),
        "no run": lambda: compare(QRELS, [], "mrr"),
        "a method": lambda: fuse([RUN, RUN], method="rff"),
        "a norm": lambda: fuse([RUN, RUN], norm="minmax!", method="sum"),
        "one run": lambda: fuse([RUN]),
        "ranks and a norm": lambda: fuse([RUN, RUN], norm="borda", method="rrf"),
        "nothing to optimise": lambda: optimize_fusion(QRELS, [RUN, RUN], method="isr"),
        "an option": lambda: optimize_fusion(QRELS, [RUN, RUN], stepp=0.1),
        "a step": lambda: optimize_fusion(QRELS, [RUN, RUN], step=0.3),
        "nothing to try": lambda: optimize_fusion(QRELS, [RUN, RUN], method="rrf", min_k=9, max_k=2),
        "no parameters": lambda: optimize_fusion(QRELS, [RUN, RUN], method="mapfuse", return_optimization_report=True),
    }
    snapshots.check_errors("compat/ranx", cases)
