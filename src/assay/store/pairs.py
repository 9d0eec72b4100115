"""Pairs: a number for each query and document, as rankings and grades are, in a compact payload.

A document's id is written where it occurs first, and referred to after that: 0 is the next new one, 3 the one that was
new three before. Sixty bytes of JSON for a hit become about five.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate, chain, pairwise
from typing import Any, TypeVar

import numpy as np

from assay.store.numbers import pack_counts, pack_numbers, unpack_counts, unpack_numbers
from assay.store.payload import pack_parts, pack_texts, unpack_parts, unpack_texts

T = TypeVar("T")
Pairs = Mapping[str, Mapping[str, float]]


def pack_pairs(pairs: Pairs) -> bytes:
    """Query → document → number; order is kept, of queries and of documents."""
    by_query = list(pairs.values())
    docs = list(chain.from_iterable(by_query))
    numbers = np.fromiter(chain.from_iterable(one.values() for one in by_query), np.float64, len(docs))
    sizes = np.fromiter(map(len, by_query), np.int64, len(by_query))
    known = {doc: code for code, doc in enumerate(dict.fromkeys(docs))}
    codes = np.fromiter(map(known.__getitem__, docs), np.int64, len(docs))
    next_new = np.zeros(len(codes), np.int64)
    next_new[1:] = np.maximum.accumulate(codes)[:-1] + 1 if len(codes) else 0
    parts = {
        "queries": pack_texts(pairs),
        "sizes": pack_counts(sizes),
        "docs": pack_texts(known),
        "back": pack_counts(next_new - codes),
        "numbers": pack_numbers(numbers),
    }
    return pack_parts(parts)


def unpack_pairs(payload: bytes) -> dict[str, dict[str, float]]:
    """What `pack_pairs` was given, as plain dicts."""
    parts = unpack_parts(payload)
    back = unpack_counts(parts["back"])
    is_new = back == 0
    codes = np.cumsum(is_new) - is_new - back
    names = unpack_texts(parts["docs"])
    docs = [names[code] for code in codes.tolist()]
    numbers = unpack_numbers(parts["numbers"]).tolist()
    bounds = pairwise(accumulate(unpack_counts(parts["sizes"]).tolist(), initial=0))
    queries = unpack_texts(parts["queries"])
    return {
        query: dict(zip(docs[start:end], numbers[start:end], strict=True))
        for query, (start, end) in zip(queries, bounds, strict=True)
    }


class Unopened(Mapping[str, T]):
    """A mapping that is read from its payload when somebody first looks into it; most readers need the scores alone."""

    def __init__(self, read: Any) -> None:
        self._read = read
        self._content: Mapping[str, T] | None = None

    @property
    def content(self) -> Mapping[str, T]:
        """The mapping itself."""
        if self._content is None:
            self._content = self._read()
        return self._content

    def __getitem__(self, key: str) -> T:
        return self.content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)

    def __repr__(self) -> str:
        return repr(dict(self.content))
