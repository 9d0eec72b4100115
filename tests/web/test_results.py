"""The page of results, as all long tables: filters, order, pages, downloads; small whatever the store holds."""

import re
from html import unescape

from assay.evaluation import evaluate
from assay.execution import run

from ._clients import cells_of, client_of, keys_of, main_of, rows_of
from ._stores import result_of, saved


def listed(client, query=""):
    return rows_of(client.get(f"/?{query}").text, "Stored results")


def test_filters_narrow_it_down_and_are_in_the_form_again(client):
    assert [row[1].split()[0] for row in listed(client)[:4]] == ["random_order", "hybrid", "bm25", "dense"]
    assert {row[1].split()[0] for row in listed(client, "provider=dense")} == {"dense"}
    for tag, mark in (("release", "release"), ("main", "baseline main")):
        assert [row[-1] for row in listed(client, f"tag={tag}")] == [mark, mark]
    for query, n_rows in (
        ("since=2026-10-30", 4),
        ("until=2026-10-02", 4),
        ("since=2026-10-05&until=2026-10-05", 2),
        ("words=RANDOM things", 1),
    ):
        assert len(listed(client, query)) == n_rows, query
    html = client.get("/?provider=dense&words=things&since=2026-10-05").text
    for part in ("<option selected>dense</option>", 'value="things"', 'value="2026-10-05"'):
        assert part in html, part


def test_pages_lead_to_each_other_with_the_same_filters(client):
    first, last = (client.get(path).text for path in ("/", "/?page=2"))
    rows, others = (rows_of(page, "Stored results") for page in (first, last))
    assert (len(rows), len(others)) == (50, 12)
    assert not {tuple(row) for row in rows} & {tuple(row) for row in others}
    links = [set(re.findall(r'href="([^"]+)" rel="(\w+)"', page)) for page in (first, last)]
    assert links == [{("/?page=2", "next")}, {("/", "prev")}]
    assert ["1–50 of 62 results" in main_of(first), "51–62 of 62 results" in main_of(last)] == [True, True]
    html = client.get("/?benchmark=things&sort=started&order=desc").text
    link = unescape(re.search(r'href="([^"]+)" rel="next"', html)[1])
    assert link == "/?benchmark=things&sort=started&order=desc&page=2"


def test_sorting_keeps_what_else_is_asked_and_what_has_no_value_comes_last(client, tmp_path):
    page = client.get("/?provider=dense&page=1&sort=value&order=desc").text
    values = [float(row[4].split()[0]) for row in rows_of(page, "Stored results")]
    assert values == sorted(values, reverse=True)
    assert 'aria-sort="descending"' in page
    assert "/?provider=dense&sort=value&order=asc" in unescape(page)
    poor, good = result_of(2, provider="poor", skill=0.2), result_of(3, provider="good", skill=0.9)
    failed = good.renamed("failed").with_fields(failures=dict.fromkeys(good.query_ids, "down"), run={})
    other = client_of(saved(tmp_path / "s.db", [poor, failed, good]))
    for order, names in (("asc", ["poor", "good", "failed"]), ("desc", ["good", "poor", "failed"])):
        assert [row[1].split()[0] for row in listed(other, f"sort=value&order={order}")] == names


def test_the_download_has_all_rows_and_every_digit(client):
    answer = client.get("/?csv=results&sort=value&order=desc")
    assert answer.headers["content-disposition"] == 'attachment; filename="results.csv"'
    rows = cells_of(answer)
    assert len(rows) == 62
    assert list(rows[0])[:6] == ["provider", "evaluation", "benchmark", "started (UTC)", "ndcg@10", "ndcg@10 low"]
    assert all(float(row["ndcg@10 low"]) < float(row["ndcg@10"]) < float(row["ndcg@10 high"]) for row in rows)
    assert len(rows[0]["ndcg@10 high"]) > 8


def test_a_metric_without_any_figure_is_not_offered(tmp_path):
    """Queries that were answered together have no times of their own, so latency_p95 has no figure."""
    client = client_of(saved(tmp_path / "s.db", [run("rag-template", "bm25", metrics=["ndcg@10", "latency_p95"])]))
    assert client.get("/api/v1/results").json()["results"][0]["figures"]["latency_p95"]["value"] is None
    assert "<option>latency_p95</option>" not in client.get("/").text


def test_a_list_stays_small_whatever_names_are_in_it(tmp_path):
    """The longest names of the widest letters, many of them: at most 200 KB."""
    result = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["ndcg@10"])
    long = [result.with_fields(name=f"{n:03}" + "🧪" * 3000, benchmark=f"{n:03}" + "&" * 3000) for n in range(60)]
    wide = [result.with_fields(name=f"{n:03}" + "<" * 110, benchmark=f"{n:03}" + '"' * 110) for n in range(125)]
    client = client_of(saved(tmp_path / "s.db", long, wide))
    answer = client.get("/?page=4")
    assert len(rows_of(answer.text, "Stored results")) > 15
    assert len(answer.content) <= 200_000


def test_rows_may_be_picked_and_words_switch_to_a_result(client, attacked):
    page = client.get("/").text
    assert re.findall(r'name="r" value="([^"]+)"', page) == keys_of(page)
    assert 'aria-label="Pick ' in page
    (found,) = client.get("/switch", params={"words": "hybrid THINGS"}).json()
    assert (found["label"], found["url"].removeprefix("/result/") in keys_of(page)) == ("hybrid", True)
    assert len(client.get("/switch").json()) == 30
    assert client.get("/switch?words=nothing-like-it").json() == []
    labels = [one["label"] for one in attacked.get("/switch").json()]
    assert all(label.isprintable() and len(label) <= 120 for label in labels)
