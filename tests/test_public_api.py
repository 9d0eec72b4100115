"""The public names: which there are, what they are, and how they are called. A change here is a change for users."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pickle
from pathlib import Path

import pytest

import assay
import assay.compat.pytrec_eval
import assay.errors
import assay.metrics

NAMES = [
    "AssayError",
    "BadParameter",
    "BenchmarkComparison",
    "BenchmarkDataset",
    "Comparison",
    "DataError",
    "Document",
    "GateFailed",
    "Hit",
    "NothingSelected",
    "Policy",
    "Profile",
    "ProviderError",
    "Qrels",
    "Query",
    "Relevance",
    "RelevanceJudgment",
    "ReproducibleEvaluationRunner",
    "Result",
    "Run",
    "Span",
    "StoreError",
    "UnknownName",
    "UsageError",
    "__version__",
    "compare",
    "evaluate",
    "evaluate_answers",
    "evaluate_multilingual_model",
    "evaluate_routing",
    "find_profile",
    "fuse",
    "load_dataset",
    "load_hpo",
    "load_ontology",
    "metric",
    "run",
    "tune_fusion",
    "why",
    "with_intervals",
]
METRICS_NAMES = [
    "BatchEvaluator",
    "SingleTermRetrievalMetrics",
    "average_precision_at_k",
    "binary_to_graded",
    "dcg_at_k",
    "f1_at_k",
    "hit_rate_at_k",
    "mean_average_precision_at_k",
    "mean_mrr_at_k",
    "mean_ndcg_at_k",
    "mean_precision_at_k",
    "mean_recall_at_k",
    "mrr_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
]
PYTREC_EVAL_NAMES = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]


@pytest.mark.parametrize(
    ("module", "names"),
    [(assay, NAMES), (assay.metrics, METRICS_NAMES), (assay.compat.pytrec_eval, PYTREC_EVAL_NAMES)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_public_names_are_these(module, names):
    assert module.__all__ == names
    assert names == sorted(names)
    for name in names:
        assert hasattr(module, name)


def test_dir_shows_the_public_names_alone():
    assert dir(assay) == NAMES


def test_names_that_are_imported_late_are_those_of_their_home():
    stub = ast.parse(Path(assay.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert homes.keys() == set(NAMES)
    for name, home in homes.items():
        assert getattr(assay, name) is getattr(importlib.import_module(home), name)


def test_a_star_import_brings_exactly_these():
    names: dict[str, object] = {}
    exec("from assay import *", names)
    assert sorted(names.keys() - {"__builtins__"}) == NAMES


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'assay' has no attribute 'evaluat'"):
        assay.evaluat  # noqa: B018
    assert not hasattr(assay, "rank")


@pytest.mark.parametrize(
    "name",
    [
        *("BenchmarkDataset", "Document", "Hit", "Policy", "Profile", "Qrels", "Query", "Relevance", "RelevanceJudgment"),
        *("ReproducibleEvaluationRunner", "Result", "Run", "Span"),
    ],
)
def test_nouns_are_classes(name):
    assert inspect.isclass(getattr(assay, name))


def test_the_version_is_a_plain_constant():
    assert [part.isdecimal() for part in assay.__version__.split(".")] == [True] * 3


def test_type_hints_are_shipped():
    assert (Path(assay.__file__).parent / "py.typed").is_file()


def parameters(function):
    """How a function is called, without its annotations: `name`, `name=default`, and `*` before keywords."""
    signature = inspect.signature(function)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in signature.parameters.items()
        if name != "self"
    ]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (
            assay.evaluate,
            (
                "(qrels, run, metrics=None, *, policy=None, profile=None, name='', tie_band=False, residuals=False, "
                "relevance='auto', ontology=None)"
            ),
        ),
        (assay.why, "(qrels, run, metrics=None, expected=None, *, policy=None, profile=None)"),
        (assay.run, "(dataset, retriever, metrics=None, *, k=None, policy=None, name='', **settings)"),
        (assay.compare, "(qrels, runs, metrics=None, *, baseline=None, intersect=False, **settings)"),
        (assay.with_intervals, "(result, method='auto', level=0.95, seed=0, metrics=None)"),
        (assay.ReproducibleEvaluationRunner, "(dataset, model_name, model_version='')"),
        (assay.load_dataset, "(source, format=None)"),
        (assay.load_ontology, "(path=None, annotations=None)"),
        (
            assay.Relevance,
            (
                "(by='auto', unit='as_retrieved', id_map=None, defaults=<factory>, ontology=None, annotations=None,"
                " options=<factory>)"
            ),
        ),
        (
            assay.Query,
            (
                "(query_id, text='', query_type=None, difficulty=None, domain=None, metadata=None, expected=None, "
                "evidence=None, scope=None)"
            ),
        ),
        (
            assay.Document,
            "(doc_id, text='', source=None, page_number=None, section=None, metadata=None, title=None, group=None)",
        ),
        (assay.RelevanceJudgment, "(query_id, doc_id, relevance_grade=1, judge=None, timestamp=None)"),
        (assay.Hit, "(doc_id, score=0.0, text=None, metadata=None)"),
        (assay.Span, "(doc_id, start, end, unit='characters', text=None)"),
        (assay.BenchmarkDataset.add_query, "(query)"),
        (assay.BenchmarkDataset.add_document, "(document)"),
        (assay.BenchmarkDataset.add_judgment, "(judgment)"),
        (assay.BenchmarkDataset.from_json, "(path)"),
        (assay.BenchmarkDataset.save_json, "(path)"),
        (assay.BenchmarkDataset.from_trec_qrels, "(path, name='', version='1.0')"),
        (assay.BenchmarkDataset.save_trec_qrels, "(path)"),
        (assay.BenchmarkDataset.get_statistics, "()"),
        (assay.BenchmarkDataset.get_relevant_docs, "(query_id, min_grade=None)"),
        (assay.BenchmarkDataset.get_relevance_grade, "(query_id, doc_id)"),
        (assay.BenchmarkDataset.fingerprint, "(part)"),
        (assay.find_profile, "(name)"),
        (assay.Profile.adjusted, "(**settings)"),
        (assay.Qrels, "(source)"),
        (assay.Run, "(source, *, duplicates='error')"),
        (assay.Result.scores, "(metric)"),
        (assay.Result.array, "(metric)"),
        (assay.Result.sorted_by, "(metric)"),
        (assay.Result.to_dict, "(*, per_query=True)"),
        (assay.Policy.to_dict, "()"),
        (assay.metrics.precision_at_k, "(retrieved, relevant, k)"),
        (assay.metrics.recall_at_k, "(retrieved, relevant, k)"),
        (assay.metrics.f1_at_k, "(retrieved, relevant, k)"),
        (assay.metrics.hit_rate_at_k, "(retrieved, relevant, k)"),
        (assay.metrics.mrr_at_k, "(retrieved, relevant, k)"),
        (assay.metrics.average_precision_at_k, "(retrieved, relevant, k)"),
        (assay.metrics.dcg_at_k, "(retrieved, relevant=None, k=None)"),
        (assay.metrics.ndcg_at_k, "(retrieved, relevant=None, k=None, *, ideal=())"),
        (assay.metrics.mean_precision_at_k, "(all_queries, k)"),
        (assay.metrics.mean_recall_at_k, "(all_queries, k)"),
        (assay.metrics.mean_mrr_at_k, "(all_queries, k)"),
        (assay.metrics.mean_average_precision_at_k, "(all_queries, k)"),
        (assay.metrics.mean_ndcg_at_k, "(all_queries, k)"),
        (assay.metrics.binary_to_graded, "(relevant, grade=1)"),
        (assay.metrics.BatchEvaluator, "(k_values=(5, 10))"),
        (assay.metrics.BatchEvaluator.evaluate_query, "(query_id, retrieved_ids, relevant_ids, relevance_scores=None)"),
        (assay.metrics.BatchEvaluator.get_aggregate_metrics, "()"),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_signatures(function, wanted):
    assert parameters(function) == wanted


def test_the_fields_of_a_policy():
    assert {field.name: field.default for field in dataclasses.fields(assay.Policy)} == {
        "ties": "docid_desc",
        "precision": "float64",
        "missing": "zero",
        "extra": "skip",
        "no_relevant": "zero",
        "rel": None,
        "judged_only": False,
        "negatives": "unjudged",
        "drop_self": False,
        "max_grade": None,
        "duplicates": "error",
    }
    with pytest.raises(TypeError):
        assay.Policy("docid_asc")
    with pytest.raises(dataclasses.FrozenInstanceError):
        assay.Policy().ties = "docid_asc"


def test_a_result_has_what_users_rely_on():
    result = assay.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, ["mrr"], name="mine")
    public = {name for name in dir(result) if not name.startswith("_")}
    assert public == {
        *("array", "benchmark", "beside", "counts", "failures", "fingerprints", "grader", "intervals", "metrics", "missing"),
        *("has_shared_times", "nonrelevant", "own_name", "relevant", "said"),
        *(
            "name",
            "notes",
            "policies",
            "policy",
            "profile",
            "provenance",
            "queries",
            "query_ids",
            "recorded",
            "relevance",
            "residuals",
            "run",
        ),
        *("scores", "settings", "sorted_by", "summary", "table", "tie_bands", "ties", "to_dict"),
        *("all_scores", "evidence", "origin", "merge", "renamed", "subset", "with_fields"),
    }
    assert isinstance(result, assay.Result)
    assert isinstance(result["mrr"], float)


@pytest.mark.parametrize(
    "value",
    [
        assay.Policy(rel=2),
        assay.Qrels({"q1": {"a": 1}}),
        assay.Run({"q1": {"a": 1.0}}),
        assay.Query("q1", "text", evidence=["a"]),
        assay.Document("a", "text"),
        assay.RelevanceJudgment("q1", "a", 2),
        assay.Hit("a", 1.0, "text"),
        assay.Span("a", 0, 7),
        assay.Relevance("token", "chunk", {"a#1": "a"}),
        assay.BenchmarkDataset("mine", queries={"q1": assay.Query("q1")}),
        assay.DataError("wrong", ["here"]),
        assay.ProviderError("it does not start"),
        assay.NothingSelected("no query is left"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_can_be_pickled(value):
    again = pickle.loads(pickle.dumps(value))
    assert type(again) is type(value)
    assert str(again) == str(value)
