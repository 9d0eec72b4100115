"""The plain functions over one query, BatchEvaluator, and figures by name and cutoff."""

import json
from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import metrics
from assay.metrics import BatchEvaluator, SingleTermRetrievalMetrics, binary_to_graded, dcg_at_k, mean_ndcg_at_k, ndcg_at_k
from assay.metrics import precision_at_k as precision

from ._cases import CASES, close, score

NAMES = {name: name for name in ("precision", "recall", "f1", "mrr", "ndcg", "dcg")}
NAMES |= {"hit_rate": "hit", "average_precision": "map"}
METRIC_OF = {getattr(metrics, f"{name}_at_k"): metric for name, metric in NAMES.items()}
MEANS = ("precision", "recall", "mrr", "average_precision", "ndcg")

LOG3, LOG5 = log2(3), log2(5)
THREE, OF_THREE = ["d1", "d3", "d5"], {"d1", "d5", "d10"}
PART, OF_PART = ["doc4", "doc1", "doc5", "doc2"], ["doc1", "doc2", "doc3"]
WORKED_OUT_BY_HAND = [  # function, its arguments, the value; and as it was once printed, with six digits
    (dcg_at_k, ([1, 1, 1], 5), 1 + 1 / LOG3 + 1 / 2, 2.130930),
    (dcg_at_k, ([3, 0, 2, 1], 4), 3 + 2 / 2 + 1 / LOG5, 4.430677),
    (dcg_at_k, ([3, 2, 1, 0], 4), 3 + 2 / LOG3 + 1 / 2, 4.761860),
    (ndcg_at_k, ([3, 0, 2, 1, 0], 5), (3 + 2 / 2 + 1 / LOG5) / (3 + 2 / LOG3 + 1 / 2), 0.930451),
    (ndcg_at_k, ([3, 0, 2], 5), (3 + 2 / 2) / (3 + 2 / LOG3), 0.938557),
    (ndcg_at_k, ([0, 0], 5), 0),
    (metrics.average_precision_at_k, (list("abcde"), {"a", "c", "e"}, 5), (1 / 1 + 2 / 3 + 3 / 5) / 3, 0.755556),
    (metrics.f1_at_k, (THREE, OF_THREE, 5), 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)),
    (ndcg_at_k, (PART, OF_PART, 4), (1 / LOG3 + 1 / LOG5) / (1 + 1 / LOG3 + 1 / 2), 0.498189),
    (ndcg_at_k, (PART, OF_PART, 2), 1 / LOG3 / (1 + 1 / LOG3), 0.386853),
    (precision, (list("abcd"), {"a": 3, "b": 0, "c": -1, "d": 0.5}, 4), 2 / 4),  # grades above 0 are relevant
    (mean_ndcg_at_k, ([[3, 2, 1], [0, 1], []], 3), (1 + 1 / LOG3 + 0) / 3),
    (mean_ndcg_at_k, ([[0, 1], (["a"], {"a"})], 3), (1 / LOG3 + 1) / 2),
]


def test_worked_out_by_hand():
    for function, arguments, expected, *printed in WORKED_OUT_BY_HAND:
        assert function(*arguments) == close(expected), (function.__name__, arguments)
        assert printed in ([], [round(expected, 6)])
    assert ndcg_at_k([3, 0, 2], 5, ideal=[1]) == close((3 + 2 / 2) / (3 + 2 / LOG3 + 1 / 2))  # what was not retrieved
    assert binary_to_graded([1, "b"], grade=3) == {"1": 3, "b": 3}
    assert binary_to_graded({"a"}) == {"a": 1}


def test_they_agree_with_the_metrics_of_a_run():
    for case, (function, metric) in product(CASES[::40], METRIC_OF.items()):
        grades = {f"d{place}": grade for place, grade in enumerate(case.ranked) if grade is not None}
        grades |= {f"missed{place}": grade for place, grade in enumerate(case.missed)}
        for k in (1, 4, 100):
            found = function([f"d{place}" for place in range(len(case.ranked))], grades, k)
            assert found == score(f"{metric}@{k}", *case), (metric, case, k)


def test_shapes_of_input():
    for function, metric in METRIC_OF.items():
        for retrieved, relevant in (([], {"a"}), (["a"], set()), (["a"], {"a": 0, "b": 0}), ([], [])):
            assert function(retrieved, relevant, 5) == 0.0, metric
        expected = function(["1", "2", "3"], {"2", "9"}, 3)
        for retrieved, relevant in (
            (("1", "2", "3"), {"2": 1, "9": 1, "3": 0}),
            (np.array(["1", "2", "3"]), np.array(["2", "9"])),
            ([1, 2, 3], frozenset({2, 9})),  # whole numbers are ids
            (np.array([1, 2, 3]), {2: 1, 9: 1}),
        ):
            assert function(retrieved, relevant, np.int64(3)) == expected, (metric, retrieved, relevant)


def test_wrong_input_is_refused():
    for function in METRIC_OF:
        for retrieved in (["a", "b", "b"], [7, "7"], [1.5], [None], [True]):
            with pytest.raises(assay.DataError):
                function(retrieved, {"b"}, 3)
        for k in (0, -1, 2.0, "5", True, None, float("nan")):
            with pytest.raises(assay.BadParameter):
                function(["a"], {"a"}, k)
        for grade in ("1", None, float("nan"), float("inf")):
            with pytest.raises(assay.DataError):
                function(["a"], {"a": grade}, 1)


def test_means():
    pairs = [(["a", "b"], {"b"}), (["a", "b"], {"a": 2, "c": 1}), ([], {"a"}), ([1, 2], [2])]
    records = [{"retrieved_ids": retrieved, "relevant_ids": relevant} for retrieved, relevant in pairs]
    for name in MEANS:
        mean, function = (getattr(metrics, f"{prefix}{name}_at_k") for prefix in ("mean_", ""))
        expected = close(sum(function(*pair, 2) for pair in pairs) / len(pairs))
        assert mean(pairs, 2) == mean(records, 2) == mean(iter(pairs), 2) == expected
        assert mean([], 2) == 0.0
        with pytest.raises(assay.BadParameter):
            mean(pairs, 0)


def test_messages(snapshots):
    evaluator = BatchEvaluator([5])
    evaluator.evaluate_query(1, ["a"], {"a"})
    snapshots.check_errors(
        "metrics/functions",
        {
            "retrieved twice": lambda: precision(["a", "b", "b"], {"b"}, 3),
            "k is 0": lambda: precision(["a"], {"a"}, 0),
            "no k": lambda: ndcg_at_k([3, 2, 1]),
            "an id that is a number": lambda: precision([1.5], {"a"}, 1),
            "a grade that is text": lambda: ndcg_at_k(["a"], {"a": "1"}, 1),
            "a bare grade that is text": lambda: ndcg_at_k([1, "1"], 2),
            "a query twice": lambda: evaluator.evaluate_query("1", ["a"], {"a"}),
            "fewer scores": lambda: evaluator.evaluate_query("q", THREE, OF_THREE, [3, 0]),
            "cutoffs in words": lambda: BatchEvaluator([5, "many"]),
            "no cutoffs": lambda: BatchEvaluator([]),
            "names without cutoffs": lambda: SingleTermRetrievalMetrics.names([]),
        },
    )


# ---- BatchEvaluator


def test_the_scores_of_a_query():
    scores = BatchEvaluator([5, 10]).evaluate_query("q1", THREE, OF_THREE, [3, 0, 2])
    expected = {"precision@5": 2 / 5, "precision@10": 2 / 10, "recall@5": 2 / 3, "f1@5": 1 / 2, "hit@5": 1, "mrr@10": 1}
    assert {name: scores[name] for name in expected} == close(expected)
    # d10 is relevant, so it belongs into the ideal ranking; a set says no more than grade 1 about it
    assert scores["ndcg@5"] == close((3 + 2 / 2) / (3 + 2 / LOG3 + 1 / 2))
    graded = BatchEvaluator([5]).evaluate_query("q1", THREE, {"d1": 1, "d5": 1, "d10": 3}, [3, 0, 2])
    assert graded["ndcg@5"] == close((3 + 2 / 2) / (3 + 3 / LOG3 + 2 / 2))
    evaluator = BatchEvaluator([5])  # without relevance scores the ground truth grades
    assert evaluator.evaluate_query("a", ["a", "b"], {"a": 1, "b": 3})["ndcg@5"] == close((1 + 3 / LOG3) / (3 + 1 / LOG3))
    assert evaluator.evaluate_query("b", ["x", "b"], {"b"})["ndcg@5"] == close(1 / LOG3)


def test_the_means_of_a_batch_and_a_failed_query_leaves_no_trace():
    evaluator = BatchEvaluator([1, 3])
    for query, retrieved, relevant in (("a", "xy", "x"), ("b", "xy", "y"), ("c", "", "y"), ("d", "x", "")):
        evaluator.evaluate_query(query, list(retrieved), set(relevant))
    for retrieved, grades in ((["a", "a"], None), (THREE, [3, 0])):
        with pytest.raises(assay.DataError):
            evaluator.evaluate_query("q", retrieved, OF_THREE, grades)
    assert list(evaluator.per_query) == ["a", "b", "c", "d"]
    means = evaluator.get_aggregate_metrics()
    assert (means["hit@1"], means["mrr@3"]) == (close(1 / 4), close((1 + 1 / 2) / 4))
    names = ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg")
    assert list(means) == [f"{name}@{k}" for k in (1, 3) for name in names]
    assert set(BatchEvaluator().get_aggregate_metrics().values()) == {0.0}
    assert BatchEvaluator().k_values == (5, 10)


# ---- SingleTermRetrievalMetrics

FIGURES = {**{name: number / 100 for number, name in enumerate(SingleTermRetrievalMetrics.names())}, "mrr": 0.5}


def test_figures_are_found_by_name_and_cutoff():
    names = SingleTermRetrievalMetrics.names()
    assert [metric.name for metric in metrics.parse_metrics(names)] == names
    assert len(names) == 1 + 6 * len(metrics.K_VALUES)
    found = SingleTermRetrievalMetrics.of(FIGURES)
    assert (found.mrr, found.hit_rate_at_k) == (0.5, {k: FIGURES[f"hit@{k}"] for k in (1, 3, 5, 10)})
    for name in ("max_ont_sim", "ndcg", "recall", "precision", "map"):
        assert getattr(found, f"{name}_at_k")[10] == FIGURES[f"{name}@10"]
    assert SingleTermRetrievalMetrics.names([20, 1, 20])[1:3] == ["hit@1", "hit@20"]
    with pytest.raises(KeyError, match="hit@20"):
        SingleTermRetrievalMetrics.of(FIGURES, [20])
    for wrong in ([], [0], [1, -3], [True], ["5"], [2.0]):
        with pytest.raises(assay.BadParameter):
            SingleTermRetrievalMetrics.names(wrong)
    plain = SingleTermRetrievalMetrics.of(FIGURES, [1]).to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["mrr"], plain["hit_rate_at_k"]) == (0.5, {"1": FIGURES["hit@1"]})


IDS = st.sampled_from("abcdefgh")
GRADES = st.integers(-1, 3) | st.floats(-1, 3)


@given(
    retrieved=st.lists(IDS, unique=True),
    relevant=st.sets(IDS) | st.dictionaries(IDS, GRADES),
    grades=st.none() | st.lists(GRADES, min_size=8, max_size=8),
)
def test_a_batch_gives_the_scores_of_the_metrics_in_the_catalog(retrieved, relevant, grades):
    scores = None if grades is None else grades[: len(retrieved)]
    found = BatchEvaluator([1, 3, 10]).evaluate_query("q", retrieved, relevant, scores)
    truth = relevant if isinstance(relevant, dict) else dict.fromkeys(relevant, 1)
    graded = truth if scores is None else truth | dict(zip(retrieved, scores, strict=True))
    function_of = {metric: function for function, metric in METRIC_OF.items()}
    for name, value in found.items():
        metric, _, k = name.partition("@")
        judged = graded if metric == "ndcg" else truth
        assert value == close(function_of[metric](retrieved, judged, int(k))), name
    whole = {ord(doc): grade for doc, grade in truth.items()}
    again = BatchEvaluator([1, 3, 10]).evaluate_query("q", tuple(map(ord, retrieved)), whole, scores)
    assert again == found, "whole numbers are ids too"
