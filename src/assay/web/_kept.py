"""Kept: things that took long to make, the ones used last; whoever asks for the same thing meanwhile waits for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class LruCache(Generic[T]):
    """`kept.get(key, make)`: from before where it is still there. A failure is not kept: the next one tries again."""

    def __init__(self, most: float, weight: Callable[[T], float] = lambda _: 1) -> None:
        """`most` is how much weight there is room for; by default everything weighs 1."""
        self._most, self._weight, self._total = most, weight, 0.0
        self._known: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def peek(self, key: Hashable) -> T | None:
        """What is there, without waiting."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        return None

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is there, or made now; one thread makes it, and others wait for that."""
        found = self.peek(key)
        if found is not None:
            return found
        with self._lock:
            turn = self._making.setdefault(key, threading.Lock())
        with turn:
            found = self.peek(key)
            if found is not None:
                return found
            try:
                made = make()
                self._keep(key, made)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return made

    def _keep(self, key: Hashable, made: T) -> None:
        weight = self._weight(made)
        if weight > self._most:
            return
        with self._lock:
            if key in self._known:  # two threads made it, after a third had failed
                self._total -= self._weight(self._known.pop(key))
            self._known[key] = made
            self._total += weight
            while self._total > self._most:
                self._total -= self._weight(self._known.popitem(last=False)[1])

    def __len__(self) -> int:
        return len(self._known)
