"""Safety: each point of it, from outside: who may ask, what answers allow, what is refused, and how sessions end."""

import re

import pytest
from starlette.testclient import TestClient

from assay.store import Store
from assay.web import Throttle, is_loopback, make_app

from ._clients import COOKIE, FREE_ATTEMPTS, TOKEN, Clock, client_of, csrf_of, keys_of, told

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


def log_in(visitor):
    """The secret in the cookie that a login sets."""
    visitor.cookies.clear()
    assert visitor.post("/login", data={"token": TOKEN}).status_code == 303
    return visitor.cookies[COOKIE]


def status_with(visitor, secret, path="/"):
    visitor.cookies.clear()
    return visitor.get(path, headers={"cookie": f"{COOKIE}={secret}"}).status_code


def test_every_answer_has_the_headers_and_no_page_has_code_of_its_own(client, snapshots):
    first = client.get("/").headers
    names = [name for name in first if name not in ("content-length", "content-type", "etag", "cache-control")]
    snapshots.check("web/headers", "".join(f"{name}: {first[name]}\n" for name in sorted(names)))
    for path in ("/nope", "/static/web.js", "/?page=x", "/result/none/0", "/compare"):
        answer = client.get(path)
        assert {name: answer.headers.get(name) for name in names} == {name: first[name] for name in names}, path
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
    answer = visitor.get("/results?words=a")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2Fresults%3Fwords%3Da")
    for path, status in (("/", 303), ("/switch", 303), ("/api/v1/results", 401), ("/metrics", 303)):
        assert visitor.get(path).status_code == status, path
    page = visitor.get("/login")
    assert page.status_code == 200
    assert not re.search(r'things|<script|name="csrf"', page.text), "no word of the store or of a session"
    assert re.findall(r'<a [^>]*href="([^"]*)"', page.text) == ["#content", "/"]
    assert visitor.get("/", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    for wrong in ("", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
        assert visitor.get("/api/v1/results", headers={"authorization": f"Bearer {wrong}"}).status_code == 401, wrong


def test_the_login_sets_a_cookie_that_scripts_cannot_read_and_that_ends_with_the_browser(visitor, snapshots):
    answer = visitor.post("/login", data={"token": "wrong"})
    snapshots.check("web/wrong_token", told({"at the login": answer}))
    assert "set-cookie" not in answer.headers
    assert status_with(visitor, "wrong") == 303
    answer = visitor.post("/login", data={"token": TOKEN, "next": "/history"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/history")
    cookie = answer.headers["set-cookie"]
    assert {part.strip().lower() for part in cookie.split(";")[1:]} == {"httponly", "path=/", "samesite=strict"}
    assert TOKEN not in cookie
    assert visitor.get("/").status_code == 200
    for place in ("//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "\n/x"):
        visitor.cookies.clear()
        assert visitor.post("/login", data={"token": TOKEN, "next": place}).headers["location"] == "/", place


def test_logging_out_and_logging_in_again_end_a_session_and_no_other(visitor, small):
    """For whoever kept the cookie as well; nor does a new server know it."""
    other, mine = log_in(visitor), log_in(visitor)
    assert other != mine
    page = visitor.get("/")
    assert "Log out</button>" in page.text
    answer = visitor.post("/logout", data={"csrf": csrf_of(page.text)})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert COOKIE not in visitor.cookies
    assert [status_with(visitor, mine, path) for path in ("/", "/api/v1/results")] == [303, 401]
    assert status_with(visitor, other) == 200
    first = log_in(visitor)
    assert visitor.post("/login", data={"token": TOKEN}).status_code == 303
    assert status_with(visitor, first) == 303
    assert status_with(client_of(small, token=TOKEN), log_in(visitor)) == 303


def test_forms_and_pages_that_are_kept_are_of_their_session_alone(visitor):
    """Else a browser that logs in again would go on with the form of the session that has ended."""
    log_in(visitor)
    first = visitor.get("/")
    log_in(visitor)
    again = visitor.get("/", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 200
    assert visitor.get("/", headers={"if-none-match": again.headers["etag"]}).status_code == 304
    for page, status in ((first, 403), (again, 303)):
        assert visitor.post("/logout", data={"csrf": csrf_of(page.text)}).status_code == status


def test_a_link_from_elsewhere_asks_once_more_with_the_cookie(visitor):
    """Browsers send no strict cookie when a link elsewhere is followed; the page that comes instead asks again."""
    visitor.cookies.clear()
    elsewhere = {"sec-fetch-site": "cross-site"}
    asked = visitor.get("/login", params={"next": "/history?a=1&b=2"}, headers=elsewhere)
    assert '<meta http-equiv="refresh" content="0; url=/history?a=1&amp;b=2">' in asked.text
    assert "refresh" not in visitor.get("/login", params={"next": "/"}, headers={"sec-fetch-site": "same-origin"}).text
    assert "refresh" not in visitor.post("/login", data={"token": "wrong", "next": "/"}).text
    assert "refresh" in visitor.get("/login", headers={"referer": "http://chat.example.org/"}).text
    for ours in ("http://127.0.0.1:8765/login", ""):
        assert "refresh" not in visitor.get("/login", headers={"referer": ours}).text


def test_wrong_tokens_wait_and_are_then_told_so(small, snapshots):
    clock = Clock()
    client = client_of(small, token=TOKEN, throttle=Throttle(clock, clock.sleep))
    answers = [client.post("/login", data={"token": f"guess {n}", "next": "/history"}) for n in range(FREE_ATTEMPTS + 7)]
    assert [one.status_code for one in answers[: FREE_ATTEMPTS + 5]] == [401] * (FREE_ATTEMPTS + 5)
    assert clock.slept == [0.5, 1.0, 2.0, 4.0]
    last = answers[-1]
    assert (last.status_code, last.headers["retry-after"]) == (429, "8")
    snapshots.check("web/too_many_tokens", told({"at the login": last}))
    assert 'value="/history"' in last.text
    answer = client.get("/api/v1/results", headers={"authorization": "Bearer wrong"})
    assert (answer.status_code, answer.headers["retry-after"], answer.json()["error"]["status"]) == (429, "8", 429)
    assert client.get("/api/v1/results", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert client.post("/login", data={"token": TOKEN}).status_code == 303
    n_slept = len(clock.slept)
    assert client.get("/").status_code == 200
    assert len(clock.slept) == n_slept, "who has logged in is not held up"


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


def test_too_much_is_refused_told_or_not(client, attacked, snapshots):
    large = b"x" * (MAX_BYTES + 1)
    assert client.post("/login", content=large).status_code == 413
    assert client.post("/login", content=iter([large[: MAX_BYTES // 2]] * 3)).status_code == 413
    assert client.post("/judge", content=b"x", headers={"content-length": "9" * 5000}).status_code == 413
    pages = ("/", "/compare", "/history", "/leaderboard", "/datasets", "/metrics", "/switch")
    answers = {path: client.get(path, params={"words": "w" * 2001}) for path in pages}
    snapshots.check("web/long_parameters", told(answers))
    for path in pages:
        assert client.get(path, params={"n" * 3000: "x"}).status_code == (200 if path == "/switch" else 400), path
    key = keys_of(attacked.get("/results").text)[0]
    for n_letters, status in ((10_000, 200), (9_999, 404)):  # an id may be as long as data have it
        assert attacked.get(f"/result/{key}/query", params={"id": "w" * n_letters}).status_code == status


PATHS_OUT = """/static/../app.py /static/..%2fapp.py /static/%2e%2e/%2e%2e/pyproject.toml /static//etc/passwd
/static/web.js/../../safety.py /result/..%2f..%2fetc/0 /datasets?name=../../etc/passwd /datasets?name=/etc/passwd"""


def test_no_path_leads_out(client):
    for path in PATHS_OUT.split():
        answer = client.get(path)
        assert (answer.status_code, "root:" in answer.text) == (404, False), path


def test_a_bug_is_a_page_with_headers_and_without_a_traceback(small, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret of the inside")

    client = TestClient(make_app(small), base_url="http://localhost", raise_server_exceptions=False)
    monkeypatch.setattr(Store, "list", broken)
    answer = client.get("/results")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_the_token_of_an_application_is_masked_wherever_it_would_be_shown(small, snapshots):
    answer = client_of(small, token=TOKEN).get(f"/history?metric={TOKEN}", headers={"authorization": f"Bearer {TOKEN}"})
    snapshots.check("web/masked_token", told({"as a metric": answer}))
    assert TOKEN not in answer.text


def test_loopback():
    assert all(map(is_loopback, ("127.0.0.1", "::1", "[::1]", "localhost", "127.9.9.9")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "localhost.evil.example")))
