"""Connections of a real server: those who hold them open are shown out, and others are answered meanwhile."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import ExitStack, contextmanager

import httpx
import pytest
from _stores import usual_store

from assay.web import make_app, make_server, security
from assay.web.connections import Limits
from assay.web.workers import Streams

PATIENCE = 20.0
"""Seconds after which a test gives up; nothing here takes that long."""
TOKEN = "a-token-that-is-long-enough"
LONG = {"head_seconds": 1000.0, "idle_seconds": 1000, "write_seconds": 1000.0}
"""So long that nothing ends by itself."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return usual_store(tmp_path_factory.mktemp("connections") / "s.db", nights=1)


@contextmanager
def served(store, *, streams=None, proxies=(), **limits):
    """The port of a server with these limits, and its application."""
    app = make_app(store, token=TOKEN if proxies else "", proxies=proxies)
    if streams is not None:
        app.state.app_state.streams = streams
    server = make_server(app, proxies=proxies, limits=Limits(**limits))
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()[1], app
        finally:
            app.state.app_state.is_ending = server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


@contextmanager
def lines(port, n, sent=b""):
    """Connections that have sent so much."""
    with ExitStack() as stack:
        yield [stack.enter_context(line(port, sent)) for _ in range(n)]


@contextmanager
def line(port, sent=b""):
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as one:
        one.sendall(sent)
        yield one


def rest_of(one):
    """What comes until the other side ends it."""
    found = b""
    try:
        while part := one.recv(65_536):
            found += part
    except ConnectionError:
        pass
    return found


def get(port, path="/progress", **how):
    return httpx.get(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE, **how)


HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


def test_headers_that_never_come_to_an_end_are_told_so(store):
    with served(store, head_seconds=0.3) as (port, _), line(port, HALF) as one:
        answer = rest_of(one)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the headers of a request have to be here within 0.3 s" in answer


def test_a_byte_now_and_then_does_not_prolong_it(store):
    with served(store, head_seconds=0.5) as (port, _), line(port, HALF) as one:
        end, found = time.monotonic() + PATIENCE, b""
        one.settimeout(0.05)
        while not found and time.monotonic() < end:
            try:
                one.sendall(b"x")
                found = one.recv(1000)
            except TimeoutError:
                continue
    assert found.startswith(b"HTTP/1.1 408 ")


def test_a_connection_that_asks_nothing_just_ends(store):
    with served(store, head_seconds=0.3) as (port, _), line(port) as one:
        assert rest_of(one) == b""


def test_a_body_that_never_comes_is_told_so(store, monkeypatch):
    monkeypatch.setattr(security, "BODY_SECONDS", 0.3)
    head = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    for sent in (b"Content-Length: 100\r\n\r\ntoken=", b"Transfer-Encoding: chunked\r\n\r\n5\r\ntoken\r\n"):
        with served(store) as (port, _), line(port, head + sent) as one:
            answer = rest_of(one)
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"what a request sends has to be here within 0.3 s" in answer


def test_the_body_of_a_request_that_needs_none_is_not_waited_for_either(store):
    head = b"GET /progress HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n"
    with served(store, head_seconds=0.5) as (port, _), line(port, head) as one:
        end = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < end:  # uvicorn would go on with every byte
                one.sendall(b"x")
                time.sleep(0.02)
        except ConnectionError:
            return
    pytest.fail("it went on")


def test_those_who_ask_nothing_make_room_for_those_who_ask(store):
    with served(store, n_connections=10, **LONG) as (port, _), lines(port, 40, HALF) as held:
        assert get(port).status_code == 200
        assert [rest_of(one) for one in held[:30]] == [b""] * 30


def test_one_address_has_only_so_many(store):
    with served(store, n_connections=100, n_each=5, **LONG) as (port, _), lines(port, 12, HALF) as held:
        assert get(port).status_code == 200
        assert [rest_of(one) for one in held[:7]] == [b""] * 7


def test_a_named_proxy_may_have_them_all(store):
    with served(store, n_each=2, proxies=["127.0.0.1"], **LONG) as (port, _), lines(port, 6, HALF) as held:
        assert get(port, "/login").status_code == 200
        for one in held:
            one.sendall(b"\r\n\r\n")
            assert one.recv(12) == b"HTTP/1.1 303"


def test_where_all_are_answered_the_next_one_is_told(store):
    ask = b"GET /progress/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for limits, status in (({"n_connections": 4}, 503), ({"n_each": 4}, 429)):
        with served(store, **limits, **LONG) as (port, _), lines(port, 4, ask) as held:
            for one in held:
                assert one.recv(12) == b"HTTP/1.1 200"
            answer = get(port)
            assert (answer.status_code, answer.headers["retry-after"]) == (status, "5")
            assert "there are too many connections now" in answer.text


def test_who_does_not_read_is_not_waited_for(store):
    """The answers of many requests on one connection are more than the system keeps for a reader."""
    ask = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with served(store, write_seconds=0.3) as (port, _):
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.settimeout(PATIENCE)
            one.connect(("127.0.0.1", port))
            with pytest.raises(ConnectionError):
                one.sendall(ask * 100_000)
        assert get(port).status_code == 200


class TestStreams:
    """Streams of events are few."""

    @pytest.mark.parametrize(("streams", "status"), [(Streams(3, 10), 503), (Streams(10, 3), 429)])
    def test_one_too_many_is_told_and_the_place_of_one_that_leaves_is_free(self, store, streams, status):
        ask = b"GET /progress/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        with served(store, streams=streams) as (port, _), lines(port, 3, ask) as held:
            for one in held:
                assert one.recv(12) == b"HTTP/1.1 200"
            answer = get(port, "/progress/events")
            assert answer.status_code == status
            assert "at most 3 streams of events" in answer.text
            assert get(port).status_code == 200
            held[0].close()
            end = time.monotonic() + PATIENCE
            while len(streams) > 2 and time.monotonic() < end:
                time.sleep(0.01)
            with line(port, ask) as another:
                assert another.recv(12) == b"HTTP/1.1 200"

    def test_it_ends_with_the_session(self, store):
        with served(store, proxies=["192.0.2.1"]) as (port, app):
            secret = app.state.keys.sessions.open()
            head = ("GET /progress/events HTTP/1.1", "Host: x", f"Cookie: {security.COOKIE}={secret}", "Connection: close")
            with line(port, "\r\n".join((*head, "", "")).encode()) as one:
                assert one.recv(12) == b"HTTP/1.1 200"
                app.state.keys.sessions.close(secret)
                assert rest_of(one).endswith(b"0\r\n\r\n")

    def test_its_headers_alone_end_at_once(self, store):
        with served(store) as (port, _):
            assert httpx.head(f"http://127.0.0.1:{port}/progress/events", timeout=PATIENCE).status_code == 200
