"""The page that compares: what the report says, and all queries beside it."""

from __future__ import annotations

import pytest
from _clients import main_of, rows_of

from assay.comparison.compare import compare_results
from assay.store import Store
from assay.web._desk import Desk


@pytest.fixture(scope="module")
def desk(usual):
    with Store.open(usual) as store:
        yield Desk(store)


@pytest.fixture(scope="module")
def two(desk):
    return [one.key for one in desk.shelf.listed[2:4]]


def page(client, keys, **params):
    return client.get("/compare", params=[*(("r", key) for key in keys), *params.items()])


def test_the_verdict_is_that_of_the_comparison(client, desk, two):
    expected = compare_results([desk.result(key) for key in two]).verdict
    assert expected in main_of(page(client, two).text)


def test_the_same_provider_on_two_nights(client, desk):
    keys = [one.key for one in desk.shelf.listed if one.entry.provider == "dense"][:2]
    text = main_of(page(client, keys).text)
    assert all(f"dense ({key.split('/')[0][-4:]})" in text for key in keys)


def test_only_where_they_differ(client, desk, two):
    a, b = (desk.result(key).scores("ndcg@10") for key in two)
    rows = rows_of(page(client, two, differ="1").text, "All queries")
    assert [row[0] for row in rows] == [query for query in a if a[query] != b[query]][:50]
    every = rows_of(page(client, two, sort="change", order="desc").text, "All queries")
    assert len(every) == 50
    assert [float(row[4]) for row in every] == sorted((float(row[4]) for row in every), reverse=True)


def test_the_first_cards_are_shown_and_say_so(client, two):
    html = page(client, two).text
    assert "A click on a query" not in html
    assert "The first 8; the table below has every query." in html
    assert 8 <= html.count('<details class="query"') <= 40


def test_a_baseline(client, desk, two):
    keys = [*two, desk.shelf.listed[0].key]
    text = main_of(page(client, keys, baseline=keys[1]).text)
    expected = compare_results([desk.result(key) for key in keys], desk.comparison(keys, keys[1]).how).verdict
    assert expected in text
    assert page(client, two, baseline="other").status_code == 400


def test_fewer_than_two_are_asked_for_more(client, two):
    assert "Pick two or more" in main_of(client.get("/compare").text)
    html = page(client, two[:1]).text
    assert f'value="{two[0]}" checked' in html


@pytest.mark.parametrize("key", ["nothing/0", "latest/0", "../0"])
def test_what_is_not_there(client, two, key):
    assert page(client, [*two, key]).status_code == 404


def test_too_many(client, desk):
    assert page(client, [one.key for one in desk.shelf.listed[:21]]).status_code == 400
