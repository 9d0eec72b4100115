"""Usual metrics: HPO cases have their own where nobody says what to measure."""

import json

import pytest

import assay
from assay.evaluation import default_metrics, formats_of
from assay.execution import make_plan

HPO = ["mrr", "hit@1", "hit@10", "max_ont_sim@10"]
RAG = [metric.name for metric in default_metrics([""])]


def names(benchmarks, **more):
    return [metric.name for metric in make_plan({"benchmarks": benchmarks, "providers": ["bm25"], **more}).metrics]


@pytest.mark.parametrize("benchmarks", [["hpo-en"], ["hpo-de:tiny", "hpo-fr"], "hpo-nl"])
def test_bundled_cases_have_their_own(benchmarks):
    assert names(benchmarks) == HPO


def test_what_is_asked_for_is_measured():
    assert names(["hpo-en"], metrics=["ndcg@10"]) == ["ndcg@10"]


def test_other_benchmarks_and_mixtures_have_the_default_group():
    assert names(["rag-template"]) == names(["rag-template", "hpo-en"]) == RAG
    assert RAG[0] != "mrr"


def test_a_file_of_cases_is_recognised(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps([{"text": "fit", "expected_hpo_ids": ["HP:0001250"]}]))
    assert formats_of([str(file), "rag-template", "nowhere.json"]) == ["hpo_cases", "", ""]
    assert names([str(file)]) == HPO
    dataset = assay.load_dataset(file)
    assert list(assay.evaluate(dataset, {"1": ["HP:0001250"]}).summary) == HPO
