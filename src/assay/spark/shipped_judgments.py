"""Shipped judgments: judgments as bytes that workers receive with their function, and decode once for each process."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from hashlib import blake2b

from assay.model import Qrels

_DECODED: dict[str, Qrels] = {}
"""The judgments of the last job in this process."""


@dataclass(frozen=True)
class ShippedJudgments:
    """Judgments as bytes, and their hash."""

    payload: bytes
    key: str

    @classmethod
    def of(cls, qrels: Qrels) -> ShippedJudgments:
        """The judgments as bytes."""
        payload = pickle.dumps(qrels, protocol=5)
        return cls(payload, blake2b(payload, digest_size=16).hexdigest())

    def qrels(self) -> Qrels:
        """The judgments. The same object for all tasks that run in one process after each other."""
        if self.key not in _DECODED:
            _DECODED.clear()
            _DECODED[self.key] = pickle.loads(self.payload)  # noqa: S301 (our own driver wrote it)
        return _DECODED[self.key]
