"""Result lists at the terminal: variety, novelty and exposure, and what is wrong with the data of documents."""

import json
import math

from assay.cli import main
from assay.evaluation import read_results


def test_result_lists_and_what_is_wrong_with_documents(transcript, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    transcript("result_lists/documents")


def test_queries_without_judgments_have_values_that_are_compared_and_gated(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queries.csv").write_text("query_id,question\nq1,red tent\nq2,blue jacket\nq3,red jacket\n")
    texts = ("a red tent for two", "a red tent for two people", "a blue jacket", "a green hat")
    (tmp_path / "corpus.csv").write_text("doc_id,text\n" + "".join(f"d{n},{text}\n" for n, text in enumerate(texts)))
    (tmp_path / "rules.yaml").write_text("- catalogue_coverage@2 >= 0.7\n- near_duplicates@2 <= 0.1\n")
    metrics = ["near_duplicates@2", "catalogue_coverage@2", "ndcg@2"]
    evaluate = ["eval", "--queries", "queries.csv", "--documents", "corpus.csv", "--providers", "bm25", "tfidf_chars", "-q"]
    assert main([*evaluate, "--no-store", "-m", *metrics, "-o", "result.json"]) == 0
    result = read_results("result.json")[0]
    assert result.summary["catalogue_coverage@2"] == 3 / 4  # the hat is never shown
    assert result.table.by_query()["q1"]["near_duplicates@2"] == 0.5
    assert math.isnan(result.summary["ndcg@2"])
    capsys.readouterr()
    assert main(["compare", "result.json", "-m", "catalogue_coverage@2", "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert "student_t" in json.dumps(content)
    assert main(["gate", "result.json", "--rules", "rules.yaml"]) == 1
    printed = capsys.readouterr().out
    assert "PASS  catalogue_coverage@2" in printed
    assert "FAIL  near_duplicates@2" in printed


def test_a_run_without_judgments_is_scored_as_a_provider_and_the_error_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "queries.csv").write_text("query_id,text\nq1,tent\nq2,jacket\n")
    (tmp_path / "data" / "corpus.csv").write_text("doc_id,text\na,red tent\nb,red tent\nc,blue jacket\n")
    (tmp_path / "own.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 c 1 1 x\n")
    score = ["score", "--dataset", "data", "own.run", "-m"]
    assert main([*score, "catalogue_coverage@1", "near_duplicates(words=2)@2"]) == 3
    assert "metrics of result lists need none if the run is a provider" in capsys.readouterr().err
    assert main([*score, "catalogue_coverage@1", "mrr"]) == 3
    assert "replay" not in capsys.readouterr().err
    evaluate = [
        "eval",
        "--benchmarks",
        "data",
        "--providers",
        "replay:own.run",
        "-q",
        "--no-store",
        "-o",
        "result.json",
        "-m",
    ]
    assert main([*evaluate, "catalogue_coverage@1", "near_duplicates(words=2)@2"]) == 0
    summary = read_results("result.json")[0].summary
    assert summary["catalogue_coverage@1"] == 2 / 3
    assert summary["near_duplicates(words=2)@2"] == 1 / 4
