"""One decision everywhere: every command, page and function gives the same answer about the same results."""

import json

import pytest

pytest.importorskip("starlette")

from tests.web._clients import client_of

import assay
from assay.cli import main
from assay.comparison import decide
from assay.evaluation import read_results

PROVIDERS = ["bm25", "tfidf_chars", "bm25(k1=0.1, stem=false)"]


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder, and return what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        assert main([str(word) for word in words]) == 0
        return capsys.readouterr().out

    return run


def evaluate(said, providers):
    how = ("--metrics", "ndcg@10", "mrr", "--store", "assay.db", "-o", "all.json", "--quiet")
    return said("eval", "--benchmarks", "rag-template", "--providers", *providers, *how)


def test_two_systems(said, tmp_path):
    closing = evaluate(said, PROVIDERS[:2])
    (compared,) = json.loads(said("compare", "latest", "--store", "assay.db", "-f", "json"))["comparisons"]
    verdict = compared["verdict"].partition(" Th")[0]
    assert verdict in closing
    said("report", "latest", "--store", "assay.db", "-o", "report.html")
    assert verdict in (tmp_path / "report.html").read_text(encoding="utf-8")
    results = read_results(tmp_path / "all.json")
    api = assay.compare(None, {result.name: result for result in results})
    assert api.verdict == compared["verdict"]
    columns = [result.table.columns["ndcg@10"] for result in api.results]
    pair, alone = api.pairs[0], decide(api.metric("ndcg@10"), *columns)
    fields = ("difference", "low", "high", "p", "p_corrected", "is_significant", "n_changed", "interval")
    assert [getattr(alone, name) for name in fields] == [getattr(pair, name) for name in fields]
    client = client_of(tmp_path / "assay.db")
    keys = [row["key"] for row in client.get("/api/v1/results").json()["results"]]
    asked = "&".join(f"r={key}" for key in sorted(keys))
    assert (
        client.get(f"/api/v1/comparison?{asked.replace('r=', 'result=')}").json()["pairs"][0]["p_corrected"]
        == pair.p_corrected
    )
    assert verdict in client.get(f"/compare?{asked}").text.replace("&#39;", "'")


@pytest.mark.slow
def test_several_systems_share_one_family(said, tmp_path):
    closing = evaluate(said, PROVIDERS)
    (compared,) = json.loads(said("compare", "latest", "--store", "assay.db", "-f", "json"))["comparisons"]
    assert compared["n_comparisons"] == 3
    p = {pair["p_corrected"] for pair in compared["pairs"] if pair["is_in_family"]}
    assert [pair["p_corrected"] for pair in compared["pairs"] if not pair["is_in_family"]] == [None] * 3
    assert closing.count("Holm over all 3 pairs") == 1
    said("report", "latest", "--store", "assay.db", "-o", "report.html")
    assert "p is corrected: Holm over all 3 pairs." in (tmp_path / "report.html").read_text(encoding="utf-8")
    client = client_of(tmp_path / "assay.db")
    keys = sorted(row["key"] for row in client.get("/api/v1/results").json()["results"])
    theirs = client.get("/api/v1/comparison?" + "&".join(f"result={key}" for key in keys)).json()
    assert {pair["p_corrected"] for pair in theirs["pairs"] if pair["is_in_family"]} == p
    everything = said("compare", "latest", "--store", "assay.db", "--correct-metrics", "-f", "json")
    assert json.loads(everything)["comparisons"][0]["n_comparisons"] == 6


def test_two_queries_decide_nothing(said, tmp_path):
    """Both queries gained 0.5: the interval of a percentile bootstrap would be [+0.500, +0.500]."""
    judgments = {"q1": {"a": 1}, "q2": {"b": 1}}
    before, after = {"q1": ["x", "a"], "q2": ["x", "b"]}, {"q1": ["a"], "q2": ["b"]}
    comparison = assay.compare(judgments, {"before": before, "after": after}, ["mrr"])
    (pair,) = comparison.pairs
    assert (pair.difference, pair.p, pair.better) == (0.5, 0.5, None)
    assert pair.low < 0 < pair.high
