"""Workers: what takes long holds up nothing else, is worked out once, and is not begun for those who have left."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from _clients import keys_of
from _stores import usual_store

from assay.errors import UsageError
from assay.web import drawing, make_app, make_server
from assay.web.state import AppState
from assay.web.workers import TooBusy, Workers

PATIENCE = 60.0
"""Seconds after which a test gives up; nothing here takes that long."""


SPEC = {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}}}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return usual_store(tmp_path_factory.mktemp("workers") / "s.db", nights=4)


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


class TestRun:
    """Workers alone."""

    def test_what_several_ask_for_is_worked_out_once(self):
        made = []

        async def all_at_once():
            workers, go = Workers(1), threading.Event()
            work = lambda: go.wait(PATIENCE) and made.append(1)  # noqa: E731
            tasks = [asyncio.create_task(workers.run("same", work)) for _ in range(8)]
            await asyncio.sleep(0)
            go.set()
            await asyncio.gather(*tasks)
            await workers.run("same", work)

        asyncio.run(all_at_once())
        assert len(made) == 2

    def test_too_much_is_refused_and_later_there_is_room_again(self):
        async def all_at_once():
            workers, go = Workers(1, most_jobs=3), threading.Event()
            tasks = [asyncio.create_task(workers.run(number, lambda: go.wait(PATIENCE))) for number in range(3)]
            await asyncio.sleep(0)
            with pytest.raises(TooBusy):
                await workers.run("another", lambda: 1)
            go.set()
            await asyncio.gather(*tasks)
            return await workers.run("another", lambda: 1)

        assert asyncio.run(all_at_once()) == 1

    def test_what_nobody_waits_for_is_not_begun(self):
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
            assert await workers.run("third", lambda: 3) == 3
            return begun

        assert asyncio.run(leave()) == []

    def test_a_failure_is_told_to_all_and_tried_again(self):
        async def fail():
            workers = Workers(1)
            tasks = [asyncio.create_task(workers.run("a", lambda: 1 / 0)) for _ in range(3)]
            found = await asyncio.gather(*tasks, return_exceptions=True)
            assert [type(one) for one in found] == [ZeroDivisionError] * 3
            return await workers.run("a", lambda: 5)

        assert asyncio.run(fail()) == 5


@contextmanager
def served(app):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        server = make_server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


class TestPages:
    """The same on a real server, with comparisons that take as long as the test wants."""

    @pytest.fixture
    def slow(self, monkeypatch):
        """Comparisons that have begun, and what lets them end; they come to nothing, for that takes no time."""
        begun, go = [], threading.Event()

        def comparison(state, keys, *more, **how):
            begun.append(tuple(keys))
            go.wait(PATIENCE)
            raise UsageError("enough")

        monkeypatch.setattr(AppState, "comparison", comparison)
        return begun, go

    def test_comparisons_hold_up_no_other_page(self, store, slow):
        begun, go = slow
        app = make_app(store)
        with served(app) as url, ThreadPoolExecutor(12) as threads:
            keys = keys_of(httpx.get(url).text)
            ask = lambda path, params: httpx.get(url + path, params=params, timeout=PATIENCE)  # noqa: E731
            pages = [threads.submit(ask, "/compare", [("r", keys[0]), ("r", key)]) for key in keys[1:5]]
            programs = [
                threads.submit(ask, "/api/v1/comparison", [("result", keys[5]), ("result", key)]) for key in keys[:4]
            ]
            until(lambda: len(begun) == 2)
            try:
                for path in ("/progress", "/", "/datasets", "/metrics", "/api/v1/progress", "/api/v1/results"):
                    assert httpx.get(url + path, timeout=PATIENCE / 2).status_code == 200
                assert len(begun) == 2
            finally:
                go.set()
            assert [one.result().status_code for one in (*pages, *programs)] == [400] * 4 + [409] * 4

    def test_whoever_leaves_takes_their_comparison_along(self, store, slow):
        begun, go = slow
        app = make_app(store)
        with served(app) as url:
            keys = keys_of(httpx.get(url).text)
            host, _, port = url.removeprefix("http://").partition(":")
            lines = []
            for key in keys[1:5]:
                lines.append(socket.create_connection((host, int(port))))
                lines[-1].sendall(f"GET /compare?r={keys[0]}&r={key} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            until(lambda: len(begun) == 2 and len(app.state.app_state.workers._jobs) == 4)
            for line in lines:
                line.close()
            until(lambda: len(app.state.app_state.workers._jobs) == 2)
            go.set()
            until(lambda: not app.state.app_state.workers._jobs)
        assert len(begun) == 2

    def test_too_many_are_told(self, store, slow):
        begun, go = slow
        app = make_app(store)
        app.state.app_state.workers = Workers(1, most_jobs=1)
        with served(app) as url, ThreadPoolExecutor(1) as threads:
            keys = keys_of(httpx.get(url).text)
            held = threads.submit(httpx.get, f"{url}/compare?r={keys[0]}&r={keys[1]}", timeout=PATIENCE)
            until(lambda: begun)
            try:
                page = httpx.get(f"{url}/compare?r={keys[0]}&r={keys[2]}", timeout=PATIENCE)
                program = httpx.get(f"{url}/api/v1/leaderboard?benchmark=things", timeout=PATIENCE)
            finally:
                go.set()
            assert held.result().status_code == 400
        assert (page.status_code, page.headers["retry-after"]) == (503, "5")
        assert "Too much is being worked out now" in page.text
        assert (program.status_code, program.json()["error"]["status"]) == (503, 503)


class TestDrawer:
    """The process that draws."""

    @pytest.fixture
    def drawer(self):
        found = drawing.Drawer()
        yield found
        found.close()

    def test_it_draws_and_says_what_it_cannot(self, drawer):
        assert drawer.svg_of(SPEC).startswith("<svg")
        with pytest.raises(RuntimeError, match="a chart cannot be drawn"):
            drawer.svg_of({"mark": 7})
        assert drawer.svg_of(SPEC).startswith("<svg")

    def test_it_fetches_nothing(self, drawer):
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
            with pytest.raises(RuntimeError, match=r"(?s)a chart cannot be drawn.*not allowed"):
                drawer.svg_of({**SPEC, "data": {"url": f"http://127.0.0.1:{server.server_port}/rows.json"}})
            server.shutdown()
        assert asked == []

    def test_it_is_started_again_after_it_was_killed_and_after_some_charts(self, drawer, monkeypatch):
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

    def test_one_that_hangs_is_ended(self, drawer, monkeypatch, tmp_path):
        hanging = tmp_path / "hanging.py"
        hanging.write_text("import sys, time\nsys.stdin.readline()\ntime.sleep(1000)\n")
        monkeypatch.setattr(drawing, "PROGRAM", hanging)
        monkeypatch.setattr(drawing, "DRAWING_SECONDS", 0.3)
        with pytest.raises(RuntimeError, match="the process that draws has ended"):
            drawer.svg_of(SPEC)

    def test_it_ends_with_whoever_started_it(self, drawer):
        drawer.svg_of(SPEC)
        process = drawer._process
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
        process.stdin = None
