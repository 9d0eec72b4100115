"""Long tables: cut into pages, in any order, with everything in the address."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

from _clients import client_of, main_of, rows_of
from _stores import result_of

from assay.store import Store


def listed(client, query=""):
    page = client.get(f"/{query}").text
    return rows_of(page, "Stored results"), page


def test_pages_lead_to_each_other(client):
    rows, page = listed(client)
    assert len(rows) == 50
    assert "1–50 of 62 results" in main_of(page)
    assert 'href="/?page=2"' in page
    assert 'rel="prev"' not in page
    last, page = listed(client, "?page=2")
    assert len(last) == 12
    assert 'rel="next"' not in page
    assert not {tuple(row) for row in rows} & {tuple(row) for row in last}


def test_sorting_keeps_what_else_is_asked_and_begins_again(client):
    rows, page = listed(client, "?provider=dense&page=1&sort=value&order=desc")
    values = [float(row[4].split()[0]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert 'aria-sort="descending"' in page
    assert "/?provider=dense&sort=value&order=asc" in unescape(page)


def test_nonsense_is_refused(client):
    pages = [f"page={page}" for page in ("0", "-1", "x", "٣", "9" * 50, "99")]
    for query in (*pages, "sort=nothing", "sort=value&order=up"):
        assert client.get(f"/?{query}").status_code == 400, query


def test_what_has_no_value_comes_last_either_way(tmp_path):
    with Store.open(tmp_path / "s.db") as store:
        failed = result_of(1, provider="failed")
        nothing = failed.with_fields(failures=dict.fromkeys(failed.query_ids, "down"), run={})
        store.save([result_of(2, provider="poor", skill=0.2), nothing, result_of(3, provider="good", skill=0.9)])
    client = client_of(tmp_path / "s.db")
    for order, names in (("asc", ["poor", "good", "failed"]), ("desc", ["good", "poor", "failed"])):
        rows, _ = listed(client, f"?sort=value&order={order}")
        assert [row[1].split()[0] for row in rows] == names


def test_an_empty_table_says_so(client):
    page = client.get("/?words=nobody-is-called-that").text
    assert "No results here." in main_of(page)
    assert "<table" not in page


def test_a_download_has_every_row_and_digit(client):
    answer = client.get("/?csv=results&sort=value&order=desc")
    assert answer.headers["content-disposition"] == 'attachment; filename="results.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == 62
    assert all(re.fullmatch(r"0\.\d{5,}|0\.\d+|1\.0", row["ndcg@10"]) for row in rows)
    assert {"provider", "evaluation", "ndcg@10 low", "ndcg@10 high"} <= rows[0].keys()


def test_rows_may_be_picked_and_lead_to_their_result(client):
    _, page = listed(client)
    key = re.search(r'name="r" value="([^"]+)"', page)[1]
    assert f'href="/result/{key}"' in page
    assert 'aria-label="Pick ' in page
