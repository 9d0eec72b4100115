"""compat.loop: what tests/seeds/test_seed_001.py does not say about it."""

import inspect
import math

import pytest

import assay
from assay.compat import loop

ARGUMENTS = {"relevance_scores": [3, 0, 2], "retrieved_ids": ["a", "b"], "relevant_ids": {"b"}, "k": 2}
FUNCTIONS = (
    *("precision_at_k", "recall_at_k", "f1_at_k", "hit_rate_at_k"),
    *("mrr_at_k", "average_precision_at_k", "dcg_at_k", "ndcg_at_k"),
)


def test_functions_are_those_of_assay_under_the_names_of_their_arguments():
    for name in FUNCTIONS:
        function = getattr(loop, name)
        arguments = {argument: ARGUMENTS[argument] for argument in inspect.signature(function).parameters}
        assert function(**arguments) == getattr(assay.metrics, name)(*arguments.values()), name


def test_classes_are_those_of_assay():
    for name in ("BenchmarkDataset", "Query", "Document", "RelevanceJudgment", "BenchmarkComparison"):
        assert issubclass(getattr(loop, name), getattr(assay, name)), name
    assert issubclass(loop.BatchEvaluator, assay.metrics.BatchEvaluator)


def test_a_run_with_scores_is_written_best_first(tmp_path):
    loop.save_trec_run({"q1": {"a": 0.25, "b": 0.5}, 2: [7]}, str(tmp_path / "a.run"))
    assert (tmp_path / "a.run").read_text() == "q1 Q0 b 1 0.5 assay\nq1 Q0 a 2 0.25 assay\n2 Q0 7 1 0.0 assay\n"
    with pytest.raises(assay.DataError):
        loop.save_trec_run({"q1": ["a b"]}, tmp_path / "b.run")
    assert not (tmp_path / "b.run").exists()


TWICE, RELEVANT = ["a", "a", "b", "7", "7"], {"a", "b", "7"}
CREDITED = {"precision_at_k": 3 / 5, "recall_at_k": 1, "f1_at_k": 3 / 4}
CREDITED |= {"average_precision_at_k": (1 / 1 + 2 / 3 + 3 / 4) / 3}


def test_a_document_retrieved_twice_is_credited_once_with_a_warning(tmp_path):
    for name, value in CREDITED.items():
        with pytest.warns(loop.DifferenceWarning, match="retrieved twice"):
            assert getattr(loop, name)(TWICE, RELEVANT, 5) == pytest.approx(value), name
        if hasattr(loop, f"mean_{name}"):
            for query in ((TWICE, RELEVANT), {"retrieved_ids": TWICE, "relevant_ids": RELEVANT}):
                with pytest.warns(loop.DifferenceWarning, match="retrieved twice"):
                    assert getattr(loop, f"mean_{name}")([query], 5) == pytest.approx(value), name
    with pytest.warns(loop.DifferenceWarning, match="retrieved twice"):
        found = loop.BatchEvaluator([5]).evaluate_query("q", TWICE, RELEVANT, [3, 3, 2, 1, 1])
    assert found["precision@5"] == 3 / 5
    assert found["ndcg@5"] == pytest.approx((3 + 2 / 2 + 1 / math.log2(5)) / (3 + 2 / math.log2(3) + 1 / 2))
    dataset = loop.BenchmarkDataset("Chunks", qrels={"q": dict.fromkeys(RELEVANT, 1)}, queries={"q": loop.Query("q", "?")})
    with pytest.warns(loop.DifferenceWarning, match="retrieved twice"):
        assert (
            loop.ReproducibleEvaluationRunner(dataset, "m").evaluate_run({"q": TWICE}, "precision@5")["precision@5"] == 3 / 5
        )
    with pytest.warns(loop.DifferenceWarning, match="save_trec_run"):
        loop.save_trec_run({"q": TWICE}, tmp_path / "a.run")
    assert [line.split()[2] for line in (tmp_path / "a.run").read_text().splitlines()] == ["a", "b", "7"]


def test_wrong_types_are_refused(snapshots):
    cases = {
        "one id": lambda: loop.binary_to_graded("d1"),
        "grades that are there already": lambda: loop.binary_to_graded({"d1": 3}),
        "no ids": lambda: loop.binary_to_graded(None),
        "a number of ids": lambda: loop.binary_to_graded(7),
        "a grade in words": lambda: loop.binary_to_graded(["d1"], grade="high"),
        "one retrieved id": lambda: loop.precision_at_k("d1", {"d1"}, 1),
        "retrieved ids without an order": lambda: loop.recall_at_k({"d1"}, {"d1"}, 1),
        "nothing retrieved": lambda: loop.mrr_at_k(None, {"d1"}, 1),
        "one relevant id": lambda: loop.hit_rate_at_k(["d1"], "d1", 1),
        "no relevant ids": lambda: loop.f1_at_k(["d1"], None, 1),
        "an id that is a list": lambda: loop.precision_at_k([["d1"]], {"d1"}, 1),
        "k in words": lambda: loop.precision_at_k(["d1"], {"d1"}, "1"),
        "k with a fraction": lambda: loop.average_precision_at_k(["d1"], {"d1"}, 1.0),
        "grades in a string": lambda: loop.ndcg_at_k("321", 3),
        "grades by id": lambda: loop.ndcg_at_k({"d1": 3}, 3),
        "one grade": lambda: loop.dcg_at_k(3, 3),
        "queries in a string": lambda: loop.mean_recall_at_k("ab", 1),
        "one query": lambda: loop.mean_ndcg_at_k({"retrieved_ids": []}, 1),
        "cutoffs in a string": lambda: loop.BatchEvaluator("5"),
        "one cutoff": lambda: loop.BatchEvaluator(5),
        "one id for a batch": lambda: loop.BatchEvaluator().evaluate_query("q", "d1", {"d1"}, [1]),
        "one relevant id for a batch": lambda: loop.BatchEvaluator().evaluate_query("q", ["d1"], "d1", [1]),
        "a grade that is text": lambda: loop.BatchEvaluator().evaluate_query("q", ["d1"], {"d1"}, ["1"]),
        "values in a list": lambda: loop.detect_metric_anomalies([0.5], {"mrr": 0.5}),
    }
    snapshots.check_errors("compat/loop", cases)
