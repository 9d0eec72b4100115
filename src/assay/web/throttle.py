"""Throttle: whoever gives wrong tokens waits for the answer, longer each time, or is refused for a while.

The waiting is of an address, not of a connection. The right token never waits, whatever others at the same address gave:
to compare it costs nothing. So waiting makes guessing slow, and the length of the token makes it hopeless.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

FREE_ATTEMPTS = 3
"""Wrong tokens that cost nothing: people mistype."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds between two wrong tokens after the first one that costs something, and at most; it doubles in between."""
LONGEST_WAIT = 5.0
"""Seconds that an answer is delayed; where it would take longer, the request is refused."""
MAX_WAITING, MAX_WAITING_EACH = 64, 8
"""Answers that are delayed at a time, in all and of one address; further requests are refused at once."""
FORGET_AFTER = 15 * 60.0
"""Seconds after which wrong tokens do not count any more."""
MAX_ADDRESSES = 10_000
"""Addresses that are remembered, those with the newest wrong tokens; there is no room for more."""
IPV6_NETWORK_BITS = 64
"""Bits of an IPv6 address that stand for one visitor: the rest is theirs to choose."""

Sleep = Callable[[float], Awaitable[None]]


class TooSoon(Exception):
    """A wrong token after too many others from the same address."""

    def __init__(self, seconds: float) -> None:
        self.seconds = math.ceil(seconds)
        super().__init__(f"too many wrong tokens came from this address: try again in {self.seconds} s")


@dataclass
class Attempts:
    """What is known of an address: wrong tokens, when the last one came, and when the next one is answered."""

    n_wrong: int = 0
    n_waiting: int = 0
    last: float = 0.0
    next_turn: float = 0.0


class Throttle:
    """`await throttle.passes(address, is_right=…)`: at once if it is, else in the address's turn. For one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, sleep: Sleep | None = None) -> None:
        self._clock, self._sleep = clock, sleep or _sleep
        self._known: OrderedDict[str, Attempts] = OrderedDict()
        self._n_waiting = 0

    @property
    def n_known(self) -> int:
        """How many addresses are remembered."""
        return len(self._known)

    async def passes(self, address: str, *, is_right: bool) -> bool:
        """Whether a token was right; TooSoon where a wrong one would wait for too long.

        A right one forgets nothing: it may be a neighbour's, and would let the others guess on.
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
        """What is known of an address; nothing if that is too long ago. Those that were seen longest ago make room."""
        known, now = self._known.get(visitor), self._clock()
        if known is None or now - known.last > FORGET_AFTER:
            known = self._known[visitor] = Attempts(last=now)
        self._known.move_to_end(visitor)
        while len(self._known) > MAX_ADDRESSES:
            self._known.popitem(last=False)
        return known

    def _count(self, known: Attempts, wait: float) -> None:
        """One more wrong token, which is answered after so many seconds; the next one after a longer pause."""
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
    """Seconds between attempts after so many wrong tokens: nothing, then 0.5, 1, 2 … 30."""
    if n_wrong <= FREE_ATTEMPTS:
        return 0.0
    return float(min(FIRST_PAUSE * 2 ** min(n_wrong - FREE_ATTEMPTS - 1, 20), LONGEST_PAUSE))


def visitor_of(address: str) -> str:
    """Who an address stands for: of IPv6 its network, for anybody has millions of addresses there."""
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
