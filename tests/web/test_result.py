"""The page of a result: its figures, and its queries by words and by what became of them."""

import pytest

from assay.evaluation import evaluate

from ._clients import cells_of, client_of, main_of, rows_of
from ._stores import saved


def queries(client, key, **params):
    return cells_of(client.get(f"/result/{key}", params={**params, "csv": "queries"}))


def ids(rows):
    return [row["query"] for row in rows]


def test_it_shows_the_figure_with_its_interval(client, stored):
    key = stored.of("dense")[0]
    result = stored.results[key]
    value, interval = result["ndcg@10"], result.intervals["ndcg@10"]
    html = client.get(f"/result/{key}").text
    assert [row[0] for row in rows_of(html, "Queries")] == list(result.query_ids[:50])
    assert f"{value:.3f} [{interval.low:.3f}, {interval.high:.3f}]" in main_of(html)
    for part in ("Metrics", "Slices", "Queries", "Provenance", "By language"):
        assert part in main_of(html), part
    (row,) = [row for row in cells_of(client.get(f"/result/{key}?csv=metrics")) if row["metric"] == "ndcg@10"]
    assert (float(row["dense low"]), float(row["dense high"])) == (interval.low, interval.high)


def test_queries_by_what_became_of_them(client, stored, tmp_path):
    key = stored.of("random_order")[0]
    (failed,) = queries(client, key, only="failed")
    assert (failed["query"], failed["remarks"]) == ("q003", "failed: TimeoutError: too slow")
    expected = [query for query, score in stored.results[key].scores("ndcg@10").items() if score == 0]
    assert ids(queries(client, key, only="zero")) == expected != []
    key, before = stored.of("bm25")[:2]
    old, new = (stored.results[one].scores("ndcg@10") for one in (before, key))
    rows = queries(client, key, only="changed")
    assert {row["query"]: float(row["Δ before"]) for row in rows} == pytest.approx(
        {query: new[query] - old[query] for query in new if new[query] != old[query]}
    )
    assert ids(queries(client, key, only="worse")) == [query for query in new if new[query] < old[query]]
    qrels = {"q0": {"d": 1, "e": 0}, "q1": {"d": 1}}
    run = {"q0": {"d": 2.0, "e": 1.0}, "q1": {"d": 2.0, "x": 1.0}}  # x of q1 nobody judged
    result = evaluate(qrels, run, ["ndcg@10", "judged@2"], name="bm25").with_fields(run=run)
    other = client_of(saved(tmp_path / "s.db", [result]))
    key = other.get("/result/latest").headers["location"].removeprefix("/result/")
    assert [(row["query"], row["remarks"]) for row in queries(other, key, only="unjudged")] == [("q1", "unjudged")]


def test_results_by_reference_and_queries_by_words_and_by_another_metric(client, stored):
    key, newest = stored.of("dense")[0], stored.entries[0].evaluation
    for reference in ("latest", newest, newest[:-1]):
        assert client.get(f"/result/{reference}").headers["location"] == f"/result/{newest}/0", reference
    assert client.get("/result/main").headers["location"].startswith("/result/2026-10-01")
    assert ids(queries(client, key, words="THING 17")) == ["q017"]
    assert len(queries(client, key, words="fr hard")) == 10
    scores = [float(row["mrr"]) for row in queries(client, key, metric="mrr", sort="mrr", order="asc")]
    assert scores == sorted(scores)
