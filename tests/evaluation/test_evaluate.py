"""evaluate: judgments and a run in, a Result out."""

from math import isnan, log2
from typing import NamedTuple

import numpy as np
import pytest

import assay
from assay.evaluation import score_views
from assay.metrics import Metric, parse_metric
from assay.model import TEXT, quantile

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d4": 1}, "q3": {"d5": 3}}
RUN = {"q1": {"d2": 0.9, "d1": 0.8, "d9": 0.7}, "q2": {"d4": 0.5}}
NDCG_Q1 = (2 / log2(3)) / (2 + 1 / log2(3))
"""The grade-2 document stands second; ideal is 2, then 1."""


def test_the_call_of_the_readme():
    result = assay.evaluate(QRELS, RUN, ["ndcg@10", "map", "mrr@10"], policy=assay.Policy(ties="docid_desc"))
    assert result["ndcg@10"] == pytest.approx((NDCG_Q1 + 1 + 0) / 3, abs=1e-12)
    assert result["map"] == pytest.approx((0.5 / 2 + 1 + 0) / 3, abs=1e-12)
    assert result["mrr@10"] == pytest.approx((0.5 + 1 + 0) / 3, abs=1e-12)
    assert isinstance(result["ndcg@10"], float)
    assert list(result.scores("mrr@10").items()) == [("q1", 0.5), ("q2", 1.0), ("q3", 0.0)]
    assert result.counts == {"judged": 3, "scored": 3, "missing": 1, "without_relevant": 0, "extra": 0, "constant": 0}
    assert result.policy == assay.Policy(ties="docid_desc", max_grade=3.0)
    assert result.to_dict()["summary"] == result.summary


def test_metrics_come_as_text_as_several_or_bound_and_each_once():
    for metrics, names in [
        ("map, P@5", ["map", "precision@5"]),
        (("AP", "map", "average_precision"), ["map"]),
        ((name for name in ("mrr", "map")), ["mrr", "map"]),
        ([parse_metric("ndcg@3"), "recall@1,2"], ["ndcg@3", "recall@1", "recall@2"]),
    ]:
        assert list(assay.evaluate(QRELS, RUN, metrics).summary) == names
    for metrics in ([], [3], 3, [None], [""], ["ndcg@0"], ["map(foo=1)"], ["precision"]):
        with pytest.raises(assay.BadParameter):
            assay.evaluate(QRELS, RUN, metrics)
    with pytest.raises(assay.UnknownName) as error:  # before any data are read
        assay.evaluate(None, None, ["map", "ncdg@10"])
    assert error.value.near[0] == "ndcg@10"


def test_prepared_judgments_and_runs_give_the_same_result_again_and_again():
    metrics = ["rag", "bpref", "err@10", "relstring"]
    for policy in (assay.Policy(), assay.Policy(ties="docid_asc", rel=2, missing="skip", judged_only=True)):
        plain = assay.evaluate(QRELS, RUN, metrics, policy=policy).to_dict()
        qrels, run = assay.Qrels(QRELS), assay.Run(RUN)
        for judgments in (QRELS, qrels, qrels):
            for rankings in (RUN, run, run):
                assert assay.evaluate(judgments, rankings, metrics, policy=policy).to_dict() == plain


def test_without_judgments_there_is_nothing_to_sum_up():
    result = assay.evaluate({}, RUN, ["map", "num_q", "gm_map", "relstring"])
    assert all(isnan(value) for value in result.summary.values())
    assert result.to_dict()["summary"] == {"map": None, "num_q": None, "gm_map": None}
    assert result.scores("map") == {}
    assert result.array("relstring").tolist() == []
    assert result.counts == {"judged": 0, "scored": 0, "missing": 0, "without_relevant": 0, "extra": 2, "constant": 0}


def test_what_cannot_be_evaluated_is_told(snapshots):
    arguments = {
        "no judgments": (None, RUN),
        "no run": (QRELS, None),
        "a number for judgments": (3, RUN),
        "a number for a run": (QRELS, 3.5),
        "swapped": (assay.Run(RUN), assay.Qrels(QRELS)),
        "judgments twice": (QRELS, assay.Qrels(QRELS)),
        "missing queries": (QRELS, RUN, "map", assay.Policy(missing="error")),
        "extra queries": (QRELS, RUN | {"q8": {}, "q9": {}}, "map", assay.Policy(missing="zero", extra="error")),
        "a policy that is a dict": (QRELS, RUN, "map", {"ties": "docid_asc"}),
        "a policy that is a word": (QRELS, RUN, "map", "docid_asc"),
    }

    def evaluating(qrels, run, metrics="map", policy=None):
        return lambda: assay.evaluate(qrels, run, metrics, policy=policy)

    cases = {case: evaluating(*given) for case, given in arguments.items()}
    cases["a score"] = lambda: assay.Run({"q": {"a": 5.0, "b": "9"}})
    snapshots.check_errors("evaluate/faults", cases)


def test_a_metric_of_ones_own_is_found_by_its_name():
    half = Metric("half", lambda run: np.full(run.n_queries, 0.5)).bind()
    result = assay.evaluate(QRELS, RUN, ["map", half])
    assert result["half"] == result[half] == 0.5
    assert "half" in result
    assert "nonsense" not in result
    assert list(result) == ["map", "half"]


class Timings(NamedTuple):
    """A view that has nothing to do with rankings."""

    query_ids: tuple[str, ...]
    seconds: np.ndarray
    words: tuple[str, ...] = ()


TIMINGS = Timings(("q1", "q2", "q3"), np.array([1.0, 2.0, 6.0]))
WORDS = TIMINGS._replace(words=("a", "", "ccc"))


def test_a_metric_of_any_view_fits_without_touching_the_engine():
    median = Metric("median_seconds", lambda view: view.seconds, view="timing", aggregation=quantile(0.5)).bind()
    longest = Metric("longest", lambda view: list(view.words), view="answers", aggregation=TEXT).bind()
    table = score_views({"timing": TIMINGS, "answers": WORDS}, [median, longest])
    assert table.query_ids == ("q1", "q2", "q3")
    assert table.summary() == {"median_seconds": 2.0}
    assert table.by_query()["q3"] == {"median_seconds": 6.0, "longest": "ccc"}


def test_views_and_scores_that_do_not_fit_are_told(snapshots):
    both, other = {"timing": TIMINGS, "answers": WORDS}, TIMINGS._replace(query_ids=("q1", "q3", "q2"))
    routed = Metric("route_accuracy", lambda view: view.routes, view="routing").bind()
    short = Metric("short", lambda view: view.seconds[:1], view="timing").bind()
    cases = {
        "a view that is not there": lambda: score_views(both, [routed]),
        "other queries": lambda: score_views({"timing": TIMINGS, "answers": other}, []),
        "too few scores": lambda: score_views({"timing": TIMINGS}, [short]),
    }
    snapshots.check_errors("evaluate/views", cases)
