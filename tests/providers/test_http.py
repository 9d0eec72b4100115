"""http: real requests on loopback; what is asked, how answers are read, and every way to fail."""

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from assay import Hit, Query
from assay.errors import BadParameter, ProviderError
from assay.providers import RetryLater

from ._asking import Q, ids, provider
from ._service import serving

TWO = [Hit("a", 2.0), Hit("b", 1.0)]


def two(*_):
    return {"results": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]}


@contextmanager
def asking(script, path="", **settings):
    """A retriever that asks the service, and the service."""
    with serving(script) as service:
        retriever = provider({"http": {"url": service.url + path, **settings}}).make()
        try:
            yield retriever, service
        finally:
            service.released.set()
            retriever.close()


def ask(script, query=Q, k=10, **settings):
    """The hits and what the service saw."""
    with asking(script, **settings) as (retriever, service):
        return retriever.search([query], k)[0], service


def failing(script, **settings):
    """The error that a script leads to."""
    with pytest.raises(ProviderError) as caught:
        ask(script, **settings)
    return caught.value


HOSTILE = ['" , "k": 99, "x": "', "\\", '\\"', "line\nfeed", "{k} {query_id}", "${HOME}", "naïve 日本 🙂", "\x00\x1b", "{"]
HOSTILE += ["a/b?c&d=e#f%20"]


def test_no_query_breaks_out_of_a_body_or_an_address():
    body = '{"q": "{query}", "n": {k}, "all": {query}, "mixed": "<{query}> in {scope}", "scope": {scope}}'
    queries = [Query("id/1", text, scope="s") for text in HOSTILE]
    with asking(two, body=body) as (retriever, service):
        retriever.search(queries, 10)
    for asked, text in zip(service.asked, HOSTILE, strict=True):
        assert asked.body == {"q": text, "n": 10, "all": text, "mixed": f"<{text}> in s", "scope": "s"}
    with asking(two, path="/{query_id}?q={query}&k={k}&scope={scope}", method="get") as (retriever, service):
        retriever.search(queries, 10)
    for asked, text in zip(service.asked, HOSTILE, strict=True):
        address = urlsplit(asked.path)
        assert (address.path, asked.method, asked.body) == ("/search/id%2F1", "GET", None)
        assert parse_qs(address.query, keep_blank_values=True) == {"q": [text], "k": ["10"], "scope": ["s"]}
    assert ask(two, Query("q", "a\ud800b"), path="?q={query}")[0] == TWO, "half a letter is sent as well as it can be"


def test_bodies_and_headers():
    _, service = ask(two, Query("q", "x"), body='{"scope": {scope}, "text": "{scope}"}')
    assert service.asked[0].body == {"scope": None, "text": ""}
    for headers in ("X-One: 1; X-Two: a; b=c", '{"X-One": "1", "X-Two": "a; b=c"}', {"X-One": "1", "X-Two": "a; b=c"}):
        _, service = ask(two, headers=headers)
        assert (service.asked[0].headers["X-One"], service.asked[0].headers["X-Two"]) == ("1", "a; b=c"), headers


def test_an_address_with_the_query_is_asked_with_get_unless_method_or_body_are_set():
    """Its fingerprint is that of a configuration with post, which is known to logs."""
    cases = {(): ("GET", None), ("method",): ("POST", {"query": Q.text, "k": 10}), ("body",): ("POST", {"a": 1})}
    given = {"method": "post", "body": '{"a": 1}'}
    for names, expected in cases.items():
        _, service = ask(two, path="?q={query}", **{name: given[name] for name in names})
        assert (service.asked[0].method, service.asked[0].body) == expected, names
    assert ask(two, path="?k={k}")[1].asked[0].method == "POST"
    written = [provider(f"http(url='http://h/s?q={{query}}'{more})").fingerprint for more in ("", ", method=post")]
    assert written == ["ea9ed9a1fe3fdb13"] * 2


def test_a_refused_post_to_an_address_with_the_query_hints_at_get():
    for status in (404, 405):
        error = failing(lambda _, handler, status=status: handler.say(status), path="?q={query}", method="post")
        assert "sent as POST; add method=get" in str(error), status


def test_variables_are_read_when_asking(monkeypatch):
    settings = {"body": '{"k": "${PART}"}', "headers": "Authorization: Bearer ${KEY}"}
    with asking(two, path="?x=${PART}", **settings) as (retriever, service):
        for value in ("first/1", 'second"'):
            monkeypatch.setenv("KEY", "k" + value[:5])
            monkeypatch.setenv("PART", value)
            retriever.search([Q], 3)
        login = provider({"http": {"url": service.url.replace("//", "//me:p%40ss@")}}).make()
        login.search([Q], 3)
        login.close()
    first, second, of_login = service.asked
    assert [one.headers["Authorization"] for one in (first, second)] == ["Bearer kfirst", "Bearer ksecon"]
    assert [one.path for one in (first, second)] == ["/search?x=first%2F1", "/search?x=second%22"]
    assert [one.body["k"] for one in (first, second)] == ["first/1", 'second"']
    assert of_login.headers["Authorization"] == "Basic bWU6cEBzcw=="


ANSWERS = {
    "a list": [{"id": "a", "score": 2}, {"id": "b", "score": 1}],
    "ids": {"hits": ["a", "b"]},
    "pairs": {"data": [["a", 2], ["b", 1]]},
    "elastic": {"hits": {"n": 2, "hits": [{"_id": "a", "_score": 2, "_source": {"text": "x"}}, {"_id": "b", "_score": 1}]}},
    "chroma": {"ids": [["a", "b"]], "distances": [[0.5, 0.7]], "metadatas": [[{"x": 1}, None]], "documents": None},
    "qdrant": {"result": {"points": [{"id": "a", "score": 2, "payload": {"text": "x"}}, {"id": "b", "score": 1}]}},
    "pinecone": {"matches": [{"id": "a", "score": 2, "metadata": {}}, {"id": "b", "score": 1}]},
    "distances": {"results": [{"id": "b", "distance": 0.9}, {"id": "a", "distance": 0.1}]},
    "ids in metadata": {"documents": [{"text": "x", "metadata": {"id": "a"}}, {"text": "y", "metadata": {"id": "b"}}]},
    "out of order": {"results": [{"id": "b", "score": 1}, {"id": "a", "score": 2}]},
}


def test_usual_answers_are_understood():
    with asking(lambda asked, _: ANSWERS[asked.body["query"]]) as (retriever, _):
        for name, hits in zip(ANSWERS, retriever.search([Query("q", name) for name in ANSWERS], 10), strict=True):
            assert ids(hits) == ["a", "b"], name
            assert hits[0].score > hits[1].score, name
        elastic, chroma = retriever.search([Query("q", "elastic"), Query("q", "chroma")], 10)
    assert elastic[0] == Hit("a", 2.0, "x", {"text": "x"})
    assert chroma == [Hit("a", -0.5, None, {"x": 1}), Hit("b", -0.7)]
    assert ask(lambda *_: {"results": []})[0] == []
    named = {"data": {"results": [{"docs": [{"m": {"n": 7}, "s": [0.5], "t": "words"}, {"m": {"n": 8}, "s": [0.9]}]}]}}
    paths = {"results": "data.results[0].docs", "id": "m.n", "score": "s[0]", "text": "t"}
    assert ask(lambda *_: named, **paths)[0] == [Hit("8", 0.9), Hit("7", 0.5, "words")]
    assert ask(lambda *_: list("abc"), k=2)[0] == [Hit("a", 0.0), Hit("b", -1.0)]


WRONG = {
    "no list": ({"took": 3, "total": 0}, {}),
    "nothing": ({}, {}),
    "a path that is not there": ({"hits": {"took": 1}}, {"results": "hits.hits"}),
    "a place that is not there": ({"r": []}, {"results": "r[0].docs"}),
    "no id": ({"hits": [{"title": "x"}]}, {}),
    "no id at the path": ({"hits": [{"id": 1}]}, {"id": "m.id"}),
    "no score at the path": ({"hits": [{"id": 1}]}, {"score": "s"}),
    "several queries": ({"ids": [["a"], ["b"]]}, {}),
    "uneven columns": ({"ids": [["a", "b"]], "distances": [[1]]}, {}),
}


def test_what_goes_wrong_is_explained(snapshots, monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    monkeypatch.setenv("KEY", "secret\r\nX-Evil: 1")
    errors = {name: failing(lambda *_, answer=answer: answer, **settings) for name, (answer, settings) in WRONG.items()}
    bodies = {"null": b"null", "markup": b"<html>oops</html>", "half": b'{"results": [', "empty": b"", "bytes": b"\xff\xfe"}
    bodies |= {"too deep": b"[" * 100_000}
    errors |= {name: failing(lambda _, handler, body=body: handler.say(200, body)) for name, body in bodies.items()}
    errors |= {
        "500": failing(lambda _, handler: handler.say(500, b"boom \x1b[31m\nline" + b"x" * 1000)),
        **{f"{status}": failing(lambda _, handler, status=status: handler.say(status)) for status in (401, 404, 408, 409)},
        "moved": failing(lambda _, handler: handler.say(307, Location="/other")),
        "busy": failing(lambda _, handler: handler.say(429, b"later", Retry_After="7")),
        "hangs": failing(lambda _, handler: handler.hang(), timeout=0.1),
        "drips": failing(lambda _, handler: handler.drip(), timeout=0.2),
        "cut in the middle": failing(lambda _, handler: handler.cut(b'{"results": [')),
        "cut before": failing(lambda _, handler: handler.cut()),
        "no HTTP": failing(not_http),
        "nobody listens": unreachable("http://127.0.0.1:1/search"),
        "no such host": unreachable("http://no-such-host.invalid/"),
        "a variable that is not set": failing(two, headers="X-Key: ${NO_SUCH_KEY}"),
        "a variable that would break the request": failing(two, headers="X-Key: ${KEY}"),
    }
    text = "".join(f"## {name}\n{type(error).__name__}: {error}\n\n" for name, error in errors.items())
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:port", text)
    snapshots.check("providers/http", re.sub(r"(no-such-host.* cannot connect: ).*", r"\1…", text))


def not_http(_, handler):
    handler.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")
    handler.close_connection = True


def unreachable(url):
    with pytest.raises(ProviderError) as caught:
        provider({"http": {"url": url}}).make().search([Q], 1)
    return caught.value


def test_a_busy_service_says_how_long():
    in_a_minute = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    waits = {"7": 7.0, "0.5": 0.5, "soon": None, "nan": None, "inf": None, "-3": 0.0, "31 Foo": None, None: None}
    waits |= {"Thu, 01 Jan 1970 00:00:00 GMT": 0.0, in_a_minute: pytest.approx(60, abs=30)}
    for header, wait in waits.items():
        headers = {"Retry_After": header} if header else {}
        error = failing(lambda _, handler, headers=headers: handler.say(503, b"later", **headers))
        assert (type(error), error.retry_after) == (RetryLater, wait), header


def test_one_failure_does_not_spoil_the_next_query():
    turns = iter(["cut", "500", "ok", "garbage", "ok"])

    def script(_, handler):
        turn = next(turns)
        actions = {"cut": handler.cut, "500": lambda: handler.say(500, b"x" * 99_999)}
        return two() if turn == "ok" else actions.get(turn, lambda: handler.say(200, b"{"))()

    outcomes = []
    with asking(script) as (retriever, _):
        for _ in range(5):
            try:
                outcomes.append(retriever.search([Q], 5)[0] == TWO)
            except ProviderError:
                outcomes.append(False)
    assert outcomes == [False, False, True, False, True]


def test_connections_are_used_again_and_ten_are_asked_at_once():
    with asking(two) as (retriever, service):
        for _ in range(20):
            retriever.search([Q], 5)
        assert len(service.connections) == 1
    meet = threading.Barrier(10, timeout=60)
    with asking(lambda *_: meet.wait() is None or two(), timeout=60) as (retriever, service):
        with ThreadPoolExecutor(10) as pool:
            assert list(pool.map(lambda _: retriever.search([Q], 5), range(60))) == [[TWO]] * 60
        assert len(service.connections) == 10


NAMES = [
    "http(url='https://h/s?q={query}&n={k}', method=get)",
    'http(url=\'http://h/s\', body=\'{"q": "{query}", "n": {k}}\', results=hits.hits, id=_id, score=_score)',
    "http(url='http://h/s', results='data[*].docs', headers='Authorization: Bearer ${KEY}; X-Two: 2', timeout=2.5)",
]
REFUSED = ["url=ftp://h/s", "url=search", "url='http://{scope}.h/s'", "url='http://h:99999999/'"]
REFUSED += [f"url='http://h/s', {more}" for more in ("method=delete", "body='{query'", "results='a..b'", "timeout=0")]


def test_names_read_back_and_what_cannot_be_is_refused_at_once():
    for name in NAMES:
        assert provider(provider(name).name) == provider(name), name
    for text in REFUSED:
        with pytest.raises(BadParameter):
            pytest.fail(provider(f"http({text})").name)


def test_a_name_in_braces_that_is_not_a_placeholder_is_refused(snapshots, monkeypatch):
    """A text in quotes may have braces of its own, as GraphQL and templates of services have."""
    wrong = {
        "near": {"url": "http://h/s?q={query}&p={pge}"},
        "far": {"url": "http://h/s?q={query}&x={window}"},
        "in a body": {"body": '{"q": "{query}", "page": {pge}}'},
        "in quotes": {"body": '{"q": "{qurey}", "k": {k}}'},
    }
    errors = {}
    for name, settings in wrong.items():
        with pytest.raises(BadParameter) as caught:
            provider({"http": {"url": "http://h/s", **settings}}).check()
        errors[name] = caught.value
    snapshots.check("providers/http_placeholders", "".join(f"## {name}\n{error}\n\n" for name, error in errors.items()))
    filled = {"query": "x", "k": "10", "PART": '"1"'}
    bodies = (
        '{"query": "{ Get { Docs(bm25: {query: \\"{query}\\"}) { score _additional {id} } } }"}',
        '{"query": "{Get{Docs(limit:{k}){score title}}}"}',
        '{"a": {"b": 1}, "q": "{query}", "source": "{{query_text}}", "note": "{title}", "n": ${PART}}',
        '{"a": {}, "q": "{query}", "n": {k}}',
    )
    monkeypatch.setenv("PART", "1")
    for body in bodies:
        _, service = ask(two, Query("q", "x"), path="?${PART}", body=body)
        assert service.asked[0].body == json.loads(re.sub(r"\$?\{(query|k|PART)\}", lambda m: filled[m[1]], body)), body


def test_a_kept_connection_that_died_is_replaced():
    def once(_, handler):
        handler.say(200, json.dumps(two()).encode())
        handler.close_connection = True  # without having said so

    with asking(once) as (retriever, service):
        for _ in range(3):
            assert retriever.search([Q], 5) == [TWO]
            time.sleep(0.02)
    assert len(service.connections) == 3
