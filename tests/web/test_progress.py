"""Progress: the page, and the stream of events of a real server, which tells at once and on every change."""

import json
import socket
import threading

import httpx
import pytest
from starlette.testclient import TestClient

from assay.execution import Progress
from assay.store import Store, publish_progress
from assay.web import make_app, make_server

from ._stores import result_of

HERE = "http://127.0.0.1:8765"


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        opened.save([result_of(1)])
        yield opened


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


@pytest.mark.slow
def test_the_stream_tells_at_once_and_on_every_change(store):
    server = make_server(make_app(store))
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(8)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/progress/events"
        with httpx.stream("GET", url, timeout=20) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            assert stream.headers["cache-control"] == "no-store"
            events = events_of(stream.iter_lines())
            assert next(events) == []
            with publish_progress(store.place, 1) as tell:
                assert next(events)[0]["parts"] == []
                tell(Progress("things/bm25", 10, n_done=10))
                assert next(events)[0]["parts"][0]["n_done"] == 10
            assert next(events) == []
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


def test_with_a_token_the_stream_needs_it(store):
    client = TestClient(make_app(store, token="s3cret"), base_url="http://example.org", follow_redirects=False)
    assert client.get("/progress/events").status_code == 303
    assert client.get("/progress/events", headers={"authorization": "Bearer no"}).status_code == 401
