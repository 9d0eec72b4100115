"""Connections: how many there may be, and how long each may take to ask, to wait and to read its answer.

When all places are taken, a connection that has asked for nothing makes room for a new one, the oldest first: whoever holds
connections open without asking loses them, and others are let in.
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
"""Seconds that a connection which was refused has to read why."""
MAX_LINGERING = 64
RETRY = 5
"""Seconds after which whoever was refused may come back."""


@dataclass(frozen=True)
class Limits:
    """What connections may take."""

    n_connections: int = 256
    n_each: int = 64
    """Of one address; a named proxy may have them all."""
    head_seconds: float = 10.0
    """From the first byte of a request, or from the beginning of a connection, until its headers are here."""
    idle_seconds: int = 5
    """Between two requests."""
    write_seconds: float = 30.0
    """In which a visitor who does not read is waited for."""
    head_bytes: int = 131_072


class Register:
    """The connections of a server: which of them wait for a request, the longest first, and how many each address has."""

    def __init__(self, limits: Limits, proxies: Proxies) -> None:
        self.limits, self.proxies = limits, proxies
        self.n_lingering = 0
        self._of: dict[LimitedProtocol, str] = {}
        self._n_of: Counter[str] = Counter()
        self._waiting: OrderedDict[LimitedProtocol, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._of)

    def admit(self, connection: LimitedProtocol, address: str) -> int:
        """Take a new connection in; the status to refuse it with where no other one makes room, else 0."""
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
        """Nothing is being answered on a connection."""
        if connection in self._of:
            self._waiting.setdefault(connection)

    def works(self, connection: LimitedProtocol) -> None:
        """A request is being answered on a connection."""
        self._waiting.pop(connection, None)

    def forget(self, connection: LimitedProtocol) -> None:
        """A connection has ended."""
        self._waiting.pop(connection, None)
        visitor = self._of.pop(connection, None)
        if visitor is not None:
            self._n_of[visitor] -= 1
            if not self._n_of[visitor]:
                del self._n_of[visitor]

    def _make_room(self, visitor: str | None = None) -> bool:
        """End the connection that has waited longest, in all or of one address; whether there was one."""
        oldest = next((connection for connection in self._waiting if visitor in (None, self._of[connection])), None)
        if oldest is None:
            return False
        self.forget(oldest)
        oldest.transport.abort()
        return True


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, within limits. A server makes a subclass with its own register."""

    register: ClassVar[Register]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._is_refused = False
        self._has_begun = False
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A place for it, or a refusal in words."""
        super().connection_made(transport)
        status = self.register.admit(self, self.client[0] if self.client else "")
        if status:
            self._refuse(status, "there are too many connections now; try again soon")
        else:
            self._start("head", self.register.limits.head_seconds, self._head_is_late)

    def data_received(self, data: bytes) -> None:
        """The time for headers runs from their first byte, and no later byte begins it anew."""
        if self._is_refused:
            self.transport.close()
            return
        self._has_begun = True
        if not self._is_answering:
            self._start("head", self.register.limits.head_seconds, self._head_is_late)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """It waits for the next request."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """A visitor who does not read is waited for, but not for ever."""
        super().pause_writing()
        self._start("write", self.register.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """They read on."""
        self._stop("write")
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Its place is free again."""
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
        """Answered where a request had begun; a connection on which nothing came just ends."""
        self._timers.pop("head", None)
        if self._has_begun and self.conn.our_state is h11.IDLE:
            seconds = self.register.limits.head_seconds
            self.transport.write(_plain_answer(408, f"the headers of a request have to be here within {seconds:g} s"))
            self.transport.close()
        else:
            self.transport.abort()

    def _refuse(self, status: int, words: str) -> None:
        """Say why, and wait for the request that is on its way: else the visitor's system throws the answer away."""
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
    """A whole answer in plain text, after which the connection ends."""
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
