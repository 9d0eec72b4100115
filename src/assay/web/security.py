"""Security: who may ask, what a browser may do with an answer, and how much may be sent. It stands before every page.

Without a token only this machine may ask, under names that mean this machine: a foreign page whose name was pointed here
(DNS rebinding) is refused. With a token, each request brings it as `Authorization: Bearer …`, or the cookie of a session
that the login began; whoever gives wrong tokens waits. What changes the store also needs to come from these pages
(`Origin`), and to bring the word that the forms of its session hold.
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
"""Of what a request sends."""
BODY_SECONDS = 20.0
"""In which all of it has to be here."""
MAX_ADDRESS = 100_000
"""Bytes of an address with its parameters."""
LOOPBACK_NAMES = {"localhost", "ip6-localhost"}
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
OPEN_PATHS = {"/login"}
"""What is answered without a token; and the look of that page."""
OPEN_FOLDER = "/static/"
API_FOLDER = "/api/"
PORTS = {"http": 80, "https": 443}
FORM = "application/x-www-form-urlencoded"


def is_loopback(host: str) -> bool:
    """Whether a name means this machine alone."""
    plain = host.strip("[]").partition("%")[0].lower()
    if plain in LOOPBACK_NAMES:
        return True
    try:
        return ip_address(plain).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Keys:
    """The token, and the sessions of those who had it. Without a token everybody shares one session."""

    token: str
    sessions: Sessions
    everybody: Session

    @classmethod
    def of(cls, token: str = "", sessions: Sessions | None = None) -> Keys:
        """With no session yet."""
        return cls(token, Sessions() if sessions is None else sessions, Session())

    def is_token(self, text: str) -> bool:
        """Whether that is the token; it takes as long whatever was given."""
        return bool(self.token) and same_text(text, self.token)


def same_text(first: str, second: str) -> bool:
    """Compared in constant time, whatever the length: digests are compared."""
    digests = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (first, second)]
    return hmac.compare_digest(*digests)


class Refusal(Exception):
    """Why a request goes no further."""

    def __init__(self, status: int, what: str, *, to_login: bool = False, seconds: int = 0) -> None:
        """`to_login` where the login would help, `seconds` where waiting does."""
        super().__init__(what)
        self.status, self.what, self.to_login, self.seconds = status, what, to_login, seconds


class Guard:
    """An ASGI application around another: what may not pass is answered here, and every answer gets its headers."""

    def __init__(self, app: App, keys: Keys, *, throttle: Throttle, refused: Callable[[Scope, Refusal], Response]) -> None:
        self.app, self.keys, self.throttle, self.refused = app, keys, throttle, refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Web sockets are refused, for there are none."""
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
        """The address is not too long, and without a token it is one of this machine."""
        if len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"]) > MAX_ADDRESS:
            raise Refusal(414, f"an address has at most {MAX_ADDRESS:,} bytes")
        name = _host_of(f"//{headers.get('host', '')}")[0]
        if not self.keys.token and not is_loopback(name):
            raise Refusal(421, "these pages are served to this machine alone: open them as 127.0.0.1 or localhost")

    async def _check_token(self, scope: Scope, headers: dict[str, str]) -> tuple[Session, bool]:
        """The session, and whether the token came in a header, which no other page can make a browser send."""
        if not self.keys.token:
            return self.keys.everybody, False
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            await self._check_bearer(scope, token.strip())
            return Session(), True
        session = self.keys.sessions.find(cookie_of(scope))
        if session is None and scope["path"] not in OPEN_PATHS and not scope["path"].startswith(OPEN_FOLDER):
            raise Refusal(401, "this needs the token that assay serve was started with", to_login=True)
        return session or Session(), False

    async def _check_bearer(self, scope: Scope, token: str) -> None:
        try:
            if not await self.throttle.passes(address_of(scope), is_right=self.keys.is_token(token)):
                raise Refusal(401, "that is not the token")
        except TooSoon as error:
            raise Refusal(429, str(error), seconds=error.seconds) from None


def _check_origin(scope: Scope, headers: dict[str, str]) -> None:
    """What changes something comes from these pages, or from no page at all."""
    origin = headers.get("origin")
    here = _place_of(f"{scope.get('scheme', 'http')}://{headers.get('host', '')}")
    is_ours = origin is None or (here is not None and _place_of(origin) == here)
    if not is_ours or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refusal(403, "another page may not change anything here; a proxy with TLS is named by assay serve --proxy")


def _may_be_form(scope: Scope) -> bool:
    """Whether it is sent where forms are taken. The API takes JSON alone, and says so itself."""
    return scope["method"] == "POST" and scope["path"] not in OPEN_PATHS and not scope["path"].startswith(API_FOLDER)


def _check_form(session: Session, headers: dict[str, str], content: bytes) -> None:
    """A form holds the session's word. JSON and DELETE need none: no page elsewhere can send them without asking first."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return
    csrf = headers.get("x-csrf-token", "")
    if not csrf and kind == FORM:
        csrf = dict(parse_qsl(content.decode("utf-8", "replace"))).get("csrf", "")
    if not same_text(csrf, session.csrf):
        raise Refusal(403, "this form has expired or came from another site; load the page again, then send it")


def address_of(scope: Scope) -> str:
    """Where a request comes from; empty where the server does not say."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def _host_of(url: str) -> tuple[str, str]:
    """The name of an address's machine, and the same with its port; neither where it is no address."""
    try:
        parts = urlsplit(url)
        return parts.hostname or "", parts.netloc.lower()
    except ValueError:
        return "", "?"


def _place_of(url: str) -> tuple[str, str, int] | None:
    """Scheme, machine and port of an address; none where it is no address."""
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def cookie_of(scope: Scope) -> str:
    """The secret of the session that a browser brings; empty where it brings none."""
    pairs = (part.strip().partition("=") for part in _headers(scope).get("cookie", "").split(";"))
    return {name: value for name, _, value in pairs}.get(COOKIE, "")


async def _read_body(receive: Receive, headers: dict[str, str]) -> bytes:
    """What was sent, refused as soon as it is too much or takes too long."""
    from anyio import move_on_after

    length = headers.get("content-length", "0")
    if length.isdecimal() and (len(length) > 15 or int(length) > MAX_BYTES):
        raise Refusal(413, f"a request has at most {MAX_BYTES:,} bytes")
    with move_on_after(BODY_SECONDS):
        return await _read_parts(receive)
    raise Refusal(408, f"what a request sends has to be here within {BODY_SECONDS:g} s")


async def _read_parts(receive: Receive) -> bytes:
    content, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        content += message.get("body", b"")
        more = message.get("more_body", False)
        if len(content) > MAX_BYTES:
            raise Refusal(413, f"a request has at most {MAX_BYTES:,} bytes")
    return bytes(content)


def _replay_body(content: bytes, receive: Receive) -> Receive:
    """A body that was read, for whoever reads it next."""
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
    """Where to go after the login: a page of ours, never another site."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and not _host_of(path)[1]
    return path if is_ours else "/"


def login_address(scope: Scope) -> str:
    """The login, and where to go from there."""
    target = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    return f"/login?next={quote(target, safe='')}"


# Sessions: one for each login, random, with an end. They are kept in memory, so all of them end when the server does.

SESSION_IDLE_SECONDS = 12 * 3600.0
"""Seconds without a request after which a session ends."""
SESSION_SECONDS = 7 * 24 * 3600.0
"""Seconds after which a session ends in any case."""
MAX_SESSIONS = 1000
"""Sessions at a time; one more ends the one that was used longest ago."""


@dataclass(eq=False)
class Session:
    """A visitor who has logged in, or everybody where there is no login."""

    csrf: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    """What the forms of this session bring."""
    started: float = 0.0
    used: float = 0.0
    is_over: bool = False


class Sessions:
    """`open()` gives the secret of a new session, which its cookie holds; `find(secret)` the session, until it ends."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: OrderedDict[bytes, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def open(self) -> str:
        """The secret of a new session: 256 random bits. Only its digest is kept here."""
        secret, now = secrets.token_urlsafe(32), self._clock()
        while len(self._known) >= MAX_SESSIONS:
            self._end(next(iter(self._known)))
        self._known[_digest(secret)] = Session(started=now, used=now)
        return secret

    def find(self, secret: str) -> Session | None:
        """The session of a cookie; none where it has ended. Finding it is using it."""
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
        """End a session; one that has ended already stays so."""
        self._end(_digest(secret))

    def _end(self, name: bytes) -> None:
        session = self._known.pop(name, None)
        if session is not None:
            session.is_over = True


def _digest(secret: str) -> bytes:
    """Looked up in place of the secret, so that how long it takes tells nothing of the secrets there are."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
