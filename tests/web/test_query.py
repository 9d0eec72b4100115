"""The page of a query: what was asked, what came, and what that was worth."""

import re

import pytest

import assay
from assay.cli import main
from assay.execution import run

from ._clients import cells_of, client_of, rows_of
from ._stores import saved


@pytest.fixture(scope="module")
def bundled(tmp_path_factory):
    """The page of q01 of rag-template, which has the grades 3, 0 and 0, and a long ranking."""
    path = tmp_path_factory.mktemp("query") / "s.db"
    client = client_of(saved(path, [run("rag-template", "dense", metrics=["ndcg@10"])]))
    address = f"{client.get('/result/latest').headers['location']}/query?id=q01"
    return lambda more="": client.get(address + more)


def test_what_was_judged_0_is_told_from_what_nobody_judged(bundled):
    """On the page, and in its CSV, which has the whole ranking."""
    grades = {row[1].split()[0]: row[2] for row in rows_of(bundled("&top=100").text, "Ranking")}
    assert {doc: grade for doc, grade in grades.items() if grade} == {"p001": "3", "p014": "0", "p028": "0"}
    downloaded = {row["document"]: row["grade"] for row in cells_of(bundled("&csv=ranking"))}
    assert {doc: float(grade) for doc, grade in downloaded.items() if grade} == {"p001": 3, "p014": 0, "p028": 0}
    html = bundled().text
    assert "p028" not in [row[0] for row in rows_of(html, "Ground truth")]
    assert re.findall(r'<section id="(\w+)"', html) == ["scores", "ranking", "truth", "judging", "runs"]
    assert len(rows_of(html, "Ranking")) == 20 < len(downloaded) == len(grades), "a long ranking begins short"


def test_only_relevant_documents_are_marked_as_relevant(tmp_path, capsys):
    """Not those that the judgments ignore, nor negative grades, nor grades below the relevance level."""
    judged = {"q": {"good": 2, "fair": 1, "bad": 0, "junk": -1, "same": "ignore"}}
    documents = {name: assay.Document(name, name) for name in judged["q"]}
    dataset = assay.BenchmarkDataset("d", queries={"q": assay.Query("q", "good")}, documents=documents, qrels=judged)
    path = tmp_path / "s.db"
    for level, relevant in ((None, {"good", "fair"}), (2, {"good"})):
        client = client_of(saved(path, [run(dataset, "random_order", metrics=["mrr"], policy=assay.Policy(rel=level))]))
        address = client.get("/result/latest").headers["location"]
        html = client.get(f"{address}/query?id=q").text
        assert set(re.findall(r'class="text relevant" data-sort="(\w+)"', html)) == relevant
        hits = client.get(f"/api/v1{address.replace('result', 'results', 1)}/query?id=q").json()["ranking"]
        assert {hit["document"] for hit in hits if hit["is_relevant"]} == relevant
        assert "benchmark: ignore" in html
        assert "e+308" not in html
        assert main(["show", "latest", "--query", "q", "--top", "1", "--store", str(path)]) == 0
        below = re.findall(r"(\w+) \(rank \d+, grade", capsys.readouterr().out)
        assert set(below) <= relevant
        assert len(below) >= len(relevant) - 1
