"""Arrays and typed lists in evaluate, `to_typed_list` and `sorted`; by hand. Against ranx itself: test_against_ranx.py."""

import warnings

import numpy as np
import pytest

from assay.compat.ranx import DifferenceWarning, Qrels, Run, evaluate

QRELS = np.array([[[12, 5], [25, 3]], [[11, 6], [22, 1]]], dtype=float)
RUN = np.array([[[12, 0.9], [23, 0.8], [25, 0.7]], [[12, 0.1], [11, 0.8], [25, 0.9]]])


def test_arrays_and_lists_of_arrays_are_paired_by_position_and_rows_are_the_ranking():
    for kind in (np.asarray, list):
        assert evaluate(kind(QRELS), kind(RUN), ["ndcg@5", "mrr"]) == pytest.approx(
            {"ndcg@5": 0.7569557807573265, "mrr": 0.75}
        )
    assert evaluate(QRELS.astype(int), RUN, "mrr", return_mean=False).tolist() == [1.0, 0.5], "11 is in the second row"


def test_rows_that_fill_an_array_are_not_documents_that_count_twice():
    qrels = np.array([[[12, 5], [0, 0], [0, 0]], [[11, 6], [22, 1], [23, 1]]], dtype=float)
    run = np.array([[[12, 0.9], [0, 0], [0, 0]], [[12, 0.7], [11, 0.8], [25, 0.9]]])
    assert evaluate(qrels, run, ["precision", "recall"]) == pytest.approx({"precision": 1 / 3, "recall": 2 / 3})


def test_a_typed_list_of_a_run_has_the_hash_of_each_document():
    run = Run({"q2": {"c": 1.0}, "q1": {"a": 0.9, "b": 0.95}})
    first, second = run.to_typed_list()
    assert first.tolist() == [[float(hash("b")), 0.95], [float(hash("a")), 0.9]]
    assert second.shape == (1, 2)
    assert Qrels({"q": {"a": 1, "b": 3}}).to_typed_list()[0][:, 1].tolist() == [3.0, 1.0]


def test_one_side_may_be_a_typed_list():
    qrels, run = Qrels({"q1": {"a": 1}, "q2": {"b": 1, "c": 1}}), Run({"q1": {"a": 1.0}, "q2": {"x": 2.0, "b": 1.0}})
    assert evaluate(qrels.to_typed_list(), run, "mrr") == evaluate(qrels, run.to_typed_list(), "mrr") == 0.75
    assert run.scores["mrr"] == {"q1": 1.0, "q2": 0.5}
    backwards = {"q2": {"x": 2.0, "b": 1.0}, "q1": {"a": 1.0}}
    assert evaluate(qrels.to_typed_list()[::-1], backwards, "mrr") == 0.75, "a dict keeps the order of its queries"


def test_what_is_sorted():
    for some in (Run(), Qrels()):
        assert not some.sorted
        some.add_score("q1", "a", 1)
        assert not some.sorted
        evaluate({"q1": {"a": 1}}, some, "mrr") if isinstance(some, Run) else some.sort()
        assert some.sorted
        some.add_score("q1", "b", 1)
        some.add("q2", ["a"], [1])
        assert some.sorted
    assert Run({"q": {"a": 1.0}}).sorted
    assert Qrels({"q": {"a": 1}}).sorted


def test_judgments_that_are_not_sorted_by_grade_are_sorted_with_a_warning():
    with pytest.warns(DifferenceWarning, match="sorted by grade"):
        found = evaluate(QRELS[:, ::-1], RUN, "ndcg")
    assert found == evaluate(QRELS, RUN, "ndcg")


def test_dicts_in_different_orders_are_paired_by_id_with_a_warning():
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q2": {"b": 1.0}, "q1": {"a": 1.0}}
    with pytest.warns(DifferenceWarning, match="by position") as caught:
        assert evaluate(qrels, run, "map") == 1.0
    assert caught[0].filename == __file__, "the warning points to the line that called the drop-in"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(Qrels(qrels), Run(run), "map") == 1.0, "ranx sorts these, so there is no difference"


def test_what_cannot_be_read(snapshots):
    cases = {
        "another number of queries": lambda: evaluate(QRELS, RUN[:1], "mrr"),
        "one query": lambda: evaluate(QRELS[0], RUN[0], "mrr"),
        "three columns": lambda: evaluate(QRELS, np.zeros((2, 3, 3)), "mrr"),
        "retrieved twice": lambda: evaluate(QRELS, RUN[:, [0, 1, 0]], "mrr"),
        "judged twice": lambda: evaluate(QRELS[:, [0, 0]], RUN, "mrr"),
        "an array and a file": lambda: evaluate(QRELS, "bm25.run", "mrr"),
    }
    snapshots.check_errors("compat/ranx-arrays", cases)
