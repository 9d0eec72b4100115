"""Queue sessions: what a judge skipped and did last, and how fast. They are in memory, because grades are in the store."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple, TypeVar

from assay.judging import SECONDS_EACH

T = TypeVar("T")
MAX_SESSIONS = 1000
MAX_ACTIONS = 10_000
"""Actions of a session that can be undone, and times that its pace is computed from."""
BREAK = 300.0
"""A pause of more seconds than this between two grades is a break, which does not count as work."""
LEAST_FOR_PACE = 5
"""Grades before a pace is shown."""
GRADED, SKIPPED, UNDECIDED = "graded", "skipped", "undecided"

Ids = tuple[str, str]
"""Query and document, as the store has them."""


class Action(NamedTuple):
    """What a judge did with a pair."""

    pair: Ids
    kind: str


@dataclass
class QueueSession:
    """The session of one judge in one pool, since the server started."""

    clock: Callable[[], float] = time.monotonic
    actions: list[Action] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """When pairs got a grade or were left undecided."""
    skipped: dict[Ids, None] = field(default_factory=dict)
    """Skipped pairs, the first skipped one first."""
    shown_again: Ids | None = None
    """The pair of the action that was undone last, until something happens to it."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, pair: Ids, kind: str) -> None:
        """Remember an action."""
        with self.lock:
            self.skipped.pop(pair, None)
            if kind == SKIPPED:
                self.skipped[pair] = None
            else:
                self.times = [*self.times, self.clock()][-MAX_ACTIONS:]
            self.actions = [*self.actions, Action(pair, kind)][-MAX_ACTIONS:]
            self.shown_again = None

    def undo(self) -> Action | None:
        """Forget the last action; None if there is none."""
        with self.lock:
            if not self.actions:
                return None
            action = self.actions.pop()
            self.skipped.pop(action.pair, None)
            if action.kind != SKIPPED and self.times:
                self.times.pop()
            self.shown_again = action.pair
            return action

    def show_again(self, pair: Ids) -> None:
        """Show a pair next, whose grade from an earlier session was withdrawn."""
        with self.lock:
            self.shown_again = pair

    def next_of(self, pairs: Sequence[T], ids: Callable[[T], Ids], done: Iterable[Ids]) -> T | None:
        """The pair to judge next: one that was undone, then new ones in order, then skipped ones; None at the end."""
        over = set(done)
        left = {ids(pair): pair for pair in pairs if ids(pair) not in over}
        with self.lock:
            if self.shown_again in left:
                return left[self.shown_again]
            fresh = next((pair for key, pair in left.items() if key not in self.skipped), None)
            return fresh or next((left[key] for key in self.skipped if key in left), None)

    def n_skipped(self, left: Iterable[Ids]) -> int:
        """How many of these pairs are skipped."""
        with self.lock:
            return sum(pair in self.skipped for pair in left)

    @property
    def seconds_each(self) -> float | None:
        """Seconds for a pair in this session; None if there are too few."""
        with self.lock:
            return seconds_each(self.times)


def seconds_each(times: Iterable[float]) -> float | None:
    """The mean of the times between grades, without breaks; None if there are too few.

    Grades of the same moment were imported together, so they say nothing about the pace.
    """
    ordered = sorted(set(times))
    gaps = [later - earlier for earlier, later in pairwise(ordered) if later - earlier <= BREAK]
    return max(fmean(gaps), 0.001) if len(gaps) >= LEAST_FOR_PACE else None


def minutes_for(n_pairs: int, seconds: float | None) -> float:
    """Minutes for so many pairs, at this pace or at the usual one."""
    return n_pairs * (SECONDS_EACH if seconds is None else seconds) / 60


class QueueSessions:
    """`sessions.of(pool, judge)` is the session of a judge in a pool. The least recently used one ends first."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], QueueSession] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, pool: str, judge: str) -> QueueSession:
        """The session of a judge in a pool; a new one if there is none."""
        with self._lock:
            session = self._known.setdefault((pool, judge), QueueSession())
            self._known.move_to_end((pool, judge))
            while len(self._known) > MAX_SESSIONS:
                self._known.popitem(last=False)
            return session
