"""Shipping: an object as bytes that workers receive with their function, and decode once for each process."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
MAX_BYTES = 100_000_000
"""Bytes that are sent to the workers. Spark Connect refuses requests of more than 128 MiB."""
MAX_DECODED = 4
_DECODED: dict[str, Any] = {}
"""The last objects that were decoded in this process, by their hash."""


@dataclass(frozen=True)
class Shipped(Generic[T]):
    """An object as bytes, and their hash."""

    payload: bytes
    key: str

    @classmethod
    def of(cls, content: T) -> Shipped[T]:
        """The object as bytes."""
        payload = pickle.dumps(content, protocol=5)
        return cls(payload, blake2b(payload, digest_size=16).hexdigest())

    @property
    def is_too_large(self) -> bool:
        """Whether workers cannot receive it."""
        return len(self.payload) > MAX_BYTES

    @property
    def size(self) -> str:
        """The size in words."""
        return f"{len(self.payload) / 1e6:,.0f} MB; at most {MAX_BYTES / 1e6:,.0f} MB"

    def content(self) -> T:
        """The object: the same one for all tasks that run in a process after each other, so nobody may change it."""
        if self.key not in _DECODED:
            while len(_DECODED) >= MAX_DECODED:
                del _DECODED[next(iter(_DECODED))]
            _DECODED[self.key] = pickle.loads(self.payload)  # noqa: S301 (the driver of the same program wrote it)
        return cast("T", _DECODED[self.key])
