"""HTTP with the standard library: connections that stay open, a deadline for every exchange, and request headers."""

from __future__ import annotations

import base64
import io
import json
import math
import re
import ssl
import weakref
from collections import defaultdict, deque
from collections.abc import Mapping
from functools import cached_property, partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote

from assay.masking import add_secret
from assay.providers.secrets import MaskedText, add_setting, add_variables_of, advised, check_variable_syntax, mask_setting

MAX_BYTES = 64 * 1024 * 1024
"""The longest response that is read."""

Place = tuple[str, str, int | None]
"""Scheme, host and port."""
Idle = dict[Place, deque[HTTPConnection]]


class Request(NamedTuple):
    """A request to send."""

    url: SplitResult
    method: str
    body: bytes | None
    headers: Mapping[str, str]

    @property
    def place(self) -> Place:
        """The host to connect to."""
        return self.url.scheme, self.url.hostname or "", self.url.port

    @property
    def target(self) -> str:
        """Path and query of the address."""
        return (self.url.path or "/") + (f"?{self.url.query}" if self.url.query else "")


class Reply(NamedTuple):
    """A response."""

    status: int
    headers: Mapping[str, str]
    """Header names are in lower case."""
    body: bytes


class IncompleteReply(HTTPException):
    """A response that is incomplete or too long."""


class NotConnected(OSError):
    """No connection was made, so the request was not sent. The cause says why."""


class Connections:
    """A pool of connections for all threads. Idle connections are closed when this object is deleted."""

    def __init__(self) -> None:
        self._idle: Idle = defaultdict(deque)
        weakref.finalize(self, _close_all, self._idle)

    def close(self) -> None:
        """Close idle connections; a later request opens a new one."""
        _close_all(self._idle)

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def ask(self, request: Request, timeout: float) -> Reply:
        """Send a request and read the whole response within `timeout` seconds. A dead connection in the pool is replaced."""
        deadline = monotonic() + timeout
        while True:
            connection, was_used = self._take(request.place)
            try:
                reply, is_reusable = _exchange(connection, request, deadline)
            except ConnectionError:
                connection.close()
                if not was_used:
                    raise
            except BaseException:
                connection.close()
                raise
            else:
                if is_reusable:
                    self._idle[request.place].append(connection)
                else:
                    connection.close()
                return reply

    def _take(self, place: Place) -> tuple[HTTPConnection, bool]:
        try:
            return self._idle[place].pop(), True
        except IndexError:
            scheme, host, port = place
            if scheme == "https":
                return HTTPSConnection(host, port, context=self._trust), False
            return HTTPConnection(host, port), False


def _close_all(idle: Idle) -> None:
    for connections in list(idle.values()):
        while connections:
            connections.pop().close()


def _exchange(connection: HTTPConnection, request: Request, deadline: float) -> tuple[Reply, bool]:
    """The response, and whether the connection can be used again."""
    if connection.sock is None:
        connection.timeout = _left(deadline)
        try:
            connection.connect()
        except OSError as error:
            raise NotConnected from error
    connection.sock.settimeout(_left(deadline))
    connection.response_class = partial(TimedResponse, deadline=deadline)  # type: ignore[assignment]
    connection.request(request.method, request.target, request.body, dict(request.headers))
    with connection.getresponse() as response:
        body = response.read(MAX_BYTES + 1)
        if len(body) > MAX_BYTES or (response.length or 0) > MAX_BYTES:
            raise IncompleteReply(f"the response is longer than {MAX_BYTES // 1024**2} MB. Return fewer or shorter hits")
        if response.length:
            raise IncompleteReply(f"the connection was closed {response.length:,} bytes before the end of the response")
        return Reply(
            response.status, {name.lower(): value for name, value in response.headers.items()}, body
        ), not response.will_close


def _left(deadline: float) -> float | None:
    """Seconds until the deadline; None if there is no limit."""
    if math.isinf(deadline):
        return None
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class TimedResponse(HTTPResponse):
    """A response that must be complete by a deadline, even if it arrives byte by byte."""

    def __init__(self, sock: Any, *args: Any, deadline: float, **settings: Any) -> None:
        super().__init__(sock, *args, **settings)
        raw = self.fp.detach()
        self.fp = io.BufferedReader(_TimedReader(raw, sock, deadline))


class _TimedReader(io.RawIOBase):
    """Reads from a socket until the deadline."""

    def __init__(self, raw: io.RawIOBase, sock: Any, deadline: float) -> None:
        self._raw, self._sock, self._deadline = raw, sock, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(_left(self._deadline))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


def named_headers(text: str) -> dict[str, str]:
    """A JSON object, or `Name: value; Name2: value2`."""
    if text.startswith("{"):
        named = {str(name): str(value) for name, value in json.loads(text).items()}
    else:
        lines = re.split(r";\s*(?=[\w-]+\s*:)", text)
        named = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines if line.strip())}
    for name, value in named.items():
        if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name) or not value or re.search(r"[\r\n]", value):
            raise ValueError
    return named


def parse_headers(text: str) -> str:
    """Headers, shown without their secrets, which are masked everywhere from now on."""
    try:
        named = named_headers(text)
    except (ValueError, AttributeError):
        raise ValueError("a JSON object or Name: value; Name2: value2") from None
    check_variable_syntax(text)
    for name, value in named.items():
        add_setting(name, value)
    add_variables_of(text)
    masked, better = (
        _written({name: cover(name, value) for name, value in named.items()}) for cover in (mask_setting, advised)
    )
    return MaskedText.of(masked, _written(named), better)


def _written(named: Mapping[str, str]) -> str:
    """Headers as `Name: value` if that can be read back, else as JSON."""
    lines = "; ".join(f"{name}: {value}" for name, value in named.items())
    return lines if named_headers(lines) == named else json.dumps(named)


def login(url: SplitResult) -> dict[str, str]:
    """User and password of an address as an Authorization header."""
    if url.username is None:
        return {}
    user, password = unquote(url.username), unquote(url.password or "")
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    for secret in (encoded, password or user):
        add_secret(secret, "the password of the address")
    return {"Authorization": f"Basic {encoded}"}
