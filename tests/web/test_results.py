"""The page of results, as all long tables: filters, order, pages, downloads; small whatever the store holds."""

import re
from urllib.parse import quote

import pytest

from assay.evaluation import evaluate
from assay.execution import run

from ._clients import cells_of, client_of, keys_of, rows_of
from ._stores import result_of, saved

pytestmark = pytest.mark.usefixtures("undrawn")


def listed(client, query=""):
    return rows_of(client.get(f"/results?{query}").text, "Stored results")


def test_what_has_no_value_comes_last_either_way(tmp_path):
    poor, good = result_of(2, provider="poor", skill=0.2), result_of(3, provider="good", skill=0.9)
    failed = good.renamed("failed").with_fields(failures=dict.fromkeys(good.query_ids, "down"), run={})
    other = client_of(saved(tmp_path / "s.db", [poor, failed, good]))
    for order, names in (("asc", ["poor", "good", "failed"]), ("desc", ["good", "poor", "failed"])):
        assert [row[1].split()[0] for row in listed(other, f"sort=value&order={order}")] == names


def test_a_metric_without_any_figure_is_not_offered(tmp_path):
    """Queries that were answered together have no times of their own, so latency_p95 has no figure."""
    client = client_of(saved(tmp_path / "s.db", [run("rag-template", "bm25", metrics=["ndcg@10", "latency_p95"])]))
    assert client.get("/api/v1/results").json()["results"][0]["figures"]["latency_p95"]["value"] is None
    assert "<option>latency_p95</option>" not in client.get("/results").text


def test_a_list_stays_small_whatever_names_are_in_it(tmp_path):
    """The longest names of the widest letters, many of them: at most 200 KB."""
    result = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["ndcg@10"])
    long = [result.with_fields(name=f"{n:03}" + "🧪" * 3000, benchmark=f"{n:03}" + "&" * 3000) for n in range(60)]
    wide = [result.with_fields(name=f"{n:03}" + "<" * 110, benchmark=f"{n:03}" + '"' * 110) for n in range(125)]
    client = client_of(saved(tmp_path / "s.db", long, wide))
    answer = client.get("/results?page=4")
    assert len(rows_of(answer.text, "Stored results")) > 15
    assert len(answer.content) <= 200_000


def test_rows_may_be_picked_and_words_switch_to_a_result(client, attacked):
    page = client.get("/results").text
    assert re.findall(r'name="r" value="([^"]+)"', page) == keys_of(page)
    assert 'aria-label="Select ' in page
    (found,) = client.get("/switch", params={"words": "hybrid THINGS"}).json()
    assert (found["label"], found["url"].removeprefix("/result/") in keys_of(page)) == ("hybrid", True)
    assert len(client.get("/switch").json()) == 30
    assert client.get("/switch?words=nothing-like-it").json() == []
    labels = [one["label"] for one in attacked.get("/switch").json()]
    assert all(label.isprintable() and len(label) <= 120 for label in labels)


def test_queries_with_documents_that_nobody_judged(tmp_path):
    qrels = {"q0": {"d": 1, "e": 0}, "q1": {"d": 1}}
    run = {"q0": {"d": 2.0, "e": 1.0}, "q1": {"d": 2.0, "x": 1.0}}  # x of q1 nobody judged
    result = evaluate(qrels, run, ["ndcg@10", "judged@2"], name="bm25").with_fields(run=run)
    other = client_of(saved(tmp_path / "s.db", [result]))
    key = other.get("/result/latest").headers["location"].removeprefix("/result/")
    (row,) = cells_of(other.get(f"/result/{key}?only=unjudged&csv=queries"))
    assert (row["query"], row["remarks"]) == ("q1", "unjudged")


def test_results_by_reference(client, stored):
    newest = stored.entries[0].evaluation
    for reference in ("latest", newest, newest[:-1]):
        assert client.get(f"/result/{reference}").headers["location"] == f"/result/{newest}/0", reference
    assert client.get("/result/main").headers["location"].startswith("/result/2026-10-01")


def test_the_previous_result_is_the_one_that_started_before_and_has_values(tmp_path):
    """The home page has the same order: an old evaluation that is imported later is not the previous one."""
    dead = result_of(3, night=2)
    dead = dead.with_fields(failures=dict.fromkeys(dead.query_ids, "TimeoutError: too slow"), run={})
    nights = [result_of(1, night=1), dead, result_of(1, skill=0.3, night=3), result_of(1, skill=0.5)]
    client = client_of(saved(tmp_path / "s.db", *([one] for one in nights)))
    by_day = {entry["started"][:10]: entry["key"] for entry in client.get("/api/v1/results").json()["results"]}
    newest, previous = by_day["2026-10-04"], by_day["2026-10-02"]
    menu = re.search(
        r'<optgroup label="Previous run">(.*?)</optgroup>', client.get(f"/compare?r={previous}&r={newest}").text
    )
    assert f'value="{previous}"' in menu[1]
    url = re.search(r'class="open" href="([^"]+)"', client.get("/").text)[1]
    assert f"r={quote(previous, safe='')}" in url
