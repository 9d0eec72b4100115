"""Safety: each point of it, from outside: who may ask, what answers allow, and what is refused."""

from __future__ import annotations

import re

import pytest
from _clients import COOKIE, TOKEN, Clock, client_of, csrf_of
from _stores import usual_store
from starlette.testclient import TestClient

from assay.store import Store
from assay.web import Throttle, is_loopback, make_app

MAX_BYTES = 1_000_000


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """Pages that need a token."""
    clock = Clock()
    store = usual_store(tmp_path_factory.mktemp("guarded") / "s.db", nights=2)
    return client_of(store, token=TOKEN, throttle=Throttle(clock, clock.sleep))


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
        assert "<style" not in html
        assert " style=" not in html
        assert " onclick" not in html
        assert html.count("<script") == html.count("<script src=")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "192.168.0.7"])
def test_a_name_that_was_pointed_here_is_refused(client, host):
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8765", "[::1]:8765", "LOCALHOST"])
def test_names_of_this_machine_are_answered(client, host):
    assert client.get("/", headers={"host": host}).status_code == 200


def test_without_the_token_there_is_the_login_and_nothing_else(visitor):
    answer = visitor.get("/?words=a")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2F%3Fwords%3Da")
    for path in ("/", "/switch", "/api/v1/results", "/metrics"):
        assert visitor.get(path).status_code in (303, 401)
    page = visitor.get("/login")
    assert page.status_code == 200
    assert "things" not in page.text


def test_the_login_page_holds_no_word_of_a_session(visitor):
    assert 'name="csrf"' not in visitor.get("/login").text


def test_the_login_page_leads_nowhere_and_needs_no_script(visitor):
    html = visitor.get("/login").text
    assert "<script" not in html
    assert re.findall(r'<a [^>]*href="([^"]*)"', html) == ["#content", "/"]


def test_the_token_opens_by_header(visitor):
    assert visitor.get("/", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    for wrong in ("", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
        assert visitor.get("/api/v1/results", headers={"authorization": f"Bearer {wrong}"}).status_code == 401


def test_the_login_sets_a_cookie_that_scripts_cannot_read(visitor):
    answer = visitor.post("/login", data={"token": TOKEN, "next": "/history"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/history")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert visitor.get("/").status_code == 200


def test_a_wrong_token_is_told_and_opens_nothing(visitor):
    answer = visitor.post("/login", data={"token": "wrong"})
    assert answer.status_code == 401
    assert "That is not the token" in answer.text
    assert "set-cookie" not in answer.headers
    visitor.cookies.set(COOKIE, "wrong")
    assert visitor.get("/").status_code == 303


@pytest.mark.parametrize(
    "place", ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "\n/x"]
)
def test_the_login_never_leads_elsewhere(visitor, place):
    answer = visitor.post("/login", data={"token": TOKEN, "next": place})
    assert answer.headers["location"] == "/"


class TestWrites:
    """What changes something; logging out stands for all of it."""

    @pytest.fixture
    def inside(self, visitor):
        visitor.post("/login", data={"token": TOKEN})
        return visitor

    @pytest.fixture
    def word(self, inside):
        return csrf_of(inside.get("/").text)

    def test_needs_the_word_of_the_form(self, inside, word):
        refused = inside.post("/logout", data={})
        assert refused.status_code == 403
        assert "form has expired or came from another site" in refused.text
        assert inside.post("/logout", data={"csrf": "wrong"}).status_code == 403
        assert inside.post("/logout", data={"csrf": word}).status_code == 303

    def test_the_word_may_come_in_a_header(self, inside, word):
        assert inside.post("/logout", headers={"x-csrf-token": word}).status_code == 303

    @pytest.mark.parametrize(
        "headers",
        [
            {"origin": "https://evil.example"},
            {"origin": "null"},
            {"origin": "http://127.0.0.1:9"},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
        ],
    )
    def test_another_page_may_not(self, inside, word, headers):
        assert inside.post("/logout", data={"csrf": word}, headers=headers).status_code == 403

    def test_our_own_page_may(self, inside, word):
        headers = {"origin": "http://127.0.0.1:8765", "sec-fetch-site": "same-origin"}
        assert inside.post("/logout", data={"csrf": word}, headers=headers).status_code == 303

    def test_a_form_of_another_kind_is_not_looked_into(self, inside, word):
        files = {"csrf": (None, word)}
        assert inside.post("/logout", files=files).status_code == 403


def test_too_much_is_refused_told_or_not(client):
    large = b"x" * (MAX_BYTES + 1)
    assert client.post("/login", content=large).status_code == 413
    assert client.post("/login", content=iter([large[: MAX_BYTES // 2]] * 3)).status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/pyproject.toml",
        "/static//etc/passwd",
        "/static/web.js/../../safety.py",
        "/result/..%2f..%2fetc/0",
        "/datasets?name=../../etc/passwd",
        "/datasets?name=/etc/passwd",
    ],
)
def test_no_path_leads_out(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    ("name", "is_so"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("127.9.9.9", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("localhost.evil.example", False),
    ],
)
def test_loopback(name, is_so):
    assert is_loopback(name) is is_so


def test_a_bug_is_a_page_with_headers_and_without_a_traceback(usual, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret of the inside")

    client = TestClient(make_app(usual), base_url="http://localhost", raise_server_exceptions=False)
    monkeypatch.setattr(Store, "list", broken)
    answer = client.get("/")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("word", ["[", "]", "[::1", "a[b]c", "[v1.x]", "http://["])
def test_what_is_no_address_is_refused_and_no_bug(client, visitor, word):
    assert client.get("/", headers={"host": word}).status_code == 421
    assert client.post("/judge", data={}, headers={"origin": f"http://{word}"}).status_code == 403
    assert visitor.get("/", headers={"host": word}).status_code in (303, 421)
    assert visitor.get("/login", params={"next": f"//{word}"}).status_code == 200


def test_a_length_of_thousands_of_digits(client):
    assert client.post("/judge", content=b"x", headers={"content-length": "9" * 5000}).status_code == 413


@pytest.mark.parametrize("path", ["/", "/compare", "/history", "/leaderboard", "/datasets", "/metrics", "/switch"])
def test_a_parameter_that_is_too_long_is_refused_in_words(client, path):
    answer = client.get(path, params={"words": "w" * 2001})
    assert answer.status_code == 400
    assert "a parameter has at most 2,000 letters; found 2,001" in answer.text
    assert "w" * 200 not in answer.text
    assert client.get(path, params={"n" * 3000: "x"}).status_code == (200 if path == "/switch" else 400)


def test_an_id_may_be_as_long_as_data_have_it(hostile):
    from _clients import keys_of

    client = client_of(hostile)
    key = keys_of(client.get("/").text)[0]
    assert client.get(f"/result/{key}/query", params={"id": "w" * 10_000}).status_code == 200
    assert client.get(f"/result/{key}/query", params={"id": "w" * 9_999}).status_code == 404


def test_the_token_of_an_application_is_masked_wherever_it_would_be_shown(usual):
    client = client_of(usual, token=TOKEN)
    answer = client.get(f"/history?metric={TOKEN}", headers={"authorization": f"Bearer {TOKEN}"})
    assert "no metric is called &#39;…&#39;" in answer.text
    assert TOKEN not in answer.text
