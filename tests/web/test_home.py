"""The home page: what got worse first, with one click to the comparison of the two runs."""

import re
from html import unescape

import pytest

from ._clients import client_of, main_of
from ._stores import HOSTILE, result_of, saved

pytestmark = pytest.mark.usefixtures("undrawn")


def nights(*skills, provider="bm25", **more):
    """Results of nights with the same seed, so that only the skill changes."""
    return [[result_of(1, provider=provider, skill=skill, night=night, **more)] for night, skill in enumerate(skills)]


@pytest.fixture(scope="module")
def fallen(tmp_path_factory):
    """One provider fell last night, one rose, one failed, one is as before."""
    failed = result_of(3, provider="down", night=3)
    failed = failed.with_fields(failures=dict.fromkeys(failed.query_ids, "ConnectionError: <b>refused</b>"), run={})
    return saved(
        tmp_path_factory.mktemp("home") / "s.db",
        *nights(0.9, 0.9, 0.3),
        *nights(0.3, 0.9, provider="rising"),
        *nights(0.6, 0.6, provider="steady"),
        [result_of(3, provider="down", night=2)],
        [failed],
    )


def series_of(html):
    """Provider → its part of the page."""
    parts = re.findall(r'<li class="one-series.*?</li>', html, re.DOTALL)
    return {re.search(r'class="open"[^>]*>([^<]*)<', part)[1]: part for part in parts}


def test_what_got_worse_comes_first_and_leads_to_its_comparison(fallen):
    client = client_of(fallen)
    html = client.get("/").text
    assert list(series_of(html)) == ["bm25", "down", "rising", "steady"]
    assert "1 series got worse since the last run; 1 provider failed on every query" in html
    worse = series_of(html)["bm25"]
    assert ("is-worse" in worse, worse.count("▼ worse")) == (True, 2), "beside the name and beside the difference"
    assert "version, configuration and data are the same as in" in worse, "what is recorded as changed"
    (older, newer, baseline), *_ = re.findall(r'href="/compare\?r=([^&]+)&amp;r=([^&]+)&amp;baseline=([^"]+)"', worse)
    entries = {entry["key"]: entry["started"][:10] for entry in client.get("/api/v1/results").json()["results"]}
    days = [entries[key.replace("%2F", "/")] for key in (older, newer)]
    assert (days, older == baseline) == (["2026-10-02", "2026-10-03"], True)
    assert client.get(f"/compare?r={older}&r={newer}&baseline={baseline}").status_code == 200
    query = re.search(r'class="id" href="([^"]+)"', worse)[1]
    opened = client.get(unescape(query)).text
    name = unescape(re.search(r"card=([^&#]+)", query)[1])
    assert re.search(f'<details class="query" id="[^"]*" data-query="{name}"[^>]* open', opened), "with both rankings"


def test_a_provider_that_failed_has_its_error_and_no_figure(fallen):
    html = client_of(fallen).get("/").text
    failed = series_of(html)["down"]
    assert "ConnectionError: &lt;b&gt;refused&lt;/b&gt;" in failed
    assert ("<svg" in failed, 'class="now"' in failed) == (False, False)
    listed = client_of(fallen).get("/results?provider=down").text
    assert "failed: ConnectionError: &lt;b&gt;refused&lt;/b&gt;" in listed


def test_every_drawing_says_what_it_shows(fallen):
    html = client_of(fallen).get("/").text
    names = re.findall(r'<svg class="spark"[^>]*aria-label="([^"]+)"', html)
    assert len(names) == 3
    assert any(
        re.fullmatch(r"ndcg@10 in 3 runs: .+ to .+, lowest .+, highest .+; step on 3 October \(worse\)", name)
        for name in names
    )
    assert "style=" not in html


def test_the_same_records_as_the_api(fallen):
    client = client_of(fallen)
    status = client.get("/api/v1/status").json()
    assert status["heading"] in client.get("/").text
    assert [line["provider"] for line in status["series"]] == list(series_of(client.get("/").text))
    assert status["counts"] == {"worse": 1, "failed": 1, "better": 1, "lower": 0, "higher": 0, "same": 1, "new": 0}


def test_a_fall_that_is_not_shown_is_neutral(tmp_path):
    client = client_of(saved(tmp_path / "s.db", [result_of(1)], [result_of(2, night=1)]))
    (part,) = series_of(client.get("/").text).values()
    assert re.search("lower, not shown|higher, not shown", part)
    assert not re.search("is-worse|is-better|▼|▲", part)
    assert "Nothing got worse since 1 October" in client.get("/").text


def test_many_series_are_filtered_and_have_pages(tmp_path):
    results = [result_of(1, provider=f"p{number:03}", n_queries=5) for number in range(120)]
    client = client_of(saved(tmp_path / "s.db", results))
    html = client.get("/").text
    assert ("<details><summary>Show 120 series" in html, len(series_of(html))) == (True, 20)
    assert len(series_of(client.get("/?words=p01").text)) == 10
    pages = [series_of(client.get(f"/?only=rest&page={page}").text) for page in (1, 2, 3)]
    assert [len(page) for page in pages] == [50, 50, 20]
    assert len(set().union(*pages)) == 120
    assert "100 of 120" not in main_of(client.get("/?only=rest&page=3").text)


def test_long_names_stay_different(tmp_path):
    names = [f"dense({'x' * 100}, depth={depth})" for depth in (10, 20)]
    client = client_of(saved(tmp_path / "s.db", [result_of(1, provider=name, n_queries=5) for name in names]))
    html = client.get("/").text
    assert len(series_of(html)) == 2
    assert all(f'title="{name}"' in html for name in names)


def test_hostile_names_are_text(attacked):
    html = attacked.get("/").text
    assert not re.search("<script>|<img", html)
    assert HOSTILE["markup"][:20] in unescape(html)


def test_a_column_for_each_headline_metric(tmp_path):
    answers = result_of(2, night=1).with_fields(benchmark="answers").subset(metrics=["mrr", "recall@5"])
    client = client_of(saved(tmp_path / "s.db", [result_of(1)], [answers]))
    html = client.get("/results").text
    assert re.findall(r'<a class="sort" href="[^"]*sort=([^"&]+)', html)[3:5] == ["mrr", "ndcg%4010"]
    assert '<td class="number">–</td>' not in html
    assert client.get("/results?sort=mrr&order=desc").status_code == 200
    assert "sort=value" in client.get("/results?metric=mrr").text
