"""Progress: the page, and the stream of events of a real server, which tells at once and on every change."""

import json
import re

import httpx
import pytest

from assay.execution import Progress
from assay.store import publish_progress
from assay.web import make_app

from ._clients import PATIENCE, TOKEN, client_of, main_of, serving


def test_the_page_says_what_is_running(fresh, snapshots):
    guarded, client = client_of(fresh, token=TOKEN), client_of(fresh)
    assert guarded.get("/events").status_code == 303
    said = {"nothing runs": client.get("/progress").text}
    assert '<a href="/progress" aria-current="page">Progress</a>' in said["nothing runs"]
    with publish_progress(fresh.place, 3) as tell:
        tell(Progress("things/<b>bm25</b>", 1000, n_done=250, n_failed=3, n_cached=20))
        said["one part runs"] = client.get("/progress").text
        assert '<progress max="1000" value="250" aria-label="things/&lt;b&gt;bm25&lt;/b&gt;">' in said["one part runs"]
        assert client.get("/api/v1/progress").json()["running"][0]["parts"][0]["n_done"] == 250
    text = "".join(f"## {name}\n{main_of(html)}\n\n" for name, html in said.items())
    snapshots.check("web/progress", re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "<when>", text))
    assert main_of(client.get("/progress").text) == main_of(said["nothing runs"])
    assert client.get("/api/v1/progress").json() == {"running": []}


@pytest.mark.slow
def test_the_stream_tells_at_once_and_on_every_change(fresh):
    with serving(make_app(fresh)) as url, httpx.stream("GET", f"{url}/events", timeout=PATIENCE) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        data = (line.removeprefix("data: ") for line in stream.iter_lines() if line.startswith("data: "))
        events = (event["running"] for event in map(json.loads, data) if "running" in event)
        assert next(events) == []
        with publish_progress(fresh.place, 1) as tell:
            assert next(events)[0]["parts"] == []
            tell(Progress("things/bm25", 10, n_done=10))
            assert next(events)[0]["parts"][0]["n_done"] == 10
        assert next(events) == []
