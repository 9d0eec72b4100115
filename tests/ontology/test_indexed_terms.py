"""Indexed terms: what is searched where documents are terms; the same from Python as at the terminal."""

import json

import pytest

import assay
from assay import DataError, Query
from assay.datasets import BenchmarkDataset
from assay.evaluation import with_domain_documents
from assay.execution import make_plan

from ._small import obo

NAMES = {"HP:0000001": "All", "HP:0001250": "Seizure", "HP:0001945": "Fever"}
BABELON = "translation_language\tsubject_id\tpredicate_id\ttranslation_value\nde\tHP:0001250\trdfs:label\tKrampfanfall\n"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch, hpo_cache):
    """A folder with a small ontology, German labels, a fruit ontology, and files of cases."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(hpo_cache))
    above = {one: [] if one == "HP:0000001" else ["is_a: HP:0000001"] for one in NAMES}
    terms = {one: [f"name: {name}", f'synonym: "attack of {name}" EXACT []', *above[one]] for one, name in NAMES.items()}
    (tmp_path / "small.obo").write_text(obo(terms))
    (tmp_path / "fruit.obo").write_text(obo({"FR:1": ["name: pear"]}, "fruit"))
    (tmp_path / "de.tsv").write_text(BABELON)
    write(tmp_path / "mine.json", ("Krampfanfall", "de", "HP:0001250"))
    write(tmp_path / "two.json", ("Krampfanfall", "de", "HP:0001250"), ("attack", "en", "HP:0001945"))
    write(tmp_path / "fruit.json", ("a pear", "en", "FR:1"))
    return tmp_path


def write(path, *cases):
    rows = [{"text": text, "language": language, "expected_hpo_ids": [one]} for text, language, one in cases]
    path.write_text(json.dumps(rows))


def plan(benchmark, **more):
    return make_plan({"benchmarks": [benchmark], "providers": ["bm25"], "metrics": ["mrr"], **more})


def indexed_all(datasets, **more):
    """Benchmarks with the documents that a plan has indexed."""
    made = plan(next(iter(datasets)), **more)
    options, select = made.relevance.domain_options, made.selection.apply
    return with_domain_documents(datasets, options, select, is_searched=True)


def indexed(benchmark, dataset=None, **more):
    loaded = assay.load_dataset(benchmark) if dataset is None else dataset
    return indexed_all({benchmark: loaded}, **more)[benchmark]


def test_python_indexes_the_fields_and_labels_that_are_asked_for(place):
    all_fields = assay.run("mine.json", "bm25", ["mrr"], ontology="small.obo")
    assert all_fields.provenance["dataset"]["documents"]["fields"] == ["label", "synonyms", "definition"]
    assert all_fields["mrr"] == 0
    one = assay.run("mine.json", "bm25", ["mrr"], ontology="small.obo", fields=["label"])
    documents = {"ontology": "small", "version": "", "fields": ["label"], "language": "en"}
    assert one.provenance["dataset"]["documents"] == documents
    assert "only these fields are indexed: label (not synonyms, definition)." in one.notes
    found = assay.run("mine.json", "bm25", ["mrr"], ontology="small.obo", labels=[place / "de.tsv"])
    assert found["mrr"] == 1
    assert any("German labels for 1 of 3 terms" in note for note in found.notes)
    assert not any("cross-lingual" in note for note in found.notes)
    chosen = assay.load_hpo("mine.json", fields="label", ontology="small.obo")
    assert indexed("mine.json", chosen, ontology="small.obo") is chosen, "fields stay as chosen"


@pytest.mark.slow
def test_an_ontology_replaces_what_is_searched_which_is_hpo():
    with pytest.raises(DataError, match="FR:1"):
        assay.run("fruit.json", "bm25", ["mrr"])
    other = indexed("mine.json", assay.load_hpo("mine.json", fields="label"), ontology="small.obo")
    assert set(other.documents) == set(NAMES)
    assert other.metadata["documents"]["fields"] == ["label"]


def test_languages_are_never_in_one_mean():
    with pytest.raises(DataError, match="de and en"):
        assay.run("two.json", "bm25", ["mrr"], ontology="small.obo")
    alone = assay.run("two.json", "bm25", ["mrr"], ontology="small.obo", labels="de.tsv", selection={"where": "language=de"})
    assert alone["mrr"] == 1
    scored = assay.evaluate(assay.load_hpo("two.json", ontology="small.obo"), {"1": ["HP:0001250"]}, ["mrr"])
    assert any(note.startswith("the mean mixes cases in de and en") for note in scored.notes)


def test_benchmarks_search_the_terms_that_are_given():
    """Cases of any ontology, and a benchmark without documents."""
    found = assay.run("fruit.json", "bm25", ontology="fruit.obo").summary
    assert found.items() >= {"mrr": 1.0, "hit@1": 1.0, "hit@10": 1.0, "max_ont_sim@10": 1.0}.items()
    bare = BenchmarkDataset("bare", queries={"q": Query("q", "a pear")}, qrels={"q": {"FR:1": 1}})
    assert set(indexed("bare", bare, ontology="fruit.obo").documents) == {"FR:1"}
    assert indexed("bare", bare).documents == {}
    both = {"fruit.json": assay.load_dataset("fruit.json"), "rag-template": assay.load_dataset("rag-template")}
    found = indexed_all(both, ontology="fruit.obo")
    assert found["rag-template"] is both["rag-template"], "somebody expects terms of it"


def test_errors(snapshots):
    snapshots.check_errors(
        "ontology/indexed_terms",
        {
            "two languages": lambda: indexed("two.json", ontology="small.obo"),
            "another ontology": lambda: indexed("mine.json", ontology="fruit.obo"),
            "an ontology of nobody": lambda: indexed("rag-template", ontology="fruit.obo"),
            "nobody indexes terms": lambda: indexed("rag-template", fields=["label"]),
            "no field": lambda: plan("mine.json", fields=[]),
            "no ontology": lambda: plan("mine.json", ontology="none.obo"),
            "an address": lambda: plan("mine.json", ontology="http://x.org/hp.obo"),
            "no annotations": lambda: plan("mine.json", annotations="none.hpoa"),
            "no labels": lambda: plan("mine.json", labels=["none.tsv"]),
        },
    )
