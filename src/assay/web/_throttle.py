"""Throttle: whoever gives wrong tokens waits, longer each time, before the next one is looked at.

The waiting is of an address, not of a connection: a thousand guesses at once are looked at one after the other as well.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

FREE = 3
"""Wrong tokens that cost nothing: people mistype."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds between two attempts after the first wrong token that costs something, and at most; it doubles in between."""
LONGEST_WAIT = 5.0
"""Seconds that an attempt is kept waiting; whoever would wait longer is told to come back."""
FORGOTTEN = 15 * 60.0
"""Seconds after which wrong tokens do not count any more."""
MOST_ADDRESSES = 10_000
"""Addresses that are remembered, those with the newest wrong tokens; there is no room for more."""
NETWORK = 64
"""Bits of an IPv6 address that stand for one visitor: the rest is theirs to choose."""

Sleep = Callable[[float], Awaitable[None]]


class TooSoon(Exception):
    """An attempt that is not looked at: too many wrong ones came from the same address."""

    def __init__(self, seconds: float) -> None:
        self.seconds = math.ceil(seconds)
        super().__init__(f"too many wrong tokens came from this address: try again in {self.seconds} s")


@dataclass
class Attempts:
    """What is known of an address: wrong tokens, when the last one came, and when the next attempt is looked at."""

    n_wrong: int = 0
    last: float = 0.0
    next_turn: float = 0.0


class Throttle:
    """`await throttle.is_right(address, check)`: the check, when it is the address's turn. Made for one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, sleep: Sleep | None = None) -> None:
        self._clock, self._sleep = clock, sleep or _sleep
        self._known: OrderedDict[str, Attempts] = OrderedDict()

    @property
    def n_known(self) -> int:
        """How many addresses are remembered."""
        return len(self._known)

    async def is_right(self, address: str, check: Callable[[], bool]) -> bool:
        """Whether the check holds, which forgets what was wrong before; TooSoon where it would wait for too long."""
        visitor = visitor_of(address)
        if wait := self._turn(visitor):
            await self._sleep(wait)
        if check():
            self._known.pop(visitor, None)
            return True
        self._count(visitor)
        return False

    def _turn(self, visitor: str) -> float:
        """Take the next turn of an address; says in how many seconds that is."""
        known, now = self._known.get(visitor), self._clock()
        if known is None or now - known.last > FORGOTTEN:
            self._known.pop(visitor, None)
            return 0.0
        wait = max(0.0, known.next_turn - now)
        if wait > LONGEST_WAIT:
            raise TooSoon(wait)
        known.next_turn = now + wait + pause_after(known.n_wrong)
        return wait

    def _count(self, visitor: str) -> None:
        known, now = self._known.setdefault(visitor, Attempts()), self._clock()
        known.n_wrong, known.last = known.n_wrong + 1, now
        known.next_turn = max(known.next_turn, now + pause_after(known.n_wrong))
        self._known.move_to_end(visitor)
        while len(self._known) > MOST_ADDRESSES:
            self._known.popitem(last=False)


def pause_after(n_wrong: int) -> float:
    """Seconds between attempts after so many wrong tokens: nothing, then 0.5, 1, 2 … 30."""
    if n_wrong <= FREE:
        return 0.0
    return float(min(FIRST_PAUSE * 2 ** min(n_wrong - FREE - 1, 20), LONGEST_PAUSE))


def visitor_of(address: str) -> str:
    """Who an address stands for: of IPv6 its network, for anybody has millions of addresses there."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(IPv6Address(int(found) >> (128 - NETWORK) << (128 - NETWORK)))
    return str(found)


async def _sleep(seconds: float) -> None:
    from anyio import sleep

    await sleep(seconds)
