"""Safety: each point of it, from outside: who may ask, what answers allow, and what is refused."""

import re

import pytest
from starlette.testclient import TestClient

from assay.store import Store
from assay.web import Throttle, is_loopback, make_app

from ._clients import COOKIE, TOKEN, Clock, client_of, csrf_of, keys_of, told

MAX_BYTES = 1_000_000
HERE = "http://127.0.0.1:8765"


@pytest.fixture(scope="module")
def guarded(small):
    """Pages that need a token."""
    clock = Clock()
    return client_of(small, token=TOKEN, throttle=Throttle(clock, clock.sleep))


@pytest.fixture
def visitor(guarded):
    """Somebody without any cookie."""
    guarded.cookies.clear()
    return guarded


def test_every_answer_has_the_headers(client, snapshots):
    first = client.get("/").headers
    names = [name for name in first if name not in ("content-length", "content-type", "etag", "cache-control")]
    snapshots.check("web/headers", "".join(f"{name}: {first[name]}\n" for name in sorted(names)))
    for path in ("/nope", "/static/web.js", "/?page=x", "/result/none/0", "/compare"):
        answer = client.get(path)
        assert {name: answer.headers.get(name) for name in names} == {name: first[name] for name in names}, path


def test_pages_have_no_inline_script_style_or_handler(client):
    for path in ("/", "/leaderboard", "/history", "/compare", "/metrics", "/datasets"):
        html = client.get(path).text
        assert not re.search(r"<style| style=| onclick", html), path
        assert html.count("<script") == html.count("<script src="), path


NO_ADDRESSES = ("[", "]", "[::1", "a[b]c", "[v1.x]", "http://[")
HOSTS = {
    421: ("evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "192.168.0.7", *NO_ADDRESSES),
    200: ("127.0.0.1", "localhost:8765", "[::1]:8765", "LOCALHOST"),
}


def test_only_names_of_this_machine_are_answered(client, visitor):
    """Another name may have been pointed here; what is no address is refused and no bug."""
    for status, hosts in HOSTS.items():
        for host in hosts:
            assert client.get("/", headers={"host": host}).status_code == status, host
    for word in NO_ADDRESSES:
        assert client.post("/judge", data={}, headers={"origin": f"http://{word}"}).status_code == 403, word
        assert visitor.get("/", headers={"host": word}).status_code in (303, 421), word
        assert visitor.get("/login", params={"next": f"//{word}"}).status_code == 200, word


def test_without_the_token_there_is_the_login_and_nothing_else(visitor):
    answer = visitor.get("/?words=a")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2F%3Fwords%3Da")
    for path, status in (("/", 303), ("/switch", 303), ("/api/v1/results", 401), ("/metrics", 303)):
        assert visitor.get(path).status_code == status, path
    page = visitor.get("/login")
    assert page.status_code == 200
    assert not re.search(r'things|<script|name="csrf"', page.text), "no word of the store or of a session"
    assert re.findall(r'<a [^>]*href="([^"]*)"', page.text) == ["#content", "/"]


def test_the_token_opens_by_header(visitor):
    assert visitor.get("/", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    for wrong in ("", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
        assert visitor.get("/api/v1/results", headers={"authorization": f"Bearer {wrong}"}).status_code == 401, wrong


def test_the_login_sets_a_cookie_that_scripts_cannot_read_and_that_ends_with_the_browser(visitor):
    answer = visitor.post("/login", data={"token": TOKEN, "next": "/history"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/history")
    cookie = answer.headers["set-cookie"]
    assert {part.strip().lower() for part in cookie.split(";")[1:]} == {"httponly", "path=/", "samesite=strict"}
    assert TOKEN not in cookie
    assert visitor.get("/").status_code == 200


def test_a_wrong_token_is_told_and_opens_nothing(visitor, snapshots):
    answer = visitor.post("/login", data={"token": "wrong"})
    snapshots.check("web/wrong_token", told({"at the login": answer}))
    assert "set-cookie" not in answer.headers
    visitor.cookies.set(COOKIE, "wrong")
    assert visitor.get("/").status_code == 303


def test_the_login_never_leads_elsewhere(visitor):
    for place in ("//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "\n/x"):
        visitor.cookies.clear()
        assert visitor.post("/login", data={"token": TOKEN, "next": place}).headers["location"] == "/", place


WRITES = (
    (403, {}),
    (403, {"data": {"csrf": "wrong"}}),
    (403, {"data": "word", "headers": {"origin": "https://evil.example"}}),
    (403, {"data": "word", "headers": {"origin": "null"}}),
    (403, {"data": "word", "headers": {"origin": "http://127.0.0.1:9"}}),
    (403, {"data": "word", "headers": {"sec-fetch-site": "cross-site"}}),
    (403, {"data": "word", "headers": {"sec-fetch-site": "same-site"}}),
    (403, {"files": "word"}),
    (303, {"data": "word"}),
    (303, {"headers": "word"}),
    (303, {"data": "word", "headers": {"origin": HERE, "sec-fetch-site": "same-origin"}}),
)
"""Status and request; "word" stands for the word of the form, in the field, as a part of several, or in the header."""


def test_what_changes_something_needs_the_word_of_the_form_and_our_own_page(visitor):
    """Logging out stands for all of it."""
    for status, request in WRITES:
        visitor.cookies.clear()
        visitor.post("/login", data={"token": TOKEN})
        word = csrf_of(visitor.get("/").text)
        words = {"data": {"csrf": word}, "headers": {"x-csrf-token": word}, "files": {"csrf": (None, word)}}
        sent = {name: words[name] if value == "word" else value for name, value in request.items()}
        assert visitor.post("/logout", **sent).status_code == status, request


def test_too_much_is_refused_told_or_not(client):
    large = b"x" * (MAX_BYTES + 1)
    assert client.post("/login", content=large).status_code == 413
    assert client.post("/login", content=iter([large[: MAX_BYTES // 2]] * 3)).status_code == 413
    assert client.post("/judge", content=b"x", headers={"content-length": "9" * 5000}).status_code == 413


PATHS_OUT = (
    "/static/../app.py",
    "/static/..%2fapp.py",
    "/static/%2e%2e/%2e%2e/pyproject.toml",
    "/static//etc/passwd",
    "/static/web.js/../../safety.py",
    "/result/..%2f..%2fetc/0",
    "/datasets?name=../../etc/passwd",
    "/datasets?name=/etc/passwd",
)


def test_no_path_leads_out(client):
    for path in PATHS_OUT:
        answer = client.get(path)
        assert (answer.status_code, "root:" in answer.text) == (404, False), path


def test_loopback():
    assert all(map(is_loopback, ("127.0.0.1", "::1", "[::1]", "localhost", "127.9.9.9")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "localhost.evil.example")))


def test_a_bug_is_a_page_with_headers_and_without_a_traceback(small, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret of the inside")

    client = TestClient(make_app(small), base_url="http://localhost", raise_server_exceptions=False)
    monkeypatch.setattr(Store, "list", broken)
    answer = client.get("/")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_parameter_that_is_too_long_is_refused_in_words(client, snapshots):
    pages = ("/", "/compare", "/history", "/leaderboard", "/datasets", "/metrics", "/switch")
    answers = {path: client.get(path, params={"words": "w" * 2001}) for path in pages}
    snapshots.check("web/long_parameters", told(answers))
    for path in pages:
        assert client.get(path, params={"n" * 3000: "x"}).status_code == (200 if path == "/switch" else 400), path


def test_an_id_may_be_as_long_as_data_have_it(attacked):
    key = keys_of(attacked.get("/").text)[0]
    for n_letters, status in ((10_000, 200), (9_999, 404)):
        assert attacked.get(f"/result/{key}/query", params={"id": "w" * n_letters}).status_code == status


def test_the_token_of_an_application_is_masked_wherever_it_would_be_shown(small, snapshots):
    answer = client_of(small, token=TOKEN).get(f"/history?metric={TOKEN}", headers={"authorization": f"Bearer {TOKEN}"})
    snapshots.check("web/masked_token", told({"as a metric": answer}))
    assert TOKEN not in answer.text
