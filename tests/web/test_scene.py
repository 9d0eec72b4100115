"""The scene of `make demo-web`: home, comparison and the API say the same about the same two runs."""

import re
import runpy
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from tests.web._clients import client_of

pytestmark = pytest.mark.slow
pytest.importorskip("wordllama")

SCRIPT = Path(__file__).parents[2] / "examples" / "make_web_store.py"
OUTCOMES = {"worse": "▼ worse", "better": "▲ better", "lower": "lower, not shown", "higher": "higher, not shown"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    return client_of(runpy.run_path(str(SCRIPT))["build"](tmp_path_factory.mktemp("scene")))


def changes_on_home(client):
    """Address of the comparison, words of the verdict, difference, and the rest, for each change on the home page."""
    found = re.findall(
        r'<dd><a href="(/compare[^"]+)">([^<]+)</a> <span>([^<]+)</span> <small>([^<]*)</small>', client.get("/").text
    )
    return [(unescape(url), difference, outcome, unescape(rest)) for url, difference, outcome, rest in found]


def test_home_comparison_and_api_agree_on_every_pair(client):
    changes = changes_on_home(client)
    assert {OUTCOMES["worse"], OUTCOMES["better"]} < {outcome for _, _, outcome, _ in changes} <= set(OUTCOMES.values())
    for url, difference, outcome, rest in changes:
        html = client.get(url).text
        head = re.search(r'<p class="change[^"]*">(.*?)</p>', html, re.DOTALL)[1]
        assert f"({difference})" in head, url
        assert outcome in head, url
        keys = [value for name, value in parse_qsl(urlsplit(url).query) if name == "r"]
        pair = client.get("/api/v1/comparison", params={"result": keys}).json()["pairs"][0]
        p = "p < 0.001" if pair["p_corrected"] < 0.001 else f"p = {pair['p_corrected']:.3f}"
        assert rest.endswith(p), url
        is_up = pair["difference"] > 0
        words = {True: OUTCOMES["better" if is_up else "worse"], False: OUTCOMES["higher" if is_up else "lower"]}
        assert words[pair["is_significant"]] == outcome, url


def test_two_runs_of_one_provider_are_told_as_a_change(client):
    worse = next(url for url, _, outcome, _ in changes_on_home(client) if outcome == OUTCOMES["worse"])
    html = client.get(worse).text
    said = re.search(r"site-search got worse on ndcg@10 by 0\.\d+ \[0\.\d+, 0\.\d+\], p &lt; 0\.001\.", html)
    assert said is not None
    assert "site-search (2026-11-14) beats" not in html
    keys = [value for name, value in parse_qsl(urlsplit(worse).query) if name == "r"]
    assert client.get("/api/v1/comparison", params={"result": keys}).json()["verdict"] == unescape(said[0])
    report = client.get(worse.replace("/compare", "/compare/report", 1)).text
    assert said[0] in report
    swapped = client.get(f"/compare?r={keys[1]}&r={keys[0]}&baseline={keys[1]}").text
    assert "got worse on" not in swapped, "the later run is the baseline, so nothing is said about time"
    assert "site-search (2026-11-14) beats site-search (2026-11-16) on ndcg@10" in swapped
