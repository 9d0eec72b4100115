"""The application: every page on a store that means harm, and errors as pages."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from _clients import client_of, keys_of, main_of
from _stores import HOSTILE

from assay.errors import StoreError
from assay.web import make_app

WORDS = "".join(HOSTILE[name] for name in ("markup", "quotes", "separators"))


@pytest.fixture(scope="module")
def attacked(hostile):
    return client_of(hostile)


@pytest.fixture(scope="module")
def paths(attacked):
    one, other = keys_of(attacked.get("/").text)
    name = quote(HOSTILE["markup"])
    return {
        "/": ["/", f"/?words={quote(WORDS)}", f"/?benchmark={name}", f"/?metric={quote(WORDS)}", "/?csv=results"],
        "/result/{evaluation}/{place}": [f"/result/{one}", f"/result/{one}?words={quote(WORDS)}"],
        "/result/{reference}": [f"/result/{quote(WORDS, safe='')}"],
        "/result/{evaluation}/{place}/query": [f"/result/{one}/query?id={quote(word)}" for word in HOSTILE.values()],
        "/compare": ["/compare", f"/compare?r={one}&r={other}", f"/compare?r={one}&r={other}&words={quote(WORDS)}"],
        "/leaderboard": ["/leaderboard", f"/leaderboard?benchmark={name}", f"/leaderboard?metric={quote(WORDS)}"],
        "/history": ["/history", f"/history?benchmark={name}&provider={quote(WORDS)}", f"/history?since={quote(WORDS)}"],
        "/datasets": ["/datasets", f"/datasets?name={name}", f"/datasets?name={quote(WORDS)}"],
        "/metrics": ["/metrics", f"/metrics?name={quote(WORDS)}"],
    }


def test_every_page_is_tried(attacked, paths):
    """Every address that pages lead to has a path here."""
    ours = [re.compile(re.sub(r"{\w+}", "[^/]+", path)) for path in [*paths, "/progress", "/judge", "/logout", "/static/.*"]]
    for path in ("/", "/compare", "/leaderboard", "/history", "/datasets", "/metrics"):
        for link in re.findall(r'(?:href|action|src)="(/[^"?#]*)', attacked.get(path).text):
            assert any(one.fullmatch(link) for one in ours), link


@pytest.mark.slow
def test_hostile_text_is_only_ever_text(attacked, paths):
    for path in [path for some in paths.values() for path in some]:
        answer = attacked.get(path)
        assert answer.status_code < 500, path
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        text = answer.text
        assert "<script>" not in text, path
        assert "<img" not in text, path
        assert "<svg onload" not in text, path
        assert not re.search(r"<[^>]*\son\w+=", re.sub(r'"[^"]*"', '""', text)), path
        assert not {"\x00", "\x07", "\x1b", "\u2028", "\u2029"} & set(text), path


PARAMETERS = {
    "/": ("metric", "since", "until", "sort", "order", "page", "csv"),
    "/compare": ("baseline", "metric", "sort", "order", "page", "csv"),
    "/datasets": ("name", "csv"),
    "/history": ("metric", "since", "sort", "order", "page", "csv"),
    "/leaderboard": ("benchmark", "data", "metric", "csv"),
    "/metrics": ("name", "csv"),
    "/progress": ("csv",),
    "/result/{key}": ("metric", "only", "sort", "order", "page", "csv"),
    "/result/{key}/query": ("id", "top", "from", "saved", "back", "csv"),
    "/result/latest": (),
}
"""Page → parameters that do not take any word; those that filter may leave nothing."""


def test_no_page_passes_over_a_parameter_in_silence(client):
    key, other = keys_of(client.get("/").text)[:2]
    for page, names in PARAMETERS.items():
        more = {"/compare": f"r={key}&r={other}&", "/result/{key}/query": "id=q001&"}.get(page, "")
        for name in ("strange", *names):
            address = f"{page.format(key=key)}?{more}{name}=python:evil:x"
            assert client.get(address).status_code in (400, 404), address


def test_a_metric_or_baseline_that_nobody_knows_is_told_where_nothing_is_compared_yet(client):
    assert client.get("/compare?metric=python:evil:x").status_code == 404
    assert client.get("/compare?baseline=none").status_code == 400
    assert client.get("/compare?metric=mrr").status_code == 200


def test_formulas_are_neutralised_in_downloads(attacked, paths):
    one = keys_of(attacked.get("/").text)[0]
    text = attacked.get(f"/result/{one}?csv=queries").text
    assert "'=HYPERLINK" in text
    assert not re.search(r'(^|,)"?[=@]', text, re.MULTILINE)


@pytest.mark.parametrize("path", ["/nope", "/result", "/result/a/b/c/d", "/static/none.js"])
def test_what_is_not_there_is_a_page(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "To the results" in main_of(answer.text)


def test_what_is_not_possible(client):
    assert client.post("/login", data={}, headers={"origin": "http://127.0.0.1:8765"}).status_code == 303
    assert client.delete("/", headers={"content-type": "application/json"}).status_code == 405


def test_programs_get_their_errors_as_json(client):
    answer = client.get("/api/v1/nothing-there")
    assert answer.status_code == 404
    assert answer.json()["error"]


def test_a_store_that_is_not_there_is_told_at_once(tmp_path):
    with pytest.raises(StoreError, match="there is no store"):
        make_app(tmp_path / "none.db")


def test_static_files_may_be_kept_as_long_as_their_address_says_which(client):
    html = client.get("/").text
    for url in re.findall(r'(?:href|src)="(/static/[^"]+)"', html):
        answer = client.get(url)
        assert "immutable" in answer.headers["cache-control"]
    assert "immutable" not in client.get("/static/web.js").headers["cache-control"]
