"""compat.loop: what tests/seeds/test_seed_001.py does not say about it."""

import inspect

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
        assert getattr(loop, name) is getattr(assay, name)
    assert loop.BatchEvaluator is assay.metrics.BatchEvaluator


def test_a_run_with_scores_is_written_best_first(tmp_path):
    loop.save_trec_run({"q1": {"a": 0.25, "b": 0.5}, 2: [7]}, str(tmp_path / "a.run"))
    assert (tmp_path / "a.run").read_text() == "q1 Q0 b 1 0.5 assay\nq1 Q0 a 2 0.25 assay\n2 Q0 7 1 0.0 assay\n"
    with pytest.raises(assay.DataError):
        loop.save_trec_run({"q1": ["a b"]}, tmp_path / "b.run")
    assert not (tmp_path / "b.run").exists()


def test_a_document_retrieved_twice_is_an_error():
    with pytest.raises(assay.DataError):
        loop.precision_at_k(["a", "a"], {"a"}, 2)
