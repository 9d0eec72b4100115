"""The page of a result: its figures, and its queries by words and by what became of them."""

from __future__ import annotations

from _clients import client_of, main_of, rows_of

from assay.evaluation import evaluate
from assay.store import Store


def queries(client, key, **params):
    return rows_of(client.get(f"/result/{key}", params=params).text, "Queries")


def test_it_shows_the_figure_with_its_interval(client, stored):
    key = stored.of("dense")[0]
    result = stored.results[key]
    text = main_of(client.get(f"/result/{key}").text)
    interval = result.intervals["ndcg@10"]
    assert (
        f"dense reaches ndcg@10 of {result['ndcg@10']:.3f} [{interval.low:.3f}, {interval.high:.3f}] on 60 queries." in text
    )
    for part in ("Metrics", "Slices", "Queries", "Provenance", "By language"):
        assert part in text


def test_failed(client, stored):
    rows = queries(client, stored.of("random_order")[0], only="failed")
    assert [(row[0], row[-1]) for row in rows] == [("q003", "failed: TimeoutError: too slow")]


def test_zero(client, stored):
    key = stored.of("random_order")[0]
    expected = [query for query, score in stored.results[key].scores("ndcg@10").items() if score == 0]
    assert [row[0] for row in queries(client, key, only="zero")] == expected[:50]
    assert expected


def test_changed_is_against_the_night_before(client, stored):
    key = stored.of("bm25")[0]
    key, before = stored.of("bm25")[:2]
    old, new = (stored.results[one].scores("ndcg@10") for one in (before, key))
    changed = [query for query in new if new[query] != old[query]]
    rows = queries(client, key, only="changed")
    assert [row[0] for row in rows] == changed[:50]
    assert {row[5] for row in rows} != {"+0.000"}
    worse = [query for query in new if new[query] < old[query]]
    assert [row[0] for row in queries(client, key, only="worse")] == worse[:50]


def test_unjudged(tmp_path):
    """q0 has only judged documents; q1 has one that nobody judged."""
    qrels = {"q0": {"d": 1, "e": 0}, "q1": {"d": 1}}
    run = {"q0": {"d": 2.0, "e": 1.0}, "q1": {"d": 2.0, "x": 1.0}}
    with Store.open(tmp_path / "s.db") as store:
        name = store.save([evaluate(qrels, run, ["ndcg@10", "judged@2"], name="bm25").with_fields(run=run)])
    rows = queries(client_of(tmp_path / "s.db"), f"{name}/0", only="unjudged")
    assert [(row[0], row[-1]) for row in rows] == [("q1", "unjudged")]


def test_what_cannot_be_asked_here_is_told(client, stored):
    answer = client.get(f"/result/{stored.of('hybrid')[0]}?only=changed")
    assert answer.status_code == 400
    assert "may be failed, zero" in main_of(answer.text)


def test_words_are_looked_for_in_id_text_and_tags(client, stored):
    key = stored.of("dense")[0]
    assert [row[0] for row in queries(client, key, words="THING 17")] == ["q017"]
    assert len(queries(client, key, words="fr hard")) == 10


def test_by_another_metric(client, stored):
    key = stored.of("dense")[0]
    rows = queries(client, key, metric="mrr", sort="mrr", order="asc")
    scores = [float(row[2]) for row in rows]
    assert scores == sorted(scores)
    assert client.get(f"/result/{key}?metric=nothing").status_code == 404


def test_references_lead_to_the_first_result(client, stored):
    newest = stored.entries[0].evaluation
    for reference in ("latest", newest, newest[:-1]):
        assert client.get(f"/result/{reference}").headers["location"] == f"/result/{newest}/0"
    assert client.get("/result/main").headers["location"].startswith("/result/2026-10-01")
    assert client.get("/result/nothing").status_code == 404
    assert client.get("/result/latest/7").status_code == 404


def test_every_table_and_chart_can_be_downloaded(client, stored):
    import re

    key = stored.of("dense")[0]
    links = set(re.findall(r'href="([^"]*csv=[^"]*)"', client.get(f"/result/{key}").text))
    assert len(links) >= 8
    for link in links:
        answer = client.get(link.replace("&amp;", "&"))
        assert answer.headers["content-type"].startswith("text/csv")
        assert answer.text.count("\n") >= 2


def test_charts_have_words_and_marks_that_explain_themselves(client, stored):
    html = client.get(f"/result/{stored.of('dense')[0]}").text
    assert html.count("<figure") == html.count('role="img"') >= 2
    assert "data-tip=" in html
    assert "Show data" in html
