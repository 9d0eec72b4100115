"""Metrics described in words, from the records alone."""

import json

import pytest

from assay.metrics.descriptions import describe, describe_all, explain, written
from assay.metrics.registry import all_metrics

METRICS = all_metrics()


def test_names_as_they_are_written():
    assert written(METRICS["precision"]) == "precision@k"
    assert written(METRICS["ndcg"]) == "ndcg[@k]"
    assert written(METRICS["iprec"]) == "iprec@recall"
    assert written(METRICS["f"]) == "f1@k"
    assert written(METRICS["bpref"]) == "bpref"


def test_the_list_has_a_line_for_each():
    rows = describe_all()
    assert len(rows) == len(METRICS)
    assert {"name": "mrr[@k]", "parameters": "rel, judged_only", "range": "0 … 1", "meaning": METRICS["mrr"].meaning} in rows


@pytest.mark.parametrize(
    ("name", "wanted"), [("map", "0 … 1"), ("dcg", "0 … ∞"), ("utility", "−∞ … ∞"), ("relstring", "text")]
)
def test_ranges(name, wanted):
    assert describe(METRICS[name])["range"] == wanted


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_a_description_is_plain_and_complete(metric):
    facts = describe(metric)
    assert json.loads(json.dumps(facts)) == facts
    assert [param["name"] for param in facts["parameters"]] == [param.name for param in metric.params]
    text = explain(metric)
    for fact in (metric.meaning, metric.formula, metric.edge_cases, metric.cite, *metric.spellings):
        assert fact in text
    for param in metric.params:
        assert param.meaning in text


def test_defaults_in_words():
    defaults = {param["name"]: param["default"] for param in describe(METRICS["bpm"])["parameters"]}
    assert defaults == {"k": "required", "t": "1", "min_grade": "0", "max_grade": "none"}


def test_an_explanation_says_which_way_is_better():
    assert "0 … 1, higher is better" in explain(METRICS["ndcg"])
    assert "0 … 1, lower is better" in explain(METRICS["unjudged"])


def test_an_explanation_names_the_groups():
    assert "in groups     rag, beir, mteb, all_trec" in explain(METRICS["ndcg"])
    assert "in groups" not in explain(METRICS["q_measure"])
