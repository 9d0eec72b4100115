"""http: real requests on loopback; every way to answer, and every way to fail."""

from __future__ import annotations

import gc
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from assay.errors import BadParameter, ProviderError
from assay.model.records import Hit, Query
from assay.providers._provider import parse_provider
from assay.providers._refusals import FINAL_STATUS, Busy, Final
from assay.providers.http import HttpRetriever, _wait, parse_body, parse_headers, parse_url

from ._service import serving

Q = Query("q1", "what is it")
TWO = [Hit("a", 2.0), Hit("b", 1.0)]


@pytest.fixture(autouse=True, scope="module")
def threads_of_before():
    """Threads that tests of other files left to this process."""
    return set(threading.enumerate())


def two(*_):
    return {"results": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]}


def ask(script, query=Q, k=10, path="", **settings):
    """The hits and what the service saw."""
    with serving(script) as service:
        retriever = HttpRetriever(service.url + path, **settings)
        try:
            return retriever.search([query], k)[0], service
        finally:
            service.released.set()
            retriever.close()


def failing(script, **settings):
    """The error that a script leads to."""
    with pytest.raises(ProviderError) as caught:
        ask(script, **settings)
    return caught.value


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


# What is answered

ANSWERS = {
    "a list": [{"id": "a", "score": 2}, {"id": "b", "score": 1}],
    "ids": {"hits": ["a", "b"]},
    "pairs": {"data": [["a", 2], ["b", 1]]},
    "elastic": {"hits": {"n": 2, "hits": [{"_id": "a", "_score": 2, "_source": {"text": "x"}}, {"_id": "b", "_score": 1}]}},
    "chroma": {"ids": [["a", "b"]], "distances": [[0.5, 0.7]], "metadatas": [[{"x": 1}, None]], "documents": None},
    "qdrant": {"result": {"points": [{"id": "a", "score": 2, "payload": {"text": "x"}}, {"id": "b", "score": 1}]}},
    "solr": {"response": {"docs": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]}},
    "pinecone": {"matches": [{"id": "a", "score": 2, "metadata": {}}, {"id": "b", "score": 1}]},
    "distances": {"results": [{"id": "b", "distance": 0.9}, {"id": "a", "distance": 0.1}]},
    "ids in metadata": {"documents": [{"text": "x", "metadata": {"id": "a"}}, {"text": "y", "metadata": {"id": "b"}}]},
    "out of order": {"results": [{"id": "b", "score": 1}, {"id": "a", "score": 2}]},
}  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_usual_answers_are_understood(answer):
    hits, _ = ask(lambda *_: answer)
    assert [hit.doc_id for hit in hits] == ["a", "b"]
    assert hits[0].score > hits[1].score


def test_texts_and_metadata_are_kept():
    hits, _ = ask(lambda *_: ANSWERS["elastic"])
    assert hits[0] == Hit("a", 2.0, "x", {"text": "x"})
    hits, _ = ask(lambda *_: ANSWERS["chroma"])
    assert hits == [Hit("a", -0.5, None, {"x": 1}), Hit("b", -0.7)]


def test_paths():
    answer = {"data": {"results": [{"docs": [{"m": {"n": 7}, "s": [0.5], "t": "words"}, {"m": {"n": 8}, "s": [0.9]}]}]}}
    hits, _ = ask(lambda *_: answer, results="data.results[0].docs", id="m.n", score="s[0]", text="t")
    assert hits == [Hit("8", 0.9), Hit("7", 0.5, "words")]


def test_groups_run_together_and_distances_are_negated():
    answer = {"groups": [{"docs": [{"id": "a", "l2_distance": 3}]}, {"docs": [{"id": "b", "l2_distance": 1}]}]}
    hits, _ = ask(lambda *_: answer, results="groups[*].docs", score="l2_distance")
    assert hits == [Hit("b", -1.0), Hit("a", -3.0)]


def test_an_id_inside_the_columns_of_chroma():
    answer = {"answer": {"ids": [["x", "y"]], "distances": [[1, 2]], "metadatas": [[{"src": "a"}, {"src": "b"}]]}}
    hits, _ = ask(lambda *_: answer, results="answer", id="metadata.src")
    assert [hit.doc_id for hit in hits] == ["a", "b"]


def test_no_hits_are_fine_and_more_than_k_are_cut():
    assert ask(lambda *_: {"results": []})[0] == []
    assert ask(lambda *_: list("abc"), k=2)[0] == [Hit("a", 0.0), Hit("b", -1.0)]


WRONG = {
    "no list": ({"took": 3, "total": 0}, {}, "set results= (the answer has took total)"),
    "nothing": ({}, {}, "the answer has nothing in it"),
    "a number": (3, {}, "expected a list of hits, found 3"),
    "a path that is not there": ({"hits": {"took": 1}}, {"results": "hits.hits"}, "there is no hits.hits: hits has took"),
    "a path into a list": ({"hits": []}, {"results": "hits.hits"}, "hits is no object but []"),
    "a place that is not there": ({"r": []}, {"results": "r[0].docs"}, "there is no r[0].docs: r has 0 entries"),
    "a path to text": ({"hits": "none"}, {"results": "hits"}, "expected a list of hits at hits, found 'none'"),
    "no id": ({"hits": [{"title": "x"}]}, {}, "hit 1 has no id: it has title"),
    "no id at the path": ({"hits": [{"id": 1}]}, {"id": "m.id"}, "hit 1: there is no m.id: it has id"),
    "no score at the path": ({"hits": [{"id": 1}]}, {"score": "s"}, "hit 1: there is no s: it has id"),
    "an id that is an object": ({"hits": [{"id": 1, "x": {}}]}, {"id": "x"}, "hit 1: an id is text or a whole number"),
    "a score that is text": ({"hits": [{"id": "a", "score": "high"}]}, {}, "the score of document a is 'high'"),
    "a score that is none": ({"hits": [{"id": "a", "score": float("nan")}]}, {}, "the score of document a is nan"),
    "twice": ({"hits": ["a", "b", "a"]}, {}, "document a comes twice"),
    "some scores": ({"hits": [{"id": "a", "score": 1}, {"id": "b"}]}, {}, "some hits have a score, b has none"),
    "several queries": ({"ids": [["a"], ["b"]]}, {}, "expected the hits of one query"),
    "uneven columns": ({"ids": [["a", "b"]], "distances": [[1]]}, {}, "differ in length"),
    "null": (None, {"path": "?null"}, "found None"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "settings", "message"), WRONG.values(), ids=WRONG)
def test_wrong_answers_are_explained(answer, settings, message):
    def script(_, handler):
        handler.say(200, json.dumps(answer).encode())

    error = failing(script, **settings)
    assert message in str(error)
    assert str(error).startswith("http://127.0.0.1")


# What goes wrong


@pytest.mark.parametrize(
    ("status", "header", "wait"), [(429, "7", 7.0), (429, "0.5", 0.5), (503, None, None), (429, "soon", None)]
)
def test_a_busy_service(status, header, wait):
    error = failing(lambda _, handler: handler.say(status, b"later", **({"Retry_After": header} if header else {})))
    assert isinstance(error, Busy)
    assert error.retry_after == wait
    assert f"HTTP {status}" in str(error)


@pytest.mark.parametrize(
    "status", [301, 302, 400, 401, 403, 404, 405, 408, 409, 410, 413, 414, 415, 422, 425, 500, 502, 504]
)
def test_what_is_refused_for_good(status):
    error = failing(lambda _, handler: handler.say(status, b"no"))
    assert isinstance(error, Final) == (status in FINAL_STATUS) == (status not in (302, 408, 409, 425, 500, 502, 504))
    assert f"HTTP {status}" in str(error)


def test_what_cannot_be_read_is_refused_for_good_and_what_is_no_answer_is_not(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    assert isinstance(failing(lambda *_: ["a", "a"]), Final)
    assert isinstance(failing(two, headers="X: ${NO_SUCH_KEY}"), Final)
    for wrong in (lambda *_: {"error": "warming up"}, lambda _, handler: handler.say(200, b"{")):
        assert not isinstance(failing(wrong), Final)


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
    start = time.monotonic()
    assert "no answer within 0.2 s" in str(failing(lambda _, handler: handler.hang(), timeout=0.2))
    assert time.monotonic() - start < 2


def test_a_service_that_drips():
    start = time.monotonic()
    assert "no answer within 0.3 s" in str(failing(lambda _, handler: handler.drip(), timeout=0.3))
    assert time.monotonic() - start < 2


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
        retriever = HttpRetriever(service.url, timeout=0.3)
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


def test_ten_at_once_are_quicker_than_one_by_one():
    def slow(*_):
        time.sleep(0.05)
        return two()

    with serving(slow) as service:
        retriever = HttpRetriever(service.url)
        start = time.monotonic()
        with ThreadPoolExecutor(10) as pool:
            list(pool.map(lambda _: retriever.search([Q], 5), range(60)))
        took = time.monotonic() - start
        retriever.close()
    assert took < 60 * 0.05 / 4


# How it is named

NAMES = [
    "http(url='http://127.0.0.1:8000/search')",
    "http(url='https://h/s?q={query}&n={k}', method=get)",
    'http(url=\'http://h/s\', body=\'{"q": "{query}", "n": {k}}\', results=hits.hits, id=_id, score=_score)',
    "http(url='http://h/s', results='data[*].docs', headers='Authorization: Bearer ${KEY}; X-Two: 2', timeout=2.5)",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_reads_back(name):
    bound = parse_provider(name)
    assert parse_provider(bound.name) == bound


SECRETS = {
    "a header": "http(url='http://h/s', headers='Authorization: Bearer hush-hush; X-Plain: open')",
    "headers as JSON": """http(url='http://h/s', headers='{"x-api-key": "hush-hush"}')""",
    "a cookie": "http(url='http://h/s', headers='Cookie: a=hush-hush')",
    "an address": "http(url='http://h/s?q={query}&api_key=hush-hush&n=5')",
    "a password": "http(url='http://me:hush-hush@h/s')",
    "a body": """http(url='http://h/s', body='{"q": "{query}", "apiKey": "hush-hush"}')""",
}


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_secrets_are_not_shown(text):
    bound = parse_provider(text)
    assert "hush" not in bound.name + json.dumps(bound.configuration) + repr(bound.params) + repr(bound)
    assert "…" in bound.name
    with pytest.raises(BadParameter, match="left out"):
        parse_provider(bound.name)


def test_secrets_are_used_all_the_same():
    with serving(two) as service:
        retriever = parse_provider(f"http(url='{service.url}?token=hush-hush', headers='X-Key: hush; X-B: 1')").make()
        retriever.search([Q], 5)
        retriever.close()
    assert service.asked[0].path == "/search?token=hush-hush"
    assert service.asked[0].headers["X-Key"] == "hush"


def test_a_map_of_headers_as_yaml_has_it():
    bound = parse_provider({"http": {"url": "http://h/s", "headers": {"X-One": "1", "X-Two": "2"}}})
    assert bound.params["headers"] == "X-One: 1; X-Two: 2"


@pytest.mark.parametrize(
    "text",
    [
        "http",
        "http(url=ftp://h/s)",
        "http(url=search)",
        "http(url='http://{scope}.h/s')",
        "http(url='http://h:99999999/')",
        "http(url='http://h/s', method=delete)",
        "http(url='http://h/s', body='{query')",
        "http(url='http://h/s', results='a..b')",
        "http(url='http://h/s', headers='nonsense')",
        "http(url='http://h/s', timeout=0)",
    ],
)
def test_what_cannot_be_is_refused_at_once(text):
    with pytest.raises(BadParameter):
        parse_provider(text)


def test_plain_settings_are_plain():
    assert type(parse_url("http://h/s")) is type(parse_body('{"q": {query}}')) is type(parse_headers("A: 1")) is str


def test_nothing_runs_on(threads_of_before):
    assert [one.name for one in threading.enumerate() if "assay" in one.name and one not in threads_of_before] == []
