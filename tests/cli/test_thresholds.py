"""Thresholds of F1: several as columns of assay score, and one that a benchmark sets for itself."""

import json

import pytest

import assay
from assay import BenchmarkDataset, DataError, Document, Query
from assay.cli import main


@pytest.fixture
def files(tmp_path, monkeypatch):
    """F1 with the expected answer: 2 ÷ 3 for `near`, 2 ÷ 5 for `far`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "golden.json").write_text('[{"id": "q", "question": "Who?", "expected": "cats sleep"}]')
    hits = [{"id": "far", "content": "cats a b c"}, {"id": "near", "content": "cats sleep a b"}]
    (tmp_path / "run.json").write_text(json.dumps({"q": hits}))
    return ["--dataset", "golden.json", "--run", "run.json"]


def test_each_threshold_is_a_column(files, capsys):
    assert main(["score", *files, "-m", "mrr", "hit@1", "--f1-threshold", "0.3,0.5,0.7", "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert found["summary"] == {
        "mrr(f1_threshold=0.3)": 1.0,
        "mrr(f1_threshold=0.5)": 0.5,
        "mrr(f1_threshold=0.7)": 0.0,
        "hit(f1_threshold=0.3)@1": 1.0,
        "hit(f1_threshold=0.5)@1": 0.0,
        "hit(f1_threshold=0.7)@1": 0.0,
    }


def test_columns_are_those_of_single_thresholds_and_can_be_read_again(files, capsys, tmp_path):
    assert main(["score", *files, "-m", "ndcg@10", "--f1-threshold", "0.3,0.5", "-o", "both.json"]) == 0
    capsys.readouterr()
    both = json.loads((tmp_path / "both.json").read_text())["results"][0]
    for threshold in ("0.3", "0.5"):
        assert main(["score", *files, "-m", "ndcg@10", "--f1-threshold", threshold, "--format", "json"]) == 0
        (one,) = json.loads(capsys.readouterr().out)["results"]
        assert both["summary"][f"ndcg(f1_threshold={threshold})@10"] == one["summary"]["ndcg@10"]
    assert main(["score", "both.json"]) == 0
    assert "ndcg(f1_threshold=0.5)@10" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["score", "--f1-threshold", "0.1,0.1"],
        ["score", "--f1-threshold", "0.1,"],
        ["score", "--f1-threshold", "0.1,2"],
        ["score", "--f1-threshold", "0.1,0.2", "--sort", "mrr"],
        ["score", "--f1-threshold", "0.1,0.2", "--tie-band"],
        ["score", "--f1-threshold", "0.1,0.2", "--relevance", "coverage"],
        ["compare", "--run", "run.json", "--f1-threshold", "0.1,0.2"],
    ],
)
def test_what_several_thresholds_cannot_do(files, words):
    with pytest.raises(SystemExit) as stopped:
        raise SystemExit(main([*words, *files, "-m", "mrr"]))
    assert stopped.value.code == 2


def benchmark(**metadata):
    dataset = BenchmarkDataset("Own", metadata=metadata, queries={"q": Query("q", "Who?", expected="cats sleep")})
    dataset.add_document(Document("far", "cats a b c"))
    return dataset


@pytest.mark.parametrize("name", ["f1_threshold", "f1Threshold"])
def test_a_benchmark_may_set_its_threshold(name):
    def hits(dataset, relevance="auto"):
        result = assay.evaluate(dataset, {"q": ["far"]}, "hit@1", relevance=relevance)
        return result["hit@1"], result.relevance.get("token_threshold")

    assert hits(benchmark()) == (1.0, 0.3)
    assert hits(benchmark(**{name: 0.5})) == hits(benchmark(**{name: 0.5}), "token") == (0.0, 0.5)
    assert hits(benchmark(**{name: 0.5}), "token(threshold=0.2)") == (1.0, 0.2), "the user comes first"
    assert hits(benchmark(**{name: 0.9}), assay.Relevance(defaults={"threshold": 0.1})) == (1.0, 0.1)
    assert hits(benchmark(**{name: 0.9}), "coverage(threshold=0.5)") == (1.0, None), "it is a threshold of F1"
    with pytest.raises(DataError, match=name):
        hits(benchmark(**{name: "high"}))


def test_a_file_carries_the_threshold(tmp_path):
    content = {
        "metadata": {"f1_threshold": 0.5},
        "queries": {"q": {"query_id": "q", "text": "Who?", "expected": "cats sleep"}},
    }
    content |= {"documents": {"far": {"doc_id": "far", "text": "cats a b c"}}, "qrels": {}}
    (tmp_path / "b.json").write_text(json.dumps(content))
    assert assay.evaluate(assay.load_dataset(tmp_path / "b.json"), {"q": ["far"]}, "hit@1")["hit@1"] == 0.0
