"""dpr and miracl: questions with positive and negative passages; passages are documents, and grades are 1 and 0."""

import json

import pytest

import assay
from assay.cli import main
from assay.datasets import detect_format, load_dataset
from assay.evaluation import expected_answers

from ._benchmarks import SAMPLES
from ._cases import write

DPR = SAMPLES / "dpr"
CAT = {"title": "Cat", "text": "Cats sleep."}


def loaded(tmp_path, *rows, name="f.json"):
    return load_dataset(write(tmp_path / name, json.dumps(rows)))


def test_positive_and_negative_passages_of_dpr():
    found = load_dataset(DPR / "nq-dev.json")
    assert found.qrels == {"q1": {"11828866": 1, "1": 0, "7": 0}, "q2": {"22": 1, "1": 0}}
    assert (sorted(found.documents), found.retrieved, found.repairs) == (["1", "11828866", "22", "7"], {}, [])
    assert found.documents["7"] == assay.Document("7", "Lions sleep up to 20 hours a day.", title="Lion")
    wanted = {query: one.references for query, one in expected_answers(found.queries).items()}
    assert wanted == {"q1": ("12 to 16 hours", "16 hours"), "q2": ("a bear",)}
    assert found.queries["q2"].tags["dataset"] == "nq_dev"


def test_what_the_retriever_of_dpr_returned():
    found = load_dataset(DPR / "retriever_output.json")
    assert (found.format, found.retrieved) == ("dpr", {"q1": ["wiki:7", "wiki:8"]})
    assert (found.qrels, len(found.documents)) == ({"q1": {"wiki:7": 0, "wiki:8": 1}}, 2)
    result = assay.evaluate(found.qrels, found.retrieved, ["hit@1", "hit@2"])
    assert (result["hit@1"], result["hit@2"]) == (0, 1)  # the top-k accuracy of DPR


def test_passages_without_ids_are_one_document_if_they_are_equal(tmp_path):
    dog = {"title": "Dog", "text": "Dogs bark."}
    found = loaded(
        tmp_path,
        {"question": "a", "answers": [], "positive_ctxs": [CAT], "hard_negative_ctxs": [dog], "negative_ctxs": []},
        {"question": "b", "answers": ["x"], "positive_ctxs": [dog], "negative_ctxs": [CAT, dog]},
    )
    assert found.qrels == {"q1": {"p1": 1, "p2": 0}, "q2": {"p2": 1, "p1": 0}}
    assert {doc: document.title for doc, document in found.documents.items()} == {"p1": "Cat", "p2": "Dog"}
    assert [one.is_loss for one in found.repairs] == [False]  # a passage that is positive and negative


def test_passages_of_miracl_and_of_mr_tydi():
    found = load_dataset(SAMPLES / "miracl.jsonl")
    assert found.qrels == {"0": {"12#0": 1, "12#3": 0}, "1": {"40#1": 1, "41#0": 1}}  # a query without passages is unjudged
    assert (sorted(found.documents), list(found.queries)) == (["12#0", "12#3", "40#1"], ["0", "1", "2"])
    assert (found.documents["12#0"].title, found.queries["1"].text) == ("Katze", "Wer bellt nachts?")


def test_faults_say_where_and_what(snapshots, tmp_path):
    cases = {
        "no question": [{"positive_ctxs": [CAT]}],
        "a question twice": [{"id": "q", "question": "?", "ctxs": []}] * 2,
        "passages that are none": [{"question": "?", "positive_ctxs": "Cats"}, {"question": "?", "ctxs": ["Cats"]}],
        "a passage without text": [{"question": "?", "positive_ctxs": [{"title": "Cat"}]}],
        "two texts of an id": [{"question": "?", "positive_ctxs": [{**CAT, "id": 1}, {"text": "x", "id": 1}]}],
        "answers that are none": [{"question": "?", "answers": "x", "ctxs": []}],
        "no questions": [],
    }

    def refused(rows):
        return lambda: load_dataset(write(tmp_path / "dpr.json", json.dumps(rows)), "dpr")

    snapshots.check_errors("datasets/faults_of_dpr", {case: refused(rows) for case, rows in cases.items()})


@pytest.mark.parametrize(
    ("row", "format_name"),
    [
        ({"question": "?", "answers": [], "positive_ctxs": []}, "dpr"),
        ({"question": "?", "answers": [], "ctxs": []}, "dpr"),
        ({"query": "?", "positive_passages": []}, "miracl"),
        ({"question": "?", "answer": "!", "contexts": ["x"]}, "rag_template"),
        ({"query": "?", "relevant_ids": ["x"]}, "golden"),
    ],
)
def test_the_names_of_fields_tell_the_formats_apart(tmp_path, row, format_name):
    for name, content in (("f.json", json.dumps([row])), ("f.jsonl", json.dumps(row) + "\n")):
        assert detect_format(write(tmp_path / name, content)).name == format_name


@pytest.mark.parametrize("name", ["dpr/nq-dev.json", "dpr/retriever_output.json", "miracl.jsonl"])
def test_a_table_in_one_command(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "--benchmarks", str(SAMPLES / name), "--providers", "bm25", "-m", "recall@2"]) == 0
    assert "recall@2" in capsys.readouterr().out
