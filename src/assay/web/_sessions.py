"""Sessions: one for each login, random, kept by the server, with an end. Logging out ends it at once.

They are kept in memory: all of them end when the server does.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

IDLE = 12 * 3600.0
"""Seconds without a request after which a session ends."""
LONGEST = 7 * 24 * 3600.0
"""Seconds after which a session ends in any case."""
MOST_SESSIONS = 1000
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
        while len(self._known) >= MOST_SESSIONS:
            self._end(next(iter(self._known)))
        self._known[_digest(secret)] = Session(started=now, used=now)
        return secret

    def find(self, secret: str) -> Session | None:
        """The session of a cookie; none where it has ended. Finding it is using it."""
        name, now = _digest(secret), self._clock()
        found = self._known.get(name)
        if found is None:
            return None
        if now - found.used > IDLE or now - found.started > LONGEST:
            self._end(name)
            return None
        found.used = now
        self._known.move_to_end(name)
        return found

    def close(self, secret: str) -> None:
        """End a session; one that has ended already stays so."""
        self._end(_digest(secret))

    def _end(self, name: bytes) -> None:
        found = self._known.pop(name, None)
        if found is not None:
            found.is_over = True


def _digest(secret: str) -> bytes:
    """Looked up in place of the secret, so that how long it takes tells nothing of the secrets there are."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
