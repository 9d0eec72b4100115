"""http: real requests on loopback; what is asked, and every way to fail."""

from __future__ import annotations

import gc
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from assay.errors import ProviderError
from assay.model.records import Hit, Query
from assay.providers.catalog.http import HttpRetriever, _wait, parse_headers
from assay.providers.retriever import PERMANENT_STATUS, PermanentFailure, RetryLater

from ._asking import Q, ask, failing, two
from ._service import serving
from ._written import parse_provider

TWO = [Hit("a", 2.0), Hit("b", 1.0)]


@pytest.fixture(autouse=True, scope="module")
def threads_of_before():
    """Threads that tests of other files left to this process."""
    return set(threading.enumerate())


# What is asked


def test_the_default_body_and_headers():
    hits, service = ask(two)
    (asked,) = service.asked
    assert hits == TWO
    assert (asked.method, asked.path, asked.body) == ("POST", "/search", {"query": "what is it", "k": 10})
    assert asked.headers["Content-Type"] == "application/json"


HOSTILE = [
    '" , "k": 99, "x": "',
    "\\",
    '\\"',
    "line\nfeed",
    "{k} {query_id}",
    "${HOME}",
    "naïve 日本 🙂",
    "\x00\x1b",
    "{",
    "a/b?c&d=e#f%20",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_query_breaks_out_of_a_body(text):
    body = '{"q": "{query}", "n": {k}, "all": {query}, "mixed": "<{query}> in {scope}", "scope": {scope}}'
    _, service = ask(two, Query("q", text, scope="s"), body=body)
    assert service.asked[0].body == {"q": text, "n": 10, "all": text, "mixed": f"<{text}> in s", "scope": "s"}


@pytest.mark.parametrize("text", HOSTILE)
def test_no_query_breaks_out_of_an_address(text):
    from urllib.parse import parse_qs, urlsplit

    _, service = ask(two, Query("id/1", text), path="/{query_id}?q={query}&k={k}&scope={scope}", method="get")
    (asked,) = service.asked
    assert urlsplit(asked.path).path == "/search/id%2F1"
    assert parse_qs(urlsplit(asked.path).query, keep_blank_values=True) == {"q": [text], "k": ["10"], "scope": [""]}
    assert (asked.method, asked.body) == ("GET", None)


def test_a_lone_surrogate_is_sent_as_well_as_it_can_be():
    assert ask(two, Query("q", "a\ud800b"), path="?q={query}")[0] == TWO


def test_no_scope_is_null():
    _, service = ask(two, body='{"scope": {scope}, "text": "{scope}"}')
    assert service.asked[0].body == {"scope": None, "text": ""}


def test_a_body_can_go_with_get_if_it_is_asked_for():
    _, service = ask(two, method="get", body='{"q": "{query}"}')
    assert service.asked[0].body == {"q": "what is it"}


@pytest.mark.parametrize(
    "text", ["X-One: 1; X-Two: a; b=c", '{"X-One": "1", "X-Two": "a; b=c"}'], ids=["as lines", "as JSON"]
)
def test_headers(text):
    _, service = ask(two, headers=parse_headers(text))
    assert (service.asked[0].headers["X-One"], service.asked[0].headers["X-Two"]) == ("1", "a; b=c")


def test_variables_are_read_when_asking(monkeypatch):
    with serving(two) as service:
        retriever = HttpRetriever(
            service.url + "?x=${PART}", body='{"k": "${PART}"}', headers="Authorization: Bearer ${KEY}"
        )
        for value in ("first/1", 'second"'):
            monkeypatch.setenv("KEY", "k" + value[:5])
            monkeypatch.setenv("PART", value)
            retriever.search([Q], 3)
        retriever.close()
    assert [one.headers["Authorization"] for one in service.asked] == ["Bearer kfirst", "Bearer ksecon"]
    assert [one.path for one in service.asked] == ["/search?x=first%2F1", "/search?x=second%22"]
    assert [one.body["k"] for one in service.asked] == ["first/1", 'second"']


def test_a_variable_that_is_not_set(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    assert "NO_SUCH_KEY, which the header X-Key names, is not set" in str(failing(two, headers="X-Key: ${NO_SUCH_KEY}"))


def test_a_variable_that_would_break_the_request_is_not_shown(monkeypatch):
    monkeypatch.setenv("KEY", "secret\r\nX-Evil: 1")
    error = failing(two, headers="X-Key: ${KEY}")
    assert "cannot be sent" in str(error)
    assert "secret" not in str(error)


def test_the_start_of_an_address_may_be_a_variable(monkeypatch):
    with serving(two) as service:
        monkeypatch.setenv("BASE", service.url)
        retriever = parse_provider("http(url='${BASE}/v1')").make()
        assert retriever.search([Q], 3) == [TWO]
        retriever.close()
    assert service.asked[0].path == "/search/v1"


def test_user_and_password_of_an_address_become_a_header():
    with serving(two) as service:
        retriever = HttpRetriever(service.url.replace("//", "//me:p%40ss@"))
        retriever.search([Q], 3)
        retriever.close()
    assert service.asked[0].headers["Authorization"] == "Basic bWU6cEBzcw=="


# What goes wrong


@pytest.mark.parametrize(
    ("status", "header", "wait"), [(429, "7", 7.0), (429, "0.5", 0.5), (503, None, None), (429, "soon", None)]
)
def test_a_busy_service(status, header, wait):
    error = failing(lambda _, handler: handler.say(status, b"later", **({"Retry_After": header} if header else {})))
    assert isinstance(error, RetryLater)
    assert error.retry_after == wait
    assert f"HTTP {status}" in str(error)


@pytest.mark.parametrize(
    "status", [301, 302, 400, 401, 403, 404, 405, 408, 409, 410, 413, 414, 415, 422, 425, 500, 502, 504]
)
def test_what_is_refused_for_good(status):
    error = failing(lambda _, handler: handler.say(status, b"no"))
    assert (
        isinstance(error, PermanentFailure)
        == (status in PERMANENT_STATUS)
        == (status not in (302, 408, 409, 425, 500, 502, 504))
    )
    assert f"HTTP {status}" in str(error)


def test_what_cannot_be_read_is_refused_for_good_and_what_is_no_answer_is_not(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    assert isinstance(failing(lambda *_: ["a", "a"]), PermanentFailure)
    assert isinstance(failing(two, headers="X: ${NO_SUCH_KEY}"), PermanentFailure)
    for wrong in (lambda *_: {"error": "warming up"}, lambda _, handler: handler.say(200, b"{")):
        assert not isinstance(failing(wrong), PermanentFailure)


def test_a_date_to_come_back():
    in_a_minute = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert _wait(in_a_minute) == pytest.approx(60, abs=2)
    assert _wait("Thu, 01 Jan 1970 00:00:00 GMT") == 0
    assert [_wait(text) for text in ("nan", "inf", "-3", "", None, "31 Foo")] == [None, None, 0, None, None, None]


def test_other_statuses_show_how_the_reply_begins():
    error = failing(lambda _, handler: handler.say(500, b"boom \x1b[31m\nline" + b"x" * 1000))
    assert "HTTP 500: boom \\x1b[31m\\nline" in str(error)
    assert len(str(error)) < 300
    assert "HTTP 404, and empty" in str(failing(lambda _, handler: handler.say(404)))
    assert "moved to /other" in str(failing(lambda _, handler: handler.say(307, Location="/other")))


def test_a_reply_that_repeats_our_secrets(monkeypatch):
    monkeypatch.setenv("KEY", "hush-hush")
    for headers in ("Authorization: Bearer ${KEY}", "X-Api-Key: hush-hush"):
        error = failing(lambda _, handler: handler.say(401, b"bad key hush-hush"), headers=parse_headers(headers))
        assert "bad key …" in str(error)


@pytest.mark.parametrize(
    ("body", "shown"),
    [(b"<html>oops</html>", ": <html>oops"), (b'{"results": [', ': {"results"'), (b"", ", and empty"), (b"\xff\xfe", ": ")],
)
def test_what_is_not_json(body, shown):
    assert f"the answer is not JSON{shown}" in str(failing(lambda _, handler: handler.say(200, body)))


def test_json_too_deep_to_read():
    assert "not JSON" in str(failing(lambda _, handler: handler.say(200, b"[" * 100_000)))


def test_a_service_that_hangs():
    assert "no answer within 0.2 s" in str(failing(lambda _, handler: handler.hang(), timeout=0.2))


def test_a_service_that_drips():
    assert "no answer within 0.3 s" in str(failing(lambda _, handler: handler.drip(), timeout=0.3))


def test_without_limit():
    hits, _ = ask(two, timeout=float("inf"))
    assert hits == TWO
    assert ask(two, timeout=None)[0] == TWO


def test_a_slow_answer_is_an_answer():
    def slow(*_):
        time.sleep(0.2)
        return two()

    assert ask(slow, timeout=5.0)[0] == TWO


def test_cut_connections():
    assert "bytes before the end" in str(failing(lambda _, handler: handler.cut(b'{"results": [')))
    assert "the connection was cut before there was an answer" in str(failing(lambda _, handler: handler.cut()))


def test_what_is_not_http():
    def script(_, handler):
        handler.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        handler.close_connection = True

    assert "not an answer in HTTP" in str(failing(script))


def test_nobody_listens():
    with serving(two) as service:
        url = service.url
    with pytest.raises(ProviderError, match="cannot be reached: Connection refused"):
        HttpRetriever(url).search([Q], 1)
    with pytest.raises(ProviderError, match="cannot be reached"):
        HttpRetriever("http://no-such-host.invalid/").search([Q], 1)


def test_one_failure_does_not_spoil_the_next_query():
    turns = iter(["cut", "500", "hang", "ok", "garbage", "ok"])

    def script(_, handler):
        turn = next(turns)
        if turn == "ok":
            return two()
        actions = {"cut": handler.cut, "500": lambda: handler.say(500, b"x" * 99_999), "hang": handler.hang}
        return actions.get(turn, lambda: handler.say(200, b"{"))()

    with serving(script) as service:
        retriever = HttpRetriever(service.url, timeout=1.0)
        outcomes = []
        for _ in range(6):
            try:
                outcomes.append(retriever.search([Q], 5)[0] == TWO)
            except ProviderError:
                outcomes.append(False)
        retriever.close()
    assert outcomes == [False, False, False, True, False, True]


# Connections


def test_connections_are_used_again():
    with serving(two) as service:
        retriever = HttpRetriever(service.url)
        for _ in range(20):
            retriever.search([Q], 5)
        assert len(service.connections) == 1
        with ThreadPoolExecutor(4) as pool:
            assert all(hits == [TWO] for hits in pool.map(lambda _: retriever.search([Q], 5), range(40)))
        assert len(service.connections) <= 5
        retriever.close()


def test_a_kept_connection_that_died_is_replaced():
    def once(_, handler):
        handler.say(200, json.dumps(two()).encode())
        handler.close_connection = True  # without having said so

    with serving(once) as service:
        retriever = HttpRetriever(service.url)
        for _ in range(3):
            assert retriever.search([Q], 5) == [TWO]
            time.sleep(0.02)
        retriever.close()
    assert len(service.connections) == 3


def test_connections_go_with_the_retriever():
    with serving(two) as service:
        retriever = HttpRetriever(service.url)
        retriever.search([Q], 5)
        del retriever
        gc.collect()  # a socket that is left open is a warning, and a warning is an error


def test_ten_are_asked_at_once():
    """The service answers nobody before ten are waiting for it."""
    meet = threading.Barrier(10, timeout=60)

    def together(*_):
        meet.wait()
        return two()

    with serving(together) as service:
        retriever = HttpRetriever(service.url, timeout=60)
        with ThreadPoolExecutor(10) as pool:
            assert list(pool.map(lambda _: retriever.search([Q], 5), range(60))) == [[TWO]] * 60
        retriever.close()


# How it is named


def test_nothing_runs_on(threads_of_before):
    assert [one.name for one in threading.enumerate() if "assay" in one.name and one not in threads_of_before] == []
