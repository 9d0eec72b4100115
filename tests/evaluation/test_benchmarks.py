"""Benchmarks of a plan: loaded together, what they must not have in common, and the metrics they have by default."""

import json

import pytest

import assay
from assay import BadParameter, BenchmarkDataset, DataError, Document, Query
from assay.evaluation import default_metrics, formats_of
from assay.execution import PlanFaults, WrittenPlan, load_benchmarks, make_plan


@pytest.fixture
def place(tmp_path, monkeypatch):
    """German and English queries in two files; one more file with the name of the first."""
    for file, name, language in (("de", "german", "de"), ("en", "english", "en"), ("again", "german", "de")):
        dataset = BenchmarkDataset(name)
        dataset.add_query(Query("q", "text", metadata={"language": language}))
        dataset.add_document(Document("d", "text"))
        dataset.qrels["q"] = {"d": 1.0}
        dataset.save_json(tmp_path / f"{file}.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(*benchmarks, **more):
    faults = PlanFaults("plan")
    plan = make_plan(WrittenPlan({"benchmarks": list(benchmarks), "providers": "bm25", **more}))
    datasets = load_benchmarks(plan, faults)
    faults.raise_if_any()
    return {path: dataset.name for path, dataset in datasets.items()}


def test_all_are_loaded_by_what_the_plan_calls_them(place):
    assert load("de.json", "en.json", "rag-template")["de.json"] == "german"
    with pytest.raises(BadParameter, match="german"):
        load("de.json", "again.json")
    with pytest.raises(DataError):
        load("de.json", dataset_format="beir")


def test_one_without_documents_is_refused_for_those_who_search_in_them(place):
    bare = BenchmarkDataset("bare", queries={"q": Query("q", "text")}, qrels={"q": {"d": 1.0}})
    bare.save_json(place / "bare.json")
    with pytest.raises(DataError, match=r"^bare has no documents, but rerank\(bm25\), command:x need documents"):
        load("bare.json", providers=["rerank(bm25)", "command:x", "command(command=y, index=false)", "replay:x.run"])
    assert load("bare.json", providers=["replay:x.run", "hybrid(replay:x.run, replay:y.run)"]) == {"bare.json": "bare"}


HPO = ["mrr", "hit@1", "hit@10", "max_ont_sim@10"]
RAG = [metric.name for metric in default_metrics([""])]


def names(benchmarks, **more):
    return [metric.name for metric in make_plan({"benchmarks": benchmarks, "providers": ["bm25"], **more}).metrics]


def test_cases_of_terms_have_metrics_of_their_own_and_mixtures_the_default_group(tmp_path):
    for benchmarks in (["hpo-en"], ["hpo-de:tiny", "hpo-fr"], "hpo-nl"):
        assert names(benchmarks) == HPO, benchmarks
    assert names(["hpo-en"], metrics=["ndcg@10"]) == ["ndcg@10"]
    assert names(["rag-template"]) == names(["rag-template", "hpo-en"]) == RAG != HPO
    file = tmp_path / "mine.json"
    file.write_text(json.dumps([{"text": "fit", "expected_hpo_ids": ["HP:0001250"]}]))
    assert formats_of([str(file), "rag-template", "nowhere.json"]) == ["hpo_cases", "", ""]
    assert names([str(file)]) == HPO
    assert list(assay.evaluate(assay.load_dataset(file), {"1": ["HP:0001250"]}).summary) == HPO
