"""Security: who may send requests, what a browser may do with a response, and how much may be sent. It guards every page.

Without a token only this machine may send requests, under names that mean this machine: a foreign page whose name was
pointed here (DNS rebinding) is refused. With a token, each request needs it as `Authorization: Bearer …`, or the cookie of
a session from the login; wrong tokens cause a delay. A request that changes the store must also come from these pages
(`Origin`) and contain the CSRF token of its session.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit

from assay.web.throttle import Throttle, TooSoon

if TYPE_CHECKING:
    from starlette.responses import Response


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
COOKIE = "assay_session"
MAX_BYTES = 1_000_000
"""The largest body of a request."""
BODY_SECONDS = 20.0
"""The time in which the whole body must arrive."""

MAX_ADDRESS = 100_000
"""Bytes of an address with its parameters."""
LOOPBACK_NAMES = {"localhost", "ip6-localhost"}
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
OPEN_PATHS = {"/login"}
"""Paths that need no token."""
OPEN_FOLDER = "/static/"
"""The styles of the login page need no token either."""
API_FOLDER = "/api/"
PORTS = {"http": 80, "https": 443}
FORM = "application/x-www-form-urlencoded"


def is_loopback(host: str) -> bool:
    """Whether a name means only this machine."""
    plain = host.strip("[]").partition("%")[0].lower()
    if plain in LOOPBACK_NAMES:
        return True
    try:
        return ip_address(plain).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Keys:
    """The token, and the sessions of those who logged in. Without a token all visitors share one session."""

    token: str
    sessions: Sessions
    everybody: Session

    @classmethod
    def of(cls, token: str = "", sessions: Sessions | None = None) -> Keys:
        """Keys without sessions yet."""
        return cls(token, Sessions() if sessions is None else sessions, Session())

    def is_token(self, text: str) -> bool:
        """Whether that is the token, in constant time."""
        return bool(self.token) and same_text(text, self.token)


def same_text(first: str, second: str) -> bool:
    """Whether two texts are equal, in constant time for any length, because their digests are compared."""
    digests = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (first, second)]
    return hmac.compare_digest(*digests)


class Refusal(Exception):
    """Why a request is refused."""

    def __init__(self, status: int, what: str, *, to_login: bool = False, seconds: int = 0) -> None:
        """`to_login` if the login would help, `seconds` if waiting would."""
        super().__init__(what)
        self.status, self.what, self.to_login, self.seconds = status, what, to_login, seconds


class Guard:
    """An ASGI application around another: it refuses requests that are not allowed, and adds headers to every response."""

    def __init__(self, app: App, keys: Keys, *, throttle: Throttle, refused: Callable[[Scope, Refusal], Response]) -> None:
        self.app, self.keys, self.throttle, self.refused = app, keys, throttle, refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; web sockets are ignored, because there are none."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        sender = _with_headers(send)
        try:
            headers = _headers(scope)
            self._check_address(scope, headers)
            session, is_by_header = await self._check_token(scope, headers)
            scope.setdefault("state", {})["session"] = session
            if scope["method"] in SAFE_METHODS:
                body = receive
            else:
                content = await _read_body(receive, headers)
                _check_origin(scope, headers)
                if not is_by_header and _may_be_form(scope):
                    _check_form(session, headers, content)
                body = _replay_body(content, receive)
        except Refusal as refusal:
            await self.refused(scope, refusal)(scope, receive, sender)
            return
        await self.app(scope, body, sender)

    def _check_address(self, scope: Scope, headers: dict[str, str]) -> None:
        """Refuse an address that is too long, or without a token does not mean this machine."""
        if len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"]) > MAX_ADDRESS:
            raise Refusal(414, f"the address is too long: at most {MAX_ADDRESS:,} bytes are allowed")
        name = _host_of(f"//{headers.get('host', '')}")[0]
        if not self.keys.token and not is_loopback(name):
            raise Refusal(
                421, "this server accepts requests only from its own machine. Use 127.0.0.1 or localhost as its host name"
            )

    async def _check_token(self, scope: Scope, headers: dict[str, str]) -> tuple[Session, bool]:
        """The session, and whether the token came in a header, which no other site can make a browser send."""
        if not self.keys.token:
            return self.keys.everybody, False
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            await self._check_bearer(scope, token.strip())
            return Session(), True
        session = self.keys.sessions.find(cookie_of(scope))
        if session is None and scope["path"] not in OPEN_PATHS and not scope["path"].startswith(OPEN_FOLDER):
            raise Refusal(401, "the token that assay serve was started with is required", to_login=True)
        return session or Session(), False

    async def _check_bearer(self, scope: Scope, token: str) -> None:
        try:
            if not await self.throttle.passes(address_of(scope), is_right=self.keys.is_token(token)):
                raise Refusal(401, "the token is wrong")
        except TooSoon as error:
            raise Refusal(429, str(error), seconds=error.seconds) from None


def _check_origin(scope: Scope, headers: dict[str, str]) -> None:
    """Refuse a change unless it comes from these pages or from a program that is not a browser."""
    origin = headers.get("origin")
    here = _place_of(f"{scope.get('scheme', 'http')}://{headers.get('host', '')}")
    is_ours = origin is None or (here is not None and _place_of(origin) == here)
    if not is_ours or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        advice = "If assay serve runs behind a proxy with TLS, name the proxy with --proxy"
        raise Refusal(403, f"requests from other sites cannot change anything here. {advice}")


def _may_be_form(scope: Scope) -> bool:
    """Whether a request may contain a form. The API accepts only JSON and checks that itself."""
    return scope["method"] == "POST" and scope["path"] not in OPEN_PATHS and not scope["path"].startswith(API_FOLDER)


def _check_form(session: Session, headers: dict[str, str], content: bytes) -> None:
    """Refuse a form without the session's CSRF token. JSON and DELETE need none, because browsers do not let other sites
    send them without a preflight request.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return
    csrf = headers.get("x-csrf-token", "")
    if not csrf and kind == FORM:
        csrf = dict(parse_qsl(content.decode("utf-8", "replace"))).get("csrf", "")
    if not same_text(csrf, session.csrf):
        raise Refusal(403, "this form has expired or came from another site. Reload the page and send it again")


def address_of(scope: Scope) -> str:
    """The address that a request comes from; empty if it is unknown."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def _host_of(url: str) -> tuple[str, str]:
    """The host name of a URL, and the same with its port; no name if it is not a URL."""
    try:
        parts = urlsplit(url)
        return parts.hostname or "", parts.netloc.lower()
    except ValueError:
        return "", "?"


def _place_of(url: str) -> tuple[str, str, int] | None:
    """Scheme, host name and port of a URL; None if it is not a URL."""
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def cookie_of(scope: Scope) -> str:
    """The secret of the session in the browser's cookie; empty if there is none."""
    pairs = (part.strip().partition("=") for part in _headers(scope).get("cookie", "").split(";"))
    return {name: value for name, _, value in pairs}.get(COOKIE, "")


async def _read_body(receive: Receive, headers: dict[str, str]) -> bytes:
    """The body of a request; it is refused as soon as it is too large or takes too long."""
    from anyio import move_on_after

    length = headers.get("content-length", "0")
    if length.isdecimal() and (len(length) > 15 or int(length) > MAX_BYTES):
        raise _too_large()
    with move_on_after(BODY_SECONDS):
        return await _read_parts(receive)
    raise Refusal(408, f"the body of the request must arrive within {BODY_SECONDS:g} s")


async def _read_parts(receive: Receive) -> bytes:
    content, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        content += message.get("body", b"")
        more = message.get("more_body", False)
        if len(content) > MAX_BYTES:
            raise _too_large()
    return bytes(content)


def _too_large() -> Refusal:
    return Refusal(413, f"the request is too large: at most {MAX_BYTES:,} bytes are allowed")


def _replay_body(content: bytes, receive: Receive) -> Receive:
    """A body that was read, for the next reader."""
    parts = iter([{"type": "http.request", "body": content, "more_body": False}])

    async def give() -> MutableMapping[str, Any]:
        return next(parts, None) or await receive()

    return give


def _with_headers(send: Send) -> Send:
    added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def sender(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message.get("headers", ())}
            message["headers"] = [*message.get("headers", ()), *(pair for pair in added if pair[0] not in present)]
        await send(message)

    return sender


def safe_next(path: str) -> str:
    """Where to go after the login: one of our pages, never another site."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and not _host_of(path)[1]
    return path if is_ours else "/"


def login_address(scope: Scope) -> str:
    """The address of the login, with the page to go to afterwards."""
    target = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    return f"/login?next={quote(target, safe='')}"


# Sessions: one for each login, random, with a limited life. They are in memory, so all of them end when the server ends.

SESSION_IDLE_SECONDS = 12 * 3600.0
"""Seconds without a request after which a session ends."""
SESSION_SECONDS = 7 * 24 * 3600.0
"""Seconds after which a session ends in any case."""
MAX_SESSIONS = 1000
"""Sessions at a time; a new one ends the one that was not used for the longest time."""


@dataclass(eq=False)
class Session:
    """A visitor who has logged in, or all visitors if there is no login."""

    csrf: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    """The CSRF token of this session's forms."""
    started: float = 0.0
    used: float = 0.0
    is_over: bool = False


class Sessions:
    """`open()` returns the secret of a new session for its cookie; `find(secret)` returns the session until it ends."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: OrderedDict[bytes, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def open(self) -> str:
        """The secret of a new session: 256 random bits. Only its digest is stored."""
        secret, now = secrets.token_urlsafe(32), self._clock()
        while len(self._known) >= MAX_SESSIONS:
            self._end(next(iter(self._known)))
        self._known[_digest(secret)] = Session(started=now, used=now)
        return secret

    def find(self, secret: str) -> Session | None:
        """The session of a cookie; None if it has ended. Finding it counts as using it."""
        name, now = _digest(secret), self._clock()
        session = self._known.get(name)
        if session is None:
            return None
        if now - session.used > SESSION_IDLE_SECONDS or now - session.started > SESSION_SECONDS:
            self._end(name)
            return None
        session.used = now
        self._known.move_to_end(name)
        return session

    def close(self, secret: str) -> None:
        """End a session; nothing happens if it has already ended."""
        self._end(_digest(secret))

    def _end(self, name: bytes) -> None:
        session = self._known.pop(name, None)
        if session is not None:
            session.is_over = True


def _digest(secret: str) -> bytes:
    """The key for looking up a session instead of the secret, so that the time of the lookup reveals nothing."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
