"""fuse and optimize_fusion: names, parameters and what differs from ranx."""

import pytest

from assay.compat.ranx import DifferenceWarning, Qrels, Run, evaluate, fuse, optimize_fusion
from assay.errors import UnknownName

pytestmark = pytest.mark.filterwarnings("ignore::assay.compat.ranx.DifferenceWarning")

A = Run({"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"d": 2.0, "e": 1.0}}, name="one")
B = Run({"q1": {"b": 9.0, "c": 5.0}, "q2": {"e": 7.0, "f": 2.0}}, name="two")
QRELS = Qrels({"q1": {"b": 1}, "q2": {"e": 1, "f": 1}})
LEARNING = {"mapfuse", "posfuse", "probfuse", "segfuse", "slidefuse", "bayesfuse"}


def test_by_hand():
    assert fuse([A, B], method="sum")["q1"] == {"b": 1.5, "a": 1.0, "c": 0.0}
    assert fuse([A, B], norm=None, method="sum")["q1"] == {"b": 11.0, "c": 6.0, "a": 3.0}
    assert fuse([A, B], norm=None, method="rrf", params={"k": 10})["q1"]["b"] == pytest.approx(1 / 12 + 1 / 11)
    assert fuse([A, B], params={"weights": (0.25, 0.75)})["q2"] == {"e": 0.75, "d": 0.25, "f": 0.0}
    names = {"mnz": "comb_mnz", "wsum": "weighted_sum", "w_condorcet": "weighted_condorcet", "rrf": "rrf"}
    assert {method: fuse([A, B], method=method).name for method in names} == names
    near = Run({"q1": {"a": 0.1, "b": 0.5, "c": 0.9}})
    assert fuse([near, near], norm="min-max-inverted", method="max")["q1"] == pytest.approx({"a": 1.0, "b": 0.5, "c": 0.0})
    with pytest.warns(DifferenceWarning, match="min-max"):
        apart = fuse([Run({"q1": {"a": 5.0}}), Run({"q2": {"b": 5.0}})], method="sum")
    assert apart.to_dict() == {"q1": {"a": 1.0}, "q2": {"b": 1.0}}, "one document alone is worth something"
    assert fuse([A.to_dict(), B.to_dict()], method="sum").to_dict() == fuse([A, B], method="sum").to_dict()


def test_every_method_of_ranx():
    with pytest.raises(UnknownName) as caught:
        fuse([A, B], method="nothing")
    methods = str(caught.value.hint).removeprefix("choose from ").split(", ")
    assert len(methods) > 20
    for method in methods:
        params = optimize_fusion(QRELS, [A, B], method=method) if method in LEARNING else {}
        fused = fuse([A, B], method=method, params=params)
        found = {query: set(ranking) for query, ranking in fused.items()}
        assert found == {"q1": set("abc"), "q2": set("def")}, method
        assert 0 < evaluate(QRELS, fused, "ndcg") <= 1, method


def test_equal_scores_stand_by_id_and_stay_so():
    docs = [f"d{number:02}" for number in range(40)]
    tied = Run({"q": dict.fromkeys(docs, 1.0)})
    fused = fuse([tied, tied], norm=None, method="sum")
    assert list(fused.run["q"]) == docs[::-1]
    assert evaluate({"q": {"d39": 1}}, fused, "mrr") == 1.0


def test_weights_in_steps_that_add_up():
    best, report = optimize_fusion(QRELS, [A, B, A], metric="mrr", step=0.1, return_optimization_report=True)
    assert len(report.configs) == 66  # ranx drops those that rounding takes away from 1
    assert sum(best["weights"]) == pytest.approx(1.0)
    assert max(report.results) == pytest.approx(evaluate(QRELS, fuse([A, B, A], params=best), "mrr"))
    assert str(report).startswith("wsum\nweights")
    assert str(report).count(" *") == 1


def test_ranges():
    _, report = optimize_fusion(QRELS, [A, B], method="rrf", min_k=5, max_k=20, step=5, return_optimization_report=True)
    assert report.configs == ["5", "10", "15", "20"]
    assert optimize_fusion(QRELS, [A, B], method="gmnz", show_progress=False)["gamma"] == 1.0  # the last of equals
    best = optimize_fusion(QRELS, [A, B], method="slidefuse", max_w=3)
    assert set(best) == {"probs", "w"}
