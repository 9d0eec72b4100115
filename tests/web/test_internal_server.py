"""A real server: slow connections are shown out, streams are few, long work holds up nothing, and charts are drawn apart."""

import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import httpx
import pytest

from assay.errors import UsageError
from assay.web import drawing, live, make_app, security
from assay.web.connections import Limits
from assay.web.state import AppState
from assay.web.workers import Streams, TooBusy, Workers

from ._clients import COOKIE, PATIENCE, TOKEN, keys_of, main_of, serving, told

LONG = {"head_seconds": 1000.0, "idle_seconds": 1000, "write_seconds": 1000.0}
"""So long that nothing ends by itself."""
SPEC = {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}}}


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


# Connections


@contextmanager
def served(store, *, streams=None, proxies=(), **limits):
    """The port of a server with these limits, and its application."""
    app = make_app(store, token=TOKEN if proxies else "", proxies=proxies)
    if streams is not None:
        app.state.app_state.streams = streams
    with serving(app, proxies=proxies, limits=Limits(**limits)) as url:
        yield int(url.rpartition(":")[2]), app


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


STREAM = b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


def body_of(answer):
    """The words of an answer of which nobody waits for more than 0.3 s."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    return body.decode()


def test_headers_that_never_come_to_an_end_are_told_so(small, snapshots):
    """A byte now and then does not prolong it; a connection that asks nothing just ends."""
    with (
        served(small, head_seconds=0.3) as (port, _),
        line(port) as silent,
        line(port, HALF) as half,
        line(port, HALF) as one,
    ):
        end, found = time.monotonic() + PATIENCE, b""
        one.settimeout(0.05)
        while not found and time.monotonic() < end:
            try:
                one.sendall(b"x")
                found = one.recv(1000)
            except TimeoutError:
                continue
        assert found.startswith(b"HTTP/1.1 408 ")
        snapshots.check("web/late_headers", body_of(rest_of(half)))
        assert rest_of(silent) == b""


@pytest.mark.slow
def test_a_body_that_never_comes_is_told_so(small, monkeypatch, snapshots):
    """That of a request that needs none is not waited for either; Uvicorn would go on with every byte."""
    monkeypatch.setattr(security, "BODY_SECONDS", 0.3)
    head = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    unneeded = b"GET /progress HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n"

    def is_over():
        try:
            return bool(endless.sendall(b"x"))
        except ConnectionError:
            return True

    with served(small, head_seconds=0.5) as (port, _), line(port, unneeded) as endless:
        for sent in (b"Content-Length: 100\r\n\r\ntoken=", b"Transfer-Encoding: chunked\r\n\r\n5\r\ntoken\r\n"):
            with line(port, head + sent) as one:
                snapshots.check("web/late_body", main_of(body_of(rest_of(one))))
        until(is_over)


def test_those_who_ask_nothing_make_room_for_those_who_ask(small):
    """Of all, and of one address; where all are answered the next one is told."""
    for limits, status in (({"n_connections": 4}, 503), ({"n_connections": 100, "n_each": 4}, 429)):
        with served(small, **limits, **LONG) as (port, _):
            with lines(port, 8, HALF) as held:
                assert get(port).status_code == 200, limits
                assert [rest_of(one) for one in held[:4]] == [b""] * 4, limits
            with lines(port, 4, STREAM) as held:
                for one in held:
                    assert one.recv(12) == b"HTTP/1.1 200"
                answer = get(port)
                assert (answer.status_code, answer.headers["retry-after"]) == (status, "5")
                assert "too many connections" in answer.text


@pytest.mark.slow
def test_a_named_proxy_may_have_them_all(small):
    with served(small, n_each=2, proxies=["127.0.0.1"], **LONG) as (port, _), lines(port, 6, HALF) as held:
        assert get(port, "/login").status_code == 200
        for one in held:
            one.sendall(b"\r\n\r\n")
            assert one.recv(12) == b"HTTP/1.1 303"


@pytest.mark.slow
def test_who_does_not_read_is_not_waited_for(small):
    """The answers of many requests on one connection are more than the system keeps for a reader."""
    ask = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with served(small, write_seconds=0.3) as (port, _):
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.settimeout(PATIENCE)
            one.connect(("127.0.0.1", port))
            with pytest.raises(ConnectionError):
                one.sendall(ask * 100_000)
        assert get(port).status_code == 200


# Streams of events


@pytest.mark.slow
def test_one_stream_too_many_is_told_and_the_place_of_one_that_leaves_is_free(small, snapshots):
    said = {}
    for case, streams in {"of all": Streams(3, 10), "of one visitor": Streams(10, 3)}.items():
        with served(small, streams=streams) as (port, _), lines(port, 3, STREAM) as held:
            for one in held:
                assert one.recv(12) == b"HTTP/1.1 200"
            said[case] = get(port, "/events")
            assert get(port).status_code == 200
            held[0].close()
            until(lambda streams=streams: len(streams) <= 2)
            with line(port, STREAM) as another:
                assert another.recv(12) == b"HTTP/1.1 200"
    snapshots.check("web/streams", told(said))


def test_a_stream_ends_with_the_session(small):
    with served(small, proxies=["192.0.2.1"]) as (port, app):
        secret = app.state.keys.sessions.open()
        head = f"GET /events HTTP/1.1\r\nHost: x\r\nCookie: {COOKIE}={secret}\r\nConnection: close\r\n\r\n"
        with line(port, head.encode()) as one:
            assert one.recv(12) == b"HTTP/1.1 200"
            app.state.keys.sessions.close(secret)
            assert rest_of(one).endswith(b"0\r\n\r\n")


@pytest.mark.slow
def test_a_stream_shows_signs_of_life_and_ends_when_the_line_is_cut(small, monkeypatch):
    """The server that ends does not wait for those who listen either; its headers alone end at once."""
    monkeypatch.setattr(live, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(live, "HEARTBEAT", 0.1)
    with ExitStack() as stack, served(small) as (port, app):
        streams = app.state.app_state.streams
        with httpx.stream("GET", f"http://127.0.0.1:{port}/events", timeout=PATIENCE) as stream:
            told = stream.iter_lines()
            assert next(told) == f"retry: {live.RETRY}"
            assert [line for line in islice(told, 20) if line.startswith(":")][:3] == [": still here"] * 3
            until(lambda: len(streams) == 1)
        until(lambda: not len(streams))
        assert httpx.head(f"http://127.0.0.1:{port}/events", timeout=PATIENCE).status_code == 200
        stack.enter_context(line(port, STREAM))
        until(lambda: len(streams) == 1)


# Workers


def test_what_several_ask_for_is_worked_out_once_and_too_much_is_refused():
    async def all_at_once():
        workers, go, made = Workers(1, most_jobs=3), threading.Event(), []
        work = lambda: go.wait(PATIENCE) and made.append(1)  # noqa: E731
        tasks = [asyncio.create_task(workers.run(name, work)) for name in ("same", "same", "same", 1, 2)]
        await asyncio.sleep(0)
        with pytest.raises(TooBusy):
            await workers.run("another", lambda: 1)
        go.set()
        await asyncio.gather(*tasks)
        await workers.run("same", work)
        assert await workers.run("another", lambda: 1) == 1, "later there is room again"
        return made

    assert len(asyncio.run(all_at_once())) == 4


def test_what_nobody_waits_for_is_not_begun_and_a_failure_is_told_to_all():
    async def leave():
        workers, go, begun = Workers(1), threading.Event(), []
        first = asyncio.create_task(workers.run("first", lambda: go.wait(PATIENCE)))
        both = [asyncio.create_task(workers.run("second", lambda: begun.append(1))) for _ in range(2)]
        await asyncio.sleep(0)
        for one in both:
            one.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        go.set()
        await first
        tasks = [asyncio.create_task(workers.run("a", lambda: 1 / 0)) for _ in range(3)]
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(one) for one in found] == [ZeroDivisionError] * 3
        assert await workers.run("a", lambda: 5) == 5, "it is tried again"
        return begun

    assert asyncio.run(leave()) == []


@pytest.mark.slow
def test_comparisons_hold_up_no_other_page_and_too_many_are_told(small, monkeypatch, snapshots):
    """Two are worked out at a time. Whoever leaves takes theirs along; where there is no room a page says so."""
    begun, go = [], threading.Event()

    def comparison(state, keys, *more, **how):
        begun.append(tuple(keys))
        go.wait(PATIENCE)
        raise UsageError("enough")

    monkeypatch.setattr(AppState, "comparison", comparison)
    app = make_app(small)
    app.state.app_state.workers = Workers(2, most_jobs=4)
    jobs = app.state.app_state.workers._jobs
    with serving(app) as url, ThreadPoolExecutor(2) as threads:
        port, keys = int(url.rpartition(":")[2]), keys_of(httpx.get(f"{url}/results").text)
        page = threads.submit(get, port, f"/compare?r={keys[0]}&r={keys[1]}")
        program = threads.submit(get, port, f"/api/v1/comparison?result={keys[5]}&result={keys[1]}")
        until(lambda: len(begun) == 2)
        try:
            asked = [f"GET /compare?r={keys[0]}&r={key} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() for key in keys[2:4]]
            with line(port, asked[0]), line(port, asked[1]):
                until(lambda: len(jobs) == 4)
                refused = {"a page": get(port, f"/compare?r={keys[0]}&r={keys[4]}")}
                refused["a program"] = get(port, "/api/v1/leaderboard?benchmark=things")
                for path in ("/progress", "/", "/results", "/datasets", "/metrics", "/api/v1/progress", "/api/v1/results"):
                    assert get(port, path).status_code == 200, path
            until(lambda: len(jobs) == 2)
        finally:
            go.set()
        assert (page.result().status_code, program.result().status_code) == (400, 409)
        until(lambda: not jobs)
    assert len(begun) == 2, "those who left were never begun"
    assert refused["a page"].headers["retry-after"] == "5"
    snapshots.check("web/too_busy", told(refused))


@pytest.mark.slow
class TestDrawer:
    """The process that draws."""

    @pytest.fixture
    def drawer(self):
        found = drawing.Drawer()
        yield found
        found.close()

    def test_it_says_what_it_cannot_draw_and_fetches_nothing(self, drawer):
        with pytest.raises(RuntimeError):
            drawer.svg_of({"mark": 7})
        assert drawer.svg_of(SPEC).startswith("<svg")
        asked = []

        class Rows(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b'[{"a": 1}]')

            def log_message(self, *words):
                """Nothing."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Rows) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with pytest.raises(RuntimeError, match="not allowed"):
                drawer.svg_of({**SPEC, "data": {"url": f"http://127.0.0.1:{server.server_port}/rows.json"}})
            server.shutdown()
        assert asked == []

    def test_it_is_started_again_and_one_that_hangs_is_ended(self, drawer, monkeypatch, tmp_path):
        monkeypatch.setattr(drawing, "MAX_DRAWINGS_PER_PROCESS", 2)
        first = drawer.svg_of(SPEC)
        drawer._process.kill()
        drawer._process.wait()
        assert drawer.svg_of(SPEC) == first
        pids = []
        for _ in range(4):
            assert drawer.svg_of(SPEC) == first
            pids.append(drawer._process.pid)
        assert len(set(pids)) >= 2
        process = drawer._process
        process.stdin.close()
        assert process.wait(PATIENCE) == 0, "it ends with whoever started it"
        process.stdin = None
        hanging = tmp_path / "hanging.py"
        hanging.write_text("import sys, time\nsys.stdin.readline()\ntime.sleep(1000)\n")
        monkeypatch.setattr(drawing, "PROGRAM", hanging)
        monkeypatch.setattr(drawing, "DRAWING_SECONDS", 0.3)
        with pytest.raises(RuntimeError, match="ended"):
            drawer.svg_of(SPEC)
