"""The page that compares: what the report says, and all queries beside it."""

import re
from html import unescape
from urllib.parse import parse_qs

from ._boards import failed_result
from ._clients import cells_of, client_of, keys_of, main_of
from ._stores import result_of, saved


def page(client, keys, **params):
    return client.get("/compare", params=[*(("r", key) for key in keys), *params.items()])


def test_references_lead_to_what_they_mean(client, stored):
    answer = client.get("/compare?r=latest/0&r=latest~1&words=a")
    expected = [f"{name}/0" for name in list(dict.fromkeys(entry.evaluation for entry in stored.entries))[:2]]
    assert answer.status_code == 307
    assert parse_qs(answer.headers["location"].partition("?")[2]) == {"r": expected, "words": ["a"]}


def test_results_with_other_queries_are_compared_on_what_they_share(tmp_path):
    results = [result_of(1, provider="a", n_queries=12), result_of(2, provider="b", n_queries=8)]
    client = client_of(saved(tmp_path / "s.db", results))
    keys = keys_of(client.get("/results").text)
    answer = page(client, keys)
    assert (answer.status_code, "--intersect" in answer.text) == (422, False)
    link = unescape(re.search(r'href="([^"]*shared=1[^"]*)"', answer.text)[1])
    assert len(cells_of(client.get(f"{link}&csv=all-queries"))) == 8


def test_a_result_that_failed_on_every_query_is_left_out_of_a_comparison_and_has_no_verdict_of_its_own(tmp_path):
    results = [result_of(1, provider="a"), failed_result("dead"), result_of(2, provider="b", skill=0.9)]
    client = client_of(saved(tmp_path / "s.db", results))
    keys = sorted(keys_of(client.get("/").text))
    page = client.get("/compare", params=[("r", key) for key in keys])
    assert page.status_code == 200
    words = main_of(page.text)
    assert "b beats a on ndcg@10" in words
    assert "RuntimeError: no route to the index" in words
    verdict = re.search(r'<p class="verdict[^>]*>(.*?)</p>', page.text, re.DOTALL)[1]
    assert "dead" not in verdict
    alone = main_of(client.get(f"/result/{keys[1]}").text)
    assert "dead failed on all 60 queries, so it has no values." in alone
    assert "reaches" not in alone
