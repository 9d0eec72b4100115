"""MetricsCache: figures that were worked out before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any


class MetricsCache:
    """Scores by query, metric, cutoff, and content: what was relevant, and what was retrieved.

    Without its content a score is found again even when the data have changed, as with the printed cache; the batch
    functions always give it.
    """

    def __init__(self) -> None:
        self._cache: dict[tuple[str, str, int, str], float] = {}

    def get_cached_metric(self, query_id: str, metric: str, k: int, content: Any = None) -> float | None:
        """The score that was kept, or None."""
        return self._cache.get((query_id, metric, k, _digest(content)))

    def cache_metric(self, query_id: str, metric: str, k: int, value: float, content: Any = None) -> None:
        """Keep a score."""
        self._cache[query_id, metric, k, _digest(content)] = value

    def __len__(self) -> int:
        return len(self._cache)


def _digest(content: Any) -> str:
    """A hash of any plain value; the order of sets and maps does not matter, that of lists does."""
    if content is None:
        return ""
    return blake2b(json.dumps(_ordered(content)).encode(), digest_size=16).hexdigest()


def _ordered(content: Any) -> Any:
    """The value with its kind beside it, so that a list of pairs and a map are not taken for each other."""
    if isinstance(content, Mapping):
        return ["map", sorted([json.dumps([_ordered(key), _ordered(one)]) for key, one in content.items()])]
    if isinstance(content, set | frozenset):
        return ["set", sorted(json.dumps(_ordered(one)) for one in content)]
    if isinstance(content, list | tuple):
        return ["list", [_ordered(one) for one in content]]
    return [type(content).__name__, str(content)]
