"""The page of results: filters, order, pages, downloads; small whatever the store holds."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest
from _clients import client_of, keys_of, main_of, rows_of

from assay.evaluation import evaluate
from assay.execution import run
from assay.store import Store


def shown(client, **params):
    return rows_of(client.get("/", params=params).text, "Stored results")


def test_the_newest_come_first(client):
    rows = shown(client)
    assert [row[1].split()[0] for row in rows[:4]] == ["random_order", "hybrid", "bm25", "dense"]
    assert len(rows) == 50


def test_filters_narrow_it_down(client):
    assert {row[1].split()[0] for row in shown(client, provider="dense")} == {"dense"}
    assert [row[-1] for row in shown(client, tag="release")] == ["release", "release"]
    assert [row[-1] for row in shown(client, tag="main")] == ["baseline main", "baseline main"]
    assert len(shown(client, since="2026-10-30")) == 4
    assert len(shown(client, until="2026-10-02")) == 4
    assert len(shown(client, since="2026-10-05", until="2026-10-05")) == 2
    assert len(shown(client, words="RANDOM things")) == 1
    assert "No results here" in main_of(client.get("/?benchmark=other").text)


def test_filters_are_in_the_form_again(client):
    html = client.get("/?provider=dense&words=things&since=2026-10-05").text
    assert "<option selected>dense</option>" in html
    assert 'value="things"' in html
    assert 'value="2026-10-05"' in html


def test_sorting_by_a_figure(client):
    values = [float(row[4].split()[0]) for row in shown(client, sort="value", order="desc")]
    assert values == sorted(values, reverse=True)
    other = [float(row[4].split()[0]) for row in shown(client, sort="value", order="asc", metric="mrr")]
    assert other == sorted(other)


def test_a_page_leads_to_the_next_with_the_same_filters(client):
    assert "1–30 of 30 results" in main_of(client.get("/?provider=bm25&sort=started").text)
    html = client.get("/?benchmark=things&sort=started&order=desc").text
    link = re.search(r'href="([^"]+)" rel="next"', html)
    assert link
    assert unescape(link[1]) == "/?benchmark=things&sort=started&order=desc&page=2"
    assert "51–62 of 62 results" in main_of(client.get("/?page=2").text)


def test_the_download_has_all_rows_and_every_digit(client):
    answer = client.get("/?csv=results&provider=dense")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="results.csv"'
    assert len(rows) == 30
    assert all(len(row["ndcg@10"]) > 8 for row in rows)
    assert list(rows[0])[:6] == ["provider", "evaluation", "benchmark", "started (UTC)", "ndcg@10", "ndcg@10 low"]
    assert all(float(row["ndcg@10 low"]) < float(row["ndcg@10"]) < float(row["ndcg@10 high"]) for row in rows)
    assert len(rows[0]["ndcg@10 high"]) > 8


def test_an_unknown_metric_and_a_page_that_is_not_there_are_told(client):
    assert client.get("/?metric=nope").status_code == 404
    assert "there are ndcg@10" in main_of(client.get("/?metric=nope").text)
    assert client.get("/?page=99").status_code == 400


def test_a_metric_without_any_figure_is_not_offered(tmp_path):
    """Queries that were answered together have no times of their own, so latency_p95 has no figure."""
    with Store.open(tmp_path / "s.db") as store:
        store.save(run("rag-template", "bm25", metrics=["ndcg@10", "latency_p95"]))
        assert store.list()[0].figures["latency_p95"].value is None
    client = client_of(tmp_path / "s.db")
    for path in ("/", "/leaderboard", "/history"):
        assert "<option>latency_p95</option>" not in client.get(path).text


@pytest.mark.parametrize("path", ["/?since=yesterday", "/?page=nothing", "/?sort=nothing", "/?until=x"])
def test_nonsense_is_a_page_that_says_so(client, path):
    answer = client.get(path)
    assert answer.status_code == 400
    assert len(main_of(answer.text)) > 40


def test_an_unknown_download_names_those_there_are(client):
    answer = client.get("/?csv=nothing")
    assert answer.status_code == 404
    assert "it has results" in main_of(answer.text)


def test_an_empty_store_says_what_to_do(tmp_path):
    Store.open(tmp_path / "s.db").close()
    client = client_of(tmp_path / "s.db")
    assert "assay eval" in main_of(client.get("/").text)
    for path in ("/compare", "/leaderboard", "/history", "/datasets", "/metrics"):
        assert client.get(path).status_code == 200


def test_a_list_stays_small_whatever_names_are_in_it(tmp_path):
    """The longest names of the widest letters, many of them: at most 200 KB."""
    path = tmp_path / "s.db"
    result = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["ndcg@10"])

    with Store.open(path) as store:
        store.save([result.with_fields(name=f"{n:03}" + "🧪" * 3000, benchmark=f"{n:03}" + "&" * 3000) for n in range(120)])
        store.save([result.with_fields(name=f"{n:03}" + "<" * 110, benchmark=f"{n:03}" + '"' * 110) for n in range(250)])
    client = client_of(path)
    for page in (1, 7):
        answer = client.get(f"/?page={page}")
        assert len(rows_of(answer.text, "Stored results")) > 15
        assert len(answer.content) <= 200_000


def test_every_result_of_the_list_opens(client):
    for key in keys_of(client.get("/").text)[:5]:
        assert client.get(f"/result/{key}").status_code == 200
