"""Benchmarks of a plan: loaded together, and what they must not have in common."""

import pytest

from assay import BadParameter, BenchmarkDataset, DataError, Document, NothingSelected, Query
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


def test_two_of_one_name_are_refused(place):
    with pytest.raises(BadParameter, match=r"de\.json and again\.json are both called german"):
        load("de.json", "again.json")


def test_a_value_of_any_benchmark_is_known(place):
    assert len(load("de.json", "en.json", selection={"where": {"language": ["de", "en"]}})) == 2
    with pytest.raises(NothingSelected, match="no query has language=fr; language has de, en"):
        load("de.json", "en.json", selection={"where": {"language": ["de", "fr"]}})
    with pytest.raises(NothingSelected, match="no query has language=en; language has de"):
        load("de.json", selection={"where": {"language": ["de", "en"]}})


def test_everything_that_cannot_be_read_is_noted(place):
    faults = PlanFaults("plan")
    plan = make_plan(WrittenPlan({"benchmarks": ["gone.json", "de.json", "rag-tempalte"], "providers": "bm25"}))
    assert list(load_benchmarks(plan, faults)) == ["de.json"]
    assert len(faults) == 2


def test_the_format_may_be_given(place):
    with pytest.raises(DataError):
        load("de.json", dataset_format="beir")


def test_one_without_documents_is_refused_for_those_who_search_in_them(place):
    bare = BenchmarkDataset("bare")
    bare.add_query(Query("q", "text"))
    bare.qrels["q"] = {"d": 1.0}
    bare.save_json(place / "bare.json")
    with pytest.raises(DataError, match=r"^bare has no documents, and bm25 needs some to search in; add them"):
        load("bare.json")
    with pytest.raises(DataError, match=r"^bare has no documents, and rerank\(bm25\), command:x need some"):
        load("bare.json", providers=["rerank(bm25)", "command:x", "command(command=y, index=false)", "replay:x.run"])
    assert load("bare.json", providers=["replay:x.run", "hybrid(replay:x.run, replay:y.run)"]) == {"bare.json": "bare"}
