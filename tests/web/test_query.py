"""The page of a query: what was asked, what came, and what that was worth."""

from __future__ import annotations

import csv
import io

from _clients import client_of, keys_of, main_of, rows_of
from _stores import HOSTILE

from assay.store import Store


def test_ranking_and_ground_truth(client, stored):
    key = keys_of(client.get("/").text)[1]
    html = client.get(f"/result/{key}/query", params={"id": "q005"}).text
    result = stored.results[key]
    ranking, relevant = result.run["q005"], result.relevant["q005"]
    rows = rows_of(html, "Ranking")
    assert [row[1] for row in rows] == sorted(ranking, key=lambda doc: -ranking[doc])
    judged = {**relevant, **result.nonrelevant.get("q005", {})}
    assert [row[2] for row in rows] == [f"{judged[row[1]]:g}" if row[1] in judged else "" for row in rows]
    assert {row[0]: row[1] for row in rows_of(html, "Ground truth")} == {
        doc: f"{grade:g}" for doc, grade in relevant.items()
    }
    assert [row[0] for row in rows_of(html, "Scores")][:3] == ["ndcg@10", "mrr", "recall@5"]
    assert "what is thing 5 about" in main_of(html)


def test_what_was_judged_0_is_told_from_what_nobody_judged(tmp_path):
    """q01 of rag-template has the grades 3, 0 and 0; on the page, in its CSV and in the JSON of the API."""
    from assay.execution import run

    with Store.open(tmp_path / "s.db") as store:
        name = store.save(run("rag-template", "dense", metrics=["ndcg@10"]))
    client = client_of(tmp_path / "s.db")
    address = f"/result/{name}/0/query?id=q01"
    grades = {row[1].split()[0]: row[2] for row in rows_of(client.get(f"{address}&top=100").text, "Ranking")}
    assert {doc: grade for doc, grade in grades.items() if grade} == {"p001": "3", "p014": "0", "p028": "0"}
    rows = list(csv.DictReader(io.StringIO(client.get(f"{address}&csv=ranking").text)))
    assert {row["document"]: float(row["grade"]) for row in rows if row["grade"]} == {"p001": 3, "p014": 0, "p028": 0}
    assert "p028" not in [row[0] for row in rows_of(client.get(address).text, "Ground truth")]


def test_the_same_query_elsewhere_leads_there(client):
    key = keys_of(client.get("/").text)[0]
    html = client.get(f"/result/{key}/query", params={"id": "q005"}).text
    assert {row[0].split()[0] for row in rows_of(html, "The same query in other results")} == {"bm25", "dense", "hybrid"}


def test_neighbours(client):
    key = keys_of(client.get("/").text)[0]
    html = client.get(f"/result/{key}/query", params={"id": "q000"}).text
    assert 'rel="prev"' not in html
    assert f'href="/result/{key}/query?id=q001" rel="next"' in html


def test_an_unknown_query_names_near_ones(client):
    key = keys_of(client.get("/").text)[0]
    answer = client.get(f"/result/{key}/query", params={"id": "q05"})
    assert answer.status_code == 404
    assert "Did you mean" in main_of(answer.text)


def test_any_id_can_be_asked_for(hostile):
    client = client_of(hostile)
    key = keys_of(client.get("/").text)[0]
    for name in HOSTILE.values():
        assert client.get(f"/result/{key}/query", params={"id": name}).status_code == 200


def test_a_long_ranking_begins_short_and_is_downloaded_whole(tmp_path):
    from assay.execution import run

    with Store.open(tmp_path / "s.db") as store:
        name = store.save(run("rag-template", "bm25", metrics=["ndcg@10"]))
    client = client_of(tmp_path / "s.db")
    address = f"/result/{name}/0/query?id=q01"
    html = client.get(address).text
    assert len(rows_of(html, "Ranking")) == 20
    assert [html.index(f'id="{part}"') for part in ("scores", "ranking", "truth", "judging", "runs")] == sorted(
        html.index(f'id="{part}"') for part in ("scores", "ranking", "truth", "judging", "runs")
    )
    assert 'href="#judging"' in html
    lines = client.get(f"{address}&csv=ranking").text.splitlines()
    assert lines[0] == "rank,document,grade,score,text"
    assert len(rows_of(client.get(f"{address}&top={len(lines) - 1}").text, "Ranking")) == len(lines) - 1 > 20


def test_a_query_that_failed_is_counted_once(client):
    key = keys_of(client.get("/").text)[0]
    assert "has 60 queries" in main_of(client.get(f"/result/{key}/query?id=zz").text)
