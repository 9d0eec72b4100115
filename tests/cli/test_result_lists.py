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
