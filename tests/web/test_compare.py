"""The page that compares: what the report says, and all queries beside it."""

import functools
import re
from html import unescape
from urllib.parse import parse_qs

import pytest

from assay.comparison import ComparisonOptions, compare_results

from ._clients import cells_of, client_of, keys_of, main_of, rows_of
from ._stores import result_of, saved


@pytest.fixture(scope="module")
def two(stored):
    return stored.keys[2:4]


@functools.cache
def compared(stored, *keys, baseline=None):
    """What the library says about them."""
    results = [stored.results[key] for key in keys]
    return compare_results(results, ComparisonOptions(baseline=stored.results[baseline].name if baseline else None))


def page(client, keys, **params):
    return client.get("/compare", params=[*(("r", key) for key in keys), *params.items()])


def downloaded(client, keys, name, **params):
    return cells_of(page(client, keys, csv=name, **params))


def test_the_verdict_is_that_of_the_comparison(client, stored, two):
    """Which may have a baseline; all differences have its sign."""
    html = page(client, two, baseline=two[1]).text
    comparison = compared(stored, *two, baseline=two[1])
    assert comparison.verdict in main_of(html)
    assert f"Above the line {stored.results[two[0]].name} is better" in main_of(html)
    assert 8 <= html.count('<details class="query"') <= 40
    assert len(rows_of(html, "All queries")) == 50
    (pair,) = [one for one in comparison.pairs if one.metric == "ndcg@10"]
    changes = [float(row["Δ"]) for row in downloaded(client, two, "all-queries", baseline=two[1])]
    assert sum(changes) / len(changes) == pytest.approx(pair.difference)


def test_only_where_they_differ(client, stored, two):
    a, b = (stored.results[key].scores("ndcg@10") for key in two)
    rows = downloaded(client, two, "all-queries", differ="1", sort="change", order="desc")
    changes = [float(row["Δ"]) for row in rows]
    assert changes == sorted(changes, reverse=True)
    assert {row["query"] for row in rows} == {query for query in a if a[query] != b[query]}
    assert f'value="{two[0]}" checked' in page(client, two[:1]).text, "one is asked for another"


def test_references_lead_to_what_they_mean(client, stored):
    answer = client.get("/compare?r=latest/0&r=latest~1&words=a")
    expected = [f"{name}/0" for name in list(dict.fromkeys(entry.evaluation for entry in stored.entries))[:2]]
    assert answer.status_code == 307
    assert parse_qs(answer.headers["location"].partition("?")[2]) == {"r": expected, "words": ["a"]}


def test_the_downloads_have_every_figure(client, stored, two):
    comparison = compared(stored, *two)
    rows = downloaded(client, two, "metrics")
    assert [row["metric"] for row in rows] == [pair.metric for pair in comparison.pairs]
    for row, pair in zip(rows, comparison.pairs, strict=True):
        assert [float(row[f"95 % CI of Δ {end}"]) for end in ("low", "high")] == [pair.low, pair.high]
        assert [int(row[name]) for name in ("better", "same", "worse")] == [pair.wins, pair.ties, pair.losses]
        assert float(row["Δ"]) == pair.difference
        for name in comparison.names:
            assert float(row[f"{name} low"]) <= float(row[name]) <= float(row[f"{name} high"])
    nights = stored.of("dense")[:2]
    three = [*nights, two[0]]
    rows = downloaded(client, three, "metrics")
    assert [row["system"] for row in rows][:2] == [f"dense ({key.split('/')[0][-4:]})" for key in nights]
    assert len(downloaded(client, three, "metrics-2")) == 3, "every pair"


def test_results_with_other_queries_are_compared_on_what_they_share(tmp_path):
    results = [result_of(1, provider="a", n_queries=12), result_of(2, provider="b", n_queries=8)]
    client = client_of(saved(tmp_path / "s.db", results))
    keys = keys_of(client.get("/").text)
    answer = page(client, keys)
    assert (answer.status_code, "--intersect" in answer.text) == (422, False)
    link = unescape(re.search(r'href="([^"]*shared=1[^"]*)"', answer.text)[1])
    assert len(cells_of(client.get(f"{link}&csv=all-queries"))) == 8
