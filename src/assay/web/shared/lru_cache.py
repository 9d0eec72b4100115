"""LRU cache: values that take long to compute, of which those that were used last are kept.

Threads that need a value that is being computed wait for it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class LruCache(Generic[T]):
    """`cache.get(key, make)` returns the cached value or a new one. A failure is not cached: the next caller tries again."""

    def __init__(self, most: float, weight: Callable[[T], float] = lambda _: 1) -> None:
        """`most` is the largest total weight; by default every value weighs 1."""
        self._most, self._weight, self._total = most, weight, 0.0
        self._known: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def peek(self, key: Hashable) -> T | None:
        """The cached value, without waiting; None if there is none."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        return None

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The cached value, or a new one; one thread computes it, and others wait for it."""
        value = self.peek(key)
        if value is not None:
            return value
        with self._lock:
            turn = self._making.setdefault(key, threading.Lock())
        with turn:
            value = self.peek(key)
            if value is not None:
                return value
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
            if key in self._known:  # two threads computed it after a third had failed
                self._total -= self._weight(self._known.pop(key))
            self._known[key] = made
            self._total += weight
            while self._total > self._most:
                self._total -= self._weight(self._known.popitem(last=False)[1])

    def __len__(self) -> int:
        return len(self._known)
