"""Safety: who may ask, what a browser may do with an answer, and how much may be sent. It stands before every page.

Without a token only this machine may ask, under names that mean this machine: a foreign page whose name was pointed here
(DNS rebinding) is refused. With a token, each request brings it in a cookie that the login sets, or as
`Authorization: Bearer …`; whoever gives wrong ones waits. What changes the store also needs to come from these pages
(`Origin`), and to bring the word that their forms hold.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit

from assay.web._throttle import Throttle, TooSoon

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
COOKIE = "assay_token"
MOST_BYTES = 1_000_000
"""Of what a request sends."""
MOST_ADDRESS = 16_000
"""Bytes of an address with its parameters."""
LOOPBACK_NAMES = {"localhost", "ip6-localhost"}
HARMLESS = {"GET", "HEAD", "OPTIONS"}
OPEN_PATHS = {"/login"}
"""What is answered without a token; and the look of that page."""
OPEN_FOLDER = "/static/"
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
    """The token, and what stands for it. The cookie is new each time the server starts, so that it tells nothing of the
    token: whoever guesses has to ask with the token itself, and waits.
    """

    token: str = ""
    _secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def cookie(self) -> str:
        """What a browser that has logged in brings; nobody can work it out, not even from the token."""
        return hmac.new(self._secret, b"assay cookie", sha256).hexdigest()

    @property
    def csrf(self) -> str:
        """What forms bring: a page elsewhere cannot read it. With a token it is the same when the server starts again."""
        return hmac.new(self.token.encode() or self._secret, b"assay csrf", sha256).hexdigest()

    def is_token(self, given: str) -> bool:
        """Whether that is the token; it takes as long whatever was given."""
        return bool(self.token) and _same(given, self.token)

    def is_cookie(self, given: str) -> bool:
        """Whether that is the cookie of somebody who had the token."""
        return bool(self.token) and _same(given, self.cookie)

    def is_csrf(self, given: str) -> bool:
        """Whether a form is one of ours."""
        return _same(given, self.csrf)


def _same(one: str, other: str) -> bool:
    """Compared in constant time, whatever the length: digests are compared."""
    digests = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (one, other)]
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
            is_by_header = await self._check_token(scope, headers)
            if scope["method"] in HARMLESS:
                body = receive
            else:
                content = await _whole_body(receive, headers)
                self._check_origin(headers)
                if not is_by_header and scope["method"] == "POST" and scope["path"] not in OPEN_PATHS:
                    self._check_form(headers, content)
                body = _again(content, receive)
        except Refusal as refusal:
            await self.refused(scope, refusal)(scope, receive, sender)
            return
        await self.app(scope, body, sender)

    def _check_address(self, scope: Scope, headers: dict[str, str]) -> None:
        """The address is not too long, and without a token it is one of this machine."""
        if len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"]) > MOST_ADDRESS:
            raise Refusal(414, f"an address has at most {MOST_ADDRESS:,} bytes")
        name = _host_of(f"//{headers.get('host', '')}")[0]
        if not self.keys.token and not is_loopback(name):
            raise Refusal(421, "these pages are served to this machine alone: open them as 127.0.0.1 or localhost")

    async def _check_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        """Whether the token came in a header, which no other page can make a browser send."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self.keys.token:
            try:
                is_right = await self.throttle.is_right(address_of(scope), lambda: self.keys.is_token(given.strip()))
            except TooSoon as error:
                raise Refusal(429, str(error), seconds=error.seconds) from None
            if is_right:
                return True
            raise Refusal(401, "that is not the token")
        if not self.keys.token or scope["path"] in OPEN_PATHS or scope["path"].startswith(OPEN_FOLDER):
            return False
        if not self.keys.is_cookie(_cookies(headers).get(COOKIE, "")):
            raise Refusal(401, "this needs the token that assay serve was started with", to_login=True)
        return False

    @staticmethod
    def _check_origin(headers: dict[str, str]) -> None:
        """What changes something comes from these pages, or from no page at all."""
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refusal(403, "another page may not change anything here")
        origin = headers.get("origin")
        if origin is not None and _host_of(origin)[1] != headers.get("host", "").lower():
            raise Refusal(403, "another page may not change anything here")

    def _check_form(self, headers: dict[str, str], content: bytes) -> None:
        """A form holds our word. JSON and DELETE need none: no page elsewhere can send them without asking first."""
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            return
        given = headers.get("x-csrf-token", "")
        if not given and kind == FORM:
            given = dict(parse_qsl(content.decode("utf-8", "replace"))).get("csrf", "")
        if not self.keys.is_csrf(given):
            raise Refusal(403, "this form is too old, or not from here: load the page again, then send it")


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


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _cookies(headers: dict[str, str]) -> dict[str, str]:
    pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
    return {name: value for name, _, value in pairs}


async def _whole_body(receive: Receive, headers: dict[str, str]) -> bytes:
    """What was sent, refused as soon as it is too much."""
    told = headers.get("content-length", "0")
    content, more = b"", True
    if told.isdecimal() and (len(told) > 15 or int(told) > MOST_BYTES):
        raise Refusal(413, f"a request has at most {MOST_BYTES:,} bytes")
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        content += message.get("body", b"")
        more = message.get("more_body", False)
        if len(content) > MOST_BYTES:
            raise Refusal(413, f"a request has at most {MOST_BYTES:,} bytes")
    return content


def _again(content: bytes, receive: Receive) -> Receive:
    """A body that was read, for whoever reads it next."""
    parts = iter([{"type": "http.request", "body": content, "more_body": False}])

    async def give() -> MutableMapping[str, Any]:
        return next(parts, None) or await receive()

    return give


def _with_headers(send: Send) -> Send:
    added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def sender(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", ())}
            message["headers"] = [*message.get("headers", ()), *(pair for pair in added if pair[0] not in given)]
        await send(message)

    return sender


def safe_next(path: str) -> str:
    """Where to go after the login: a page of ours, never another site."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and not _host_of(path)[1]
    return path if is_ours else "/"


def login_address(scope: Scope) -> str:
    """The login, and where to go from there."""
    wanted = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    return f"/login?next={quote(wanted, safe='')}"
