"""The application: every page on a store that means harm, and refusals as pages."""

import re
from urllib.parse import quote

import pytest

from assay.errors import StoreError
from assay.web import make_app

from ._clients import cells_of, client_of, keys_of, main_of, told
from ._stores import HOSTILE, result_of, saved

WORDS = "".join(HOSTILE[name] for name in ("markup", "quotes", "separators"))
PAGES = ("/", "/results", "/compare", "/leaderboard", "/history", "/datasets", "/metrics")


@pytest.fixture(scope="module")
def paths(attacked):
    one, other = keys_of(attacked.get("/results").text)
    name, words = quote(HOSTILE["markup"]), quote(WORDS)
    return {
        "/": ["/", f"/?words={words}", f"/?benchmark={name}", "/?only=rest", "/?csv=series"],
        "/results": [
            "/results",
            *(f"/results?{name}" for name in (f"words={words}", f"benchmark={name}", f"metric={words}", "csv=results")),
        ],
        "/result/{evaluation}/{place}": [f"/result/{one}", f"/result/{one}?words={words}"],
        "/result/{reference}": [f"/result/{quote(WORDS, safe='')}"],
        "/result/{evaluation}/{place}/query": [f"/result/{one}/query?id={quote(word)}" for word in HOSTILE.values()],
        "/compare": ["/compare", f"/compare?r={one}&r={other}", f"/compare?r={one}&r={other}&words={words}"],
        "/leaderboard": ["/leaderboard", f"/leaderboard?benchmark={name}", f"/leaderboard?metric={words}"],
        "/history": ["/history", f"/history?benchmark={name}&provider={words}", f"/history?since={words}"],
        "/datasets": ["/datasets", f"/datasets?name={name}", f"/datasets?name={words}"],
        "/metrics": ["/metrics", f"/metrics?name={words}"],
        "/judgments": ["/judgments", f"/judgments?benchmark={name}", f"/judgments?benchmark={words}"],
        "/queue": ["/queue"],
    }


@pytest.mark.slow
def test_hostile_text_is_only_ever_text(attacked, paths):
    """On every page that pages lead to."""
    ours = [re.compile(re.sub(r"{\w+}", "[^/]+", path)) for path in [*paths, "/progress", "/judge", "/logout", "/static/.*"]]
    for path in PAGES:
        for link in re.findall(r'(?:href|action|src)="(/[^"?#]*)', attacked.get(path).text):
            assert any(one.fullmatch(link) for one in ours), link
    for path in [path for some in paths.values() for path in some]:
        answer = attacked.get(path)
        assert answer.status_code < 500, path
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        assert not re.search("<script>|<img|<svg onload", answer.text), path
        assert not re.search(r"<[^>]*\son\w+=", re.sub(r'"[^"]*"', '""', answer.text)), path
        assert not {"\x00", "\x07", "\x1b", "\u2028", "\u2029"} & set(answer.text), path


PARAMETERS = {
    "/": ("only", "page", "csv"),
    "/results": ("metric", "since", "until", "sort", "order", "page", "csv"),
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


def test_no_page_passes_over_a_parameter_in_silence(client, stored):
    key, other = stored.keys[:2]
    for page, names in PARAMETERS.items():
        more = {"/compare": f"r={key}&r={other}&", "/result/{key}/query": "id=q001&"}.get(page, "")
        for name in ("strange", *names):
            address = f"{page.format(key=key)}?{more}{name}=python:evil:x"
            assert client.get(address).status_code in (400, 404), address


REFUSED = f"""/nope /result /result/a/b/c/d /static/none.js /?page=2&only=rest /?only=nothing /?metric=mrr /?csv=nothing
/results?page=0 /results?page=-1 /results?page=x /results?page=٣ /results?page={"9" * 50} /results?page=99
/results?sort=nothing /results?sort=value&order=up /results?since=yesterday /results?until=x /results?metric=nope
/results?csv=nothing /result/nothing /result/latest/7
/result/<hybrid>?only=changed /result/<hybrid>?metric=nothing /result/<hybrid>/query?id=q05
/compare?r=<hybrid>&r=<dense>&r=nothing/0 /compare?r=<hybrid>&r=<dense>&r=latest/9 /compare?r=<hybrid>&r=<dense>&r=../0
/compare?r=<hybrid>&r=<dense>&metric=zz /compare?r=<hybrid>&r=<dense>&baseline=other /compare?metric=python:evil:x
/compare?baseline=none /leaderboard?benchmark=nothing /leaderboard?metric=nothing /leaderboard?data=nothing
/history?metric=nothing /history?since=nothing /metrics?name=ncdg /api/v1/nothing-there""".split()


def test_refusals_are_pages_that_say_what_is_wrong(client, stored, snapshots):
    names = {f"<{name}>": stored.of(name)[0] for name in ("hybrid", "dense")}
    answers = {path: client.get(re.sub("<.*?>", lambda found: names[found[0]], path)) for path in REFUSED}
    answers["too many to compare"] = client.get("/compare", params=[("r", key) for key in stored.keys[:21]])
    answers["another method"] = client.delete("/", headers={"content-type": "application/json"})
    snapshots.check("web/refusals", told(answers, {key: name for name, key in names.items()}))
    assert client.post("/login", data={}, headers={"origin": "http://127.0.0.1:8765"}).status_code == 303


def test_an_empty_store_and_searches_without_a_find_say_so(tmp_path, usual, client, snapshots):
    with pytest.raises(StoreError):
        make_app(tmp_path / "none.db")
    empty = client_of(saved(tmp_path / "s.db"))
    answers = {f"empty store: {path}": empty.get(path) for path in PAGES if path not in ("/datasets", "/metrics")}
    answers |= {path: client.get(path) for path in ("/?words=nobody", "/results?words=nobody", "/history?benchmark=other")}
    snapshots.check("web/nothing", told(answers, {str(tmp_path): "<tmp>", str(usual.parent): "<tmp>"}))
    assert "<table" not in client.get("/results?words=nobody-is-called-that").text


def test_what_changes_in_the_store_is_seen_at_once(fresh):
    client = client_of(fresh)
    first = client.get("/results")
    again = client.get("/results", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    fresh.save([result_of(99, provider="new", night=60)])
    assert len(keys_of(client.get("/results").text)) == 2
    fresh.tag("latest", "shiny")
    assert "shiny" in main_of(client.get("/results").text)


def test_every_table_and_chart_of_a_result_can_be_downloaded(client, stored, attacked):
    html = client.get(f"/result/{stored.of('dense')[0]}").text
    links = set(re.findall(r'href="([^"]*csv=[^"]*)"', html))
    assert len(links) >= 8
    for link in links:
        assert cells_of(client.get(link.replace("&amp;", "&"))), link
    text = attacked.get(f"/result/{keys_of(attacked.get('/results').text)[0]}?csv=queries").text
    assert "'=HYPERLINK" in text, "formulas are neutralised"
    assert not re.search(r'(^|,)"?[=@]', text, re.MULTILINE)
    assert html.count("<figure") == html.count('role="img"') >= 2
    for url in re.findall(r'(?:href|src)="(/static/[^"]+)"', html):
        assert "immutable" in client.get(url).headers["cache-control"], url
    assert "immutable" not in client.get("/static/web.js").headers["cache-control"]
