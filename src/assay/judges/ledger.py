"""Ledger: the requests to a judge, their tokens and their price, in a file that survives a killed process.

A request is written down before it is sent, and its tokens after the reply. So the ledger never has fewer requests than
the service. A try without a connection sent nothing, so it is counted apart from the requests, without tokens and cost.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from assay.errors import BadParameter, DataError
from assay.providers import PermanentFailure

BYTES_PER_TOKEN = 4
TOKENS_PER_REQUEST = 8
"""What a request has besides its text."""
MILLION = 1_000_000
MOST_TOKENS = 10**9
"""A service that reports more tokens for a request is wrong."""


def about_tokens(text: str) -> int:
    """Roughly how many tokens a text has, rounded up: one for every four bytes."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN) + TOKENS_PER_REQUEST


class Prices(NamedTuple):
    """Prices of a million tokens, in any currency."""

    input: float
    output: float

    def cost(self, n_in: int, n_out: int) -> float:
        """The price of so many tokens."""
        return (n_in * self.input + n_out * self.output) / MILLION


@dataclass(frozen=True)
class Totals:
    """Sums over requests."""

    requests: int = 0
    replies: int = 0
    """Requests with any HTTP response."""
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0
    """Requests whose tokens are estimated, because the service did not report them."""
    cost: float | None = None
    """The price; None if no prices are known."""
    unreached: int = 0
    """Tries without a connection, which sent nothing. They are not among the requests."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    def __add__(self, other: Totals) -> Totals:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Totals(
            self.requests + other.requests,
            self.replies + other.replies,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.estimated + other.estimated,
            sum(costs) if costs else None,
            self.unreached + other.unreached,
        )


class LimitReached(PermanentFailure):
    """A request that was not sent: the money is spent, or the service refuses all requests."""


@dataclass
class Ticket:
    """A request: what it may cost at most, and what is known after the reply."""

    n_in: int
    n_out: int
    status: int = 0
    """HTTP status; 0: no response."""
    is_exact: bool = False
    is_sent: bool = True
    """False after the reply: no connection was made, so nothing was sent."""

    def note_usage(self, usage: Any) -> None:
        """Take the tokens that the service reports; an invalid report is ignored."""
        if not isinstance(usage, Mapping):
            return
        n_in, n_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if _is_count(n_in) and _is_count(n_out):
            self.n_in, self.n_out, self.is_exact = n_in, n_out, True


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS


@dataclass
class Ledger:
    """Counts the requests of one judge for one pool, and stops them when the money is spent."""

    prices: Prices | None = None
    most_cost: float | None = None
    path: Path | None = None
    before: Totals = field(default_factory=Totals)
    """Requests of earlier processes."""
    now: Totals = field(default_factory=Totals)
    """Requests of this process."""
    closed: str = ""
    """Why no more requests are sent; empty: they are."""
    failure: str = ""
    """Why, if the service is the reason, and not the limit on the cost."""
    _reserved: float = 0.0
    _handle: int = -1
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Read what earlier processes spent."""
        if self.most_cost is not None and self.prices is None:
            raise BadParameter("a limit on the cost needs the prices of a million input and output tokens: --price IN OUT")
        if self.path is not None:
            self.before = read_totals(self.path, self.prices)

    @property
    def total(self) -> Totals:
        """All requests."""
        return self.before + self.now

    def close(self, why: str) -> None:
        """Send no more requests, because the service cannot be used."""
        with self._lock:
            self.failure = self.failure or why
            self.closed = self.closed or why

    @contextmanager
    def request(self, pair: str, n_in: int, most_out: int) -> Iterator[Ticket]:
        """Write down a request, and afterwards its tokens. It raises LimitReached if it must not be sent."""
        ticket = Ticket(n_in, most_out)
        most = self._cost(ticket) or 0.0
        with self._lock:
            self._check(most)
            self._reserved += most
            self._write({"pair": pair, "sent": True, "in": n_in, "out": most_out})
            self.now += Totals(requests=1)
        try:
            yield ticket
        finally:
            with self._lock:
                self._reserved -= most
                self._settle(pair, ticket)

    def _check(self, most: float) -> None:
        spent = (self.before.cost or 0.0) + (self.now.cost or 0.0) + self._reserved
        if not self.closed and self.most_cost is not None and spent + most > self.most_cost:
            self.closed = f"the next request could exceed the limit of {self.most_cost:g}"
        if self.closed:
            raise LimitReached(f"not sent: {self.closed}")

    def _settle(self, pair: str, ticket: Ticket) -> None:
        entry = {"pair": pair, "status": ticket.status, "in": ticket.n_in, "out": ticket.n_out, "exact": ticket.is_exact}
        self._write(entry if ticket.is_sent else {**entry, "reached": False})
        self.now += _totals_of(ticket, self.prices)

    def _cost(self, ticket: Ticket) -> float | None:
        return None if self.prices is None else self.prices.cost(ticket.n_in, ticket.n_out)

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self.path is None:
            return
        try:
            if self._handle < 0:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            os.write(self._handle, json.dumps(entry).encode() + b"\n")
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror or error}", source=self.path) from None

    def finish(self) -> None:
        """Close the file."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _totals_of(ticket: Ticket, prices: Prices | None) -> Totals:
    """The sums of a request after its reply; a request that a service refused costs nothing.

    A request that was not sent is taken back from the requests, where it was counted in advance.
    """
    if not ticket.is_sent:
        return Totals(requests=-1, cost=None if prices is None else 0.0, unreached=1)
    is_free = bool(ticket.status) and not 200 <= ticket.status < 300
    n_in, n_out = (0, 0) if is_free else (ticket.n_in, ticket.n_out)
    is_estimated = not is_free and not ticket.is_exact
    return Totals(
        0, int(ticket.status > 0), n_in, n_out, int(is_estimated), None if prices is None else prices.cost(n_in, n_out)
    )


def read_totals(path: Path, prices: Prices | None = None) -> Totals:
    """The sums of a file. A request without an entry after it was interrupted, so its largest possible cost counts."""
    if not path.exists():
        return Totals()
    open_requests: dict[str, list[Ticket]] = {}
    totals = Totals()
    for entry in _entries(path.read_bytes().splitlines()):
        ticket = Ticket(int(entry["in"]), int(entry["out"]), int(entry.get("status", 0)), bool(entry.get("exact")))
        ticket.is_sent = entry.get("reached", True) is not False
        if entry.get("sent"):
            open_requests.setdefault(str(entry["pair"]), []).append(ticket)
            totals += Totals(requests=1)
        else:
            if waiting := open_requests.get(str(entry["pair"])):
                waiting.pop()
            totals += _totals_of(ticket, prices)
    lost = [ticket for tickets in open_requests.values() for ticket in tickets]
    return sum((_totals_of(ticket, prices) for ticket in lost), totals)


def _entries(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The valid lines; a line that a killed process did not finish is left out."""
    for line in lines:
        try:
            entry = json.loads(line)
            if isinstance(entry, dict) and {"pair", "in", "out"} <= entry.keys():
                yield entry
        except ValueError:
            continue
