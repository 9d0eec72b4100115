"""Throttle: after wrong tokens, an address waits for the response, longer each time, or is refused for a while.

The delay applies to an address, not to a connection. The right token is never delayed, whatever others at the same address
sent, because comparing it costs nothing. The delay makes guessing slow, and the length of the token makes it infeasible.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

FREE_ATTEMPTS = 3
"""Wrong tokens without a delay, because people make typos."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""The first and the longest delay between two wrong tokens, in seconds; it doubles each time."""
LONGEST_WAIT = 5.0
"""The longest delay of a response, in seconds; if it would be longer, the request is refused."""
MAX_WAITING, MAX_WAITING_EACH = 64, 8
"""Delayed responses at a time, in total and per address; further requests are refused at once."""
FORGET_AFTER = 15 * 60.0
"""Seconds after which wrong tokens no longer count."""
MAX_ADDRESSES = 10_000
"""The number of remembered addresses; those with the newest wrong tokens are remembered."""
IPV6_NETWORK_BITS = 64
"""Bits of an IPv6 address that identify a visitor; a visitor can choose the others."""

Sleep = Callable[[float], Awaitable[None]]


class TooSoon(Exception):
    """A wrong token after too many others from the same address."""

    def __init__(self, seconds: float) -> None:
        self.seconds = math.ceil(seconds)
        super().__init__(f"too many wrong tokens from this address: try again in {self.seconds} s")


@dataclass
class Attempts:
    """What is known about an address: the wrong tokens, the time of the last one, and when the next gets a response."""

    n_wrong: int = 0
    n_waiting: int = 0
    last: float = 0.0
    next_turn: float = 0.0


class Throttle:
    """`await throttle.passes(address, is_right=…)` returns at once if it is right, otherwise after a delay.

    For one event loop.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, sleep: Sleep | None = None) -> None:
        self._clock, self._sleep = clock, sleep or _sleep
        self._known: OrderedDict[str, Attempts] = OrderedDict()
        self._n_waiting = 0

    @property
    def n_known(self) -> int:
        """How many addresses are remembered."""
        return len(self._known)

    async def passes(self, address: str, *, is_right: bool) -> bool:
        """Whether a token was right; TooSoon if the delay of a wrong one would be too long.

        A right token does not reset the delay: it may come from someone else at the address, and others could keep guessing.
        """
        if is_right:
            return True
        known = self._attempts(visitor_of(address))
        wait = max(0.0, known.next_turn - self._clock())
        if wait > LONGEST_WAIT:
            raise TooSoon(wait)
        if wait and (self._n_waiting >= MAX_WAITING or known.n_waiting >= MAX_WAITING_EACH):
            raise TooSoon(LONGEST_WAIT)
        self._count(known, wait)
        if wait:
            await self._wait(known, wait)
        return False

    def _attempts(self, visitor: str) -> Attempts:
        """What is known about an address, unless it is too old. The oldest addresses are forgotten if there are too many."""
        known, now = self._known.get(visitor), self._clock()
        if known is None or now - known.last > FORGET_AFTER:
            known = self._known[visitor] = Attempts(last=now)
        self._known.move_to_end(visitor)
        while len(self._known) > MAX_ADDRESSES:
            self._known.popitem(last=False)
        return known

    def _count(self, known: Attempts, wait: float) -> None:
        """Count one more wrong token, whose response comes after this delay; the next delay is longer."""
        now = self._clock()
        known.n_wrong, known.last = known.n_wrong + 1, now
        known.next_turn = now + wait + pause_after(known.n_wrong)

    async def _wait(self, known: Attempts, seconds: float) -> None:
        self._n_waiting, known.n_waiting = self._n_waiting + 1, known.n_waiting + 1
        try:
            await self._sleep(seconds)
        finally:
            self._n_waiting, known.n_waiting = self._n_waiting - 1, known.n_waiting - 1


def pause_after(n_wrong: int) -> float:
    """Seconds between attempts after this many wrong tokens: 0, then 0.5, 1, 2 … 30."""
    if n_wrong <= FREE_ATTEMPTS:
        return 0.0
    return float(min(FIRST_PAUSE * 2 ** min(n_wrong - FREE_ATTEMPTS - 1, 20), LONGEST_PAUSE))


def visitor_of(address: str) -> str:
    """The visitor of an address; for IPv6 its network, because one visitor can use millions of addresses in it."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        return str(IPv6Address(int(ip) >> (128 - IPV6_NETWORK_BITS) << (128 - IPV6_NETWORK_BITS)))
    return str(ip)


async def _sleep(seconds: float) -> None:
    from anyio import sleep

    await sleep(seconds)
