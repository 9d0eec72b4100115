"""Connections: how many are allowed, and how long each may take to send a request, to wait and to read the response.

If there are too many, the oldest connection without a request is closed for a new one. So a client that holds connections
open without sending requests loses them, and others are admitted.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from assay.web.proxies import Proxies
from assay.web.throttle import visitor_of

LINGER = 1.0
"""Seconds that a refused connection has to read the reason."""
MAX_LINGERING = 64
RETRY = 5
"""Seconds after which a refused client may try again."""


@dataclass(frozen=True)
class Limits:
    """The limits for connections."""

    n_connections: int = 256
    n_each: int = 64
    """Per address; a named proxy may use all connections."""
    head_seconds: float = 10.0
    """From the first byte of a request, or from the start of a connection, until its headers have arrived."""
    idle_seconds: int = 5
    """Between two requests."""
    write_seconds: float = 30.0
    """How long the server waits for a client that does not read."""
    head_bytes: int = 131_072


class Register:
    """The connections of a server: those that wait for a request, the longest first, and the number per address."""

    def __init__(self, limits: Limits, proxies: Proxies) -> None:
        self.limits, self.proxies = limits, proxies
        self.n_lingering = 0
        self._of: dict[LimitedProtocol, str] = {}
        self._n_of: Counter[str] = Counter()
        self._waiting: OrderedDict[LimitedProtocol, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._of)

    def admit(self, connection: LimitedProtocol, address: str) -> int:
        """Admit a new connection and return 0, or return the status to refuse it with."""
        visitor = visitor_of(address)
        is_full = self._n_of[visitor] >= self.limits.n_each and address not in self.proxies
        if is_full and not self._make_room(visitor):
            return 429
        if len(self._of) >= self.limits.n_connections and not self._make_room():
            return 503
        self._of[connection] = visitor
        self._n_of[visitor] += 1
        self.waits(connection)
        return 0

    def waits(self, connection: LimitedProtocol) -> None:
        """Mark a connection as waiting for a request."""
        if connection in self._of:
            self._waiting.setdefault(connection)

    def works(self, connection: LimitedProtocol) -> None:
        """Mark a connection as handling a request."""
        self._waiting.pop(connection, None)

    def forget(self, connection: LimitedProtocol) -> None:
        """Remove a connection that has ended."""
        self._waiting.pop(connection, None)
        visitor = self._of.pop(connection, None)
        if visitor is not None:
            self._n_of[visitor] -= 1
            if not self._n_of[visitor]:
                del self._n_of[visitor]

    def _make_room(self, visitor: str | None = None) -> bool:
        """Close the connection that has waited longest, of all or of one address; return whether there was one."""
        oldest = next((connection for connection in self._waiting if visitor in (None, self._of[connection])), None)
        if oldest is None:
            return False
        self.forget(oldest)
        oldest.transport.abort()
        return True


class LimitedProtocol(H11Protocol):
    """The HTTP/1.1 protocol of uvicorn with limits. A server creates a subclass with its own register."""

    register: ClassVar[Register]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._is_refused = False
        self._has_begun = False
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit a new connection, or refuse it with a message."""
        super().connection_made(transport)
        status = self.register.admit(self, self.client[0] if self.client else "")
        if status:
            self._refuse(status, "too many connections. Try again soon")
        else:
            self._start("head", self.register.limits.head_seconds, self._head_is_late)

    def data_received(self, data: bytes) -> None:
        """The time limit for headers starts with their first byte; later bytes do not restart it."""
        if self._is_refused:
            self.transport.close()
            return
        self._has_begun = True
        if not self._is_answering:
            self._start("head", self.register.limits.head_seconds, self._head_is_late)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """The connection waits for the next request."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Wait for a client that does not read, but not forever."""
        super().pause_writing()
        self._start("write", self.register.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        self._stop("write")
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the connection's place."""
        for name in tuple(self._timers):
            self._stop(name)
        if self._is_refused:
            self.register.n_lingering -= 1
        self.register.forget(self)
        super().connection_lost(exc)

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _look(self) -> None:
        if self._is_answering:
            self._stop("head")
            self._has_begun = False
            self.register.works(self)
        else:
            self.register.waits(self)

    def _head_is_late(self) -> None:
        """Send an error if a request had started; otherwise close the connection."""
        self._timers.pop("head", None)
        if self._has_begun and self.conn.our_state is h11.IDLE:
            seconds = self.register.limits.head_seconds
            self.transport.write(_plain_answer(408, f"the headers of the request must arrive within {seconds:g} s"))
            self.transport.close()
        else:
            self.transport.abort()

    def _refuse(self, status: int, words: str) -> None:
        """Send the reason, and wait for the request; otherwise the client's system would discard the response."""
        self._is_refused = True
        self.register.n_lingering += 1
        if self.register.n_lingering > MAX_LINGERING:
            self.transport.abort()
            return
        self.transport.write(_plain_answer(status, words))
        self._start("linger", LINGER, self.transport.abort)

    def _start(self, name: str, seconds: float, ended: Any) -> None:
        if name not in self._timers:
            self._timers[name] = self.loop.call_later(seconds, ended)

    def _stop(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()


def _plain_answer(status: int, words: str) -> bytes:
    """A complete response in plain text, after which the connection ends."""
    content = f"{words}\n".encode()
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "content-type: text/plain; charset=utf-8",
        "x-content-type-options: nosniff",
        f"content-length: {len(content)}",
        f"retry-after: {RETRY}",
        "connection: close",
    )
    return "\r\n".join(head).encode() + b"\r\n\r\n" + content
