"""Progress: the page, and the stream of events of a real server: at once, on change, alive, until whoever listens leaves."""

import json
import socket
import threading
import time

import httpx
import pytest
import uvicorn
from starlette.testclient import TestClient

from assay.execution import Progress
from assay.store import Store, publish_progress
from assay.web import make_app
from assay.web.pages import progress

from ._stores import result_of

HERE = "http://127.0.0.1:8765"


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        opened.save([result_of(1)])
        yield opened


@pytest.fixture
def server(store, monkeypatch):
    """The address of a real server, and how many streams are open there."""
    monkeypatch.setattr(progress, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(progress, "HEARTBEAT", 0.1)
    streams, real = [], progress.events

    async def counted(*about):
        streams.append(1)
        try:
            async for event in real(*about):
                yield event
        finally:
            streams.pop()

    monkeypatch.setattr(progress, "events", counted)
    config = uvicorn.Config(make_app(store), port=0, log_level="error", ws="none", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}", streams
    running.should_exit = True
    thread.join(10)
    assert not thread.is_alive()


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def events_of(lines):
    """What the stream tells, one by one."""
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))["running"]


def test_the_page_says_what_is_running(store):
    client = TestClient(make_app(store), base_url=HERE)
    assert "Nothing is running now." in client.get("/progress").text
    with publish_progress(store.place, 3) as tell:
        tell(Progress("things/<b>bm25</b>", 1000, n_done=250, n_failed=3, n_cached=20))
        html = client.get("/progress").text
        assert "Running now." in html
        assert '<progress max="1000" value="250" aria-label="things/&lt;b&gt;bm25&lt;/b&gt;">' in html
        assert "250 of 1,000 queries" in html
        assert "3 failed · 20 from before" in html
        assert "0 of 3 results complete" in html
        assert client.get("/api/v1/progress").json()["running"][0]["parts"][0]["n_done"] == 250
    assert "Nothing is running now." in client.get("/progress").text
    assert client.get("/api/v1/progress").json() == {"running": []}


def test_it_is_in_the_navigation(store):
    client = TestClient(make_app(store), base_url=HERE)
    assert '<a href="/progress">Progress</a>' in client.get("/").text
    assert '<a href="/progress" aria-current="page">Progress</a>' in client.get("/progress").text


def test_the_stream_tells_at_once_and_on_every_change(server, store):
    url, _ = server
    with httpx.stream("GET", f"{url}/progress/events", timeout=20) as stream:
        assert stream.status_code == 200
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in stream.headers["content-security-policy"]
        events = events_of(stream.iter_lines())
        assert next(events) == []
        with publish_progress(store.place, 1) as tell:
            assert next(events)[0]["parts"] == []
            tell(Progress("things/bm25", 10, n_done=10))
            assert next(events)[0]["parts"][0]["n_done"] == 10
        assert next(events) == []


def test_the_stream_shows_signs_of_life(server):
    url, _ = server
    with httpx.stream("GET", f"{url}/progress/events", timeout=20) as stream:
        lines = stream.iter_lines()
        assert next(lines) == f"retry: {progress.RETRY}"
        beats = [line for line, _ in zip((one for one in lines if one.startswith(":")), range(3), strict=False)]
    assert beats == [": still here"] * 3


def test_the_stream_ends_when_one_leaves(server):
    url, streams = server
    with httpx.stream("GET", f"{url}/progress/events", timeout=20) as one:
        first = one.iter_lines()
        assert next(first)
        with httpx.stream("GET", f"{url}/progress/events", timeout=20) as other:
            second = other.iter_lines()
            assert next(second)
            until(lambda: len(streams) == 2)
        until(lambda: len(streams) == 1)
    until(lambda: not streams)


def test_the_stream_ends_when_the_line_is_cut(server):
    """Without a word of goodbye."""
    url, streams = server
    host, port = url.removeprefix("http://").split(":")
    line = socket.create_connection((host, int(port)))
    line.sendall(f"GET /progress/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    until(lambda: len(streams) == 1)
    line.close()
    until(lambda: not streams)


def test_a_server_that_ends_does_not_wait_for_those_who_listen(server):
    """The fixture asserts that it is over soon."""
    url, streams = server
    ended = threading.Event()

    def listen():
        try:
            with httpx.stream("GET", f"{url}/progress/events", timeout=20) as stream:
                for _ in stream.iter_lines():
                    pass
        except httpx.HTTPError:
            pass
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    until(lambda: len(streams) == 1)


def test_with_a_token_the_stream_needs_it(store):
    client = TestClient(make_app(store, token="s3cret"), base_url="http://example.org", follow_redirects=False)
    assert client.get("/progress/events").status_code == 303
    assert client.get("/progress/events", headers={"authorization": "Bearer no"}).status_code == 401
