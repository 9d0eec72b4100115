"""Metrics of result lists if chunks are retrieved: what is known about documents is known about their chunks."""

import numpy as np
import pytest

import assay
from assay import BenchmarkDataset, Document, Query, Relevance
from assay.cli import main
from assay.evaluation import read_results

# id: text, category, views. Chunks of 21 characters cut two of the texts in the middle.
DOCUMENTS = {
    "d1": ("red tent for one man red tent for one kid.", "camping", 4),
    "d2": ("blue coats in winter blue coats in summer.", "winter", 2),
    "d3": ("a sharp knife", "cooking", 1),
    "d4": ("a sharp spoon", "cooking", 1),
}
BY_DOCUMENT = ["catalogue_coverage@2", "exposure_entropy@2", "tag_entropy@2", "ild(by=tags)@2", "novelty@2", "ild@2"]
TWO_CHUNKS = ["--providers", "bm25", "--chunkers", "fixed_chars(size=21, overlap=0)", "-q", "--no-store"]


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop").mkdir()
    rows = "".join(f"{name},{text},{category},{views}\n" for name, (text, category, views) in DOCUMENTS.items())
    (tmp_path / "shop/corpus.csv").write_text(f"doc_id,text,category,views\n{rows}")
    (tmp_path / "shop/queries.csv").write_text("query_id,question\nq1,red tent\nq2,blue coats\n")
    (tmp_path / "shop/qrels.csv").write_text("query_id,doc_id,relevance\nq1,d1,1\nq2,d2,1\n")
    np.savez(tmp_path / "vectors.npz", ids=np.array(list(DOCUMENTS)), vectors=np.eye(4))


def evaluated(*arguments):
    assert main(["eval", *arguments, *TWO_CHUNKS, "--vectors", "vectors.npz", "-o", "result.json"]) == 0
    (result,) = read_results("result.json")
    return result


@pytest.mark.usefixtures("shop")
def test_chunks_that_are_rolled_up_have_the_values_of_their_documents():
    metrics = [*BY_DOCUMENT, "near_duplicates@2"]
    result = evaluated("--benchmarks", "shop", "-m", *metrics)
    run = {"q1": ["d1"], "q2": ["d2"]}  # the words of a query are in the chunks of one document
    expected = assay.evaluate(assay.load_dataset("shop").with_document_data(vectors="vectors.npz"), run, metrics)
    assert {name: result.summary[name] for name in metrics} == pytest.approx(
        {name: expected.summary[name] for name in metrics}
    )
    assert result.summary["catalogue_coverage@2"] == 0.5
    assert not [note for note in result.notes if "retrieved document" in note]


@pytest.mark.usefixtures("shop")
def test_chunks_that_are_ranked_have_their_own_text_and_all_else_from_their_document():
    documents = ["--queries", "shop/queries.csv", "--documents", "shop/corpus.csv"]
    result = evaluated(*documents, "-m", *BY_DOCUMENT, "near_duplicates@2", "near_duplicates(words=1)@2")
    assert {len(ranking) for ranking in result.run.values()} == {2}  # two chunks of one document
    assert result.summary["catalogue_coverage@2"] == 0.5
    assert result.summary["exposure_entropy@2"] == 1.0  # each list shows its document once
    assert result.summary["tag_entropy@2"] == 0.0
    assert result.summary["ild(by=tags)@2"] == result.summary["ild@2"] == 0.0
    assert result.summary["novelty@2"] == pytest.approx((-np.log2(4 / 8) - np.log2(2 / 8)) / 2)
    assert result.summary["near_duplicates@2"] == 0.25  # two tents share 2 of 4 shingles, two coats 1 of 3
    assert result.summary["near_duplicates(words=1)@2"] == 0.5


def in_memory():
    documents = {
        name: Document(name, text, metadata={"tags": category, "popularity": views})
        for name, (text, category, views) in DOCUMENTS.items()
    }
    dataset = BenchmarkDataset("shop", queries={"q": Query("q")}, documents=documents, qrels={"q": {"d1": 1}})
    return dataset.with_document_data(vectors=dict(zip(DOCUMENTS, np.eye(4).tolist(), strict=True)))


@pytest.mark.parametrize("ids", [["d1#0", "d1#1", "d2#0"], ["one", "two", "three"]])
def test_a_run_of_chunks_counts_each_document_of_a_list_once(ids):
    owners = dict(zip(["one", "two", "three"], ["d1", "d1", "d2"], strict=True))
    relevance = Relevance(unit="chunk", id_map=owners if ids[0] == "one" else None)
    result = assay.evaluate(
        in_memory(), {"q": ids}, [metric.replace("@2", "@3") for metric in BY_DOCUMENT], relevance=relevance
    )
    assert result.summary["catalogue_coverage@3"] == 0.5
    assert result.summary["exposure_entropy@3"] == 1.0
    assert result.summary["tag_entropy@3"] == pytest.approx(np.log2(3) - 2 / 3)
    assert result.summary["ild@3"] == result.summary["ild(by=tags)@3"] == pytest.approx(2 / 3)


def test_the_text_of_a_chunk_outside_the_benchmark_is_not_that_of_its_document():
    result = assay.evaluate(in_memory(), {"q": ["d1#0", "d1#1", "d3", "d4"]}, ["near_duplicates@4"])
    assert result.summary == {"near_duplicates@4": 0.0}
    assert any("have no text (d1#0 d1#1)" in note for note in result.notes)


def test_retrieved_ids_outside_the_catalogue_are_noted():
    result = assay.evaluate(in_memory(), {"q": ["d1", "x1", "x2#0"]}, ["catalogue_coverage@3"])
    assert result.summary == {"catalogue_coverage@3": 0.25}
    expected = "2 retrieved documents are not among the 4 documents of shop (x1 x2#0). Metrics of all lists leave them out."
    assert expected in result.notes
