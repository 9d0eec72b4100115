"""A search service on loopback that answers as a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[["Asked", "Handler"], Any]


@dataclass
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Service:
    """Where it listens, what it was asked, and how many connections it took."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    connections: set[Any] = field(default_factory=set)
    released: threading.Event = field(default_factory=threading.Event)


class Handler(BaseHTTPRequestHandler):
    """Passes a request to the script; what that returns is the answer in JSON, unless it answered itself."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    script: Script
    service: Service

    def do_GET(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = Asked(self.command, self.path, dict(self.headers), json.loads(content) if content else None)
        self.service.asked.append(asked)
        self.service.connections.add(self.client_address)
        answer = type(self).script(asked, self)
        if answer is not None:
            self.say(200, json.dumps(answer).encode())

    do_POST = do_PUT = do_GET

    def say(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def hang(self) -> None:
        self.service.released.wait()
        self.close_connection = True

    def drip(self, seconds: float = 0.05) -> None:
        """A byte at a time, never late enough for a socket's own timeout."""
        self.send_response(200)
        self.send_header("Content-Length", "10000")
        self.end_headers()
        while not self.service.released.is_set():
            try:
                self.wfile.write(b" ")
            except OSError:
                break
            time.sleep(seconds)
        self.close_connection = True

    def cut(self, after: bytes = b"", length: int = 1000) -> None:
        """Close the connection, in the middle of a reply or before its first byte."""
        if after:
            self.send_response(200)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(after)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        """A client that leaves early is what some tests are about."""


@contextmanager
def serving(script: Script) -> Iterator[Service]:
    """The service, as long as the block lasts."""
    service = Service()
    handler = type("Scripted", (Handler,), {"script": staticmethod(script), "service": service})
    with _Server(("127.0.0.1", 0), handler) as server:
        service.url = f"http://127.0.0.1:{server.server_address[1]}/search"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield service
        finally:
            service.released.set()
            server.shutdown()
            thread.join()
