"""Pairs: a number for each query and document, as rankings and grades are, in a compact payload.

A document's id is written where it occurs first, and referred to after that: 0 is the next new one, 3 the one that was
new three before. Sixty bytes of JSON for a hit become about five.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate, chain, pairwise
from typing import Any, TypeVar

import msgspec
import numpy as np

from assay.schema import SchemaError
from assay.store.numbers import PackedNumbers, pack_counts, pack_numbers, unpack_counts, unpack_numbers
from assay.store.payload import PackedTexts, pack_parts, pack_texts, unpack_parts, unpack_texts

T = TypeVar("T")
Pairs = Mapping[str, Mapping[str, float]]


class PackedPairs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Queries, how many documents each has, the documents, where each was new, and the numbers."""

    queries: PackedTexts | bytes
    sizes: bytes
    docs: PackedTexts | bytes
    back: bytes
    numbers: PackedNumbers


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
    packed = PackedPairs(
        queries=pack_texts(pairs),
        sizes=pack_counts(sizes),
        docs=pack_texts(known),
        back=pack_counts(next_new - codes),
        numbers=pack_numbers(numbers),
    )
    return pack_parts(packed)


def unpack_pairs(payload: bytes) -> dict[str, dict[str, float]]:
    """What `pack_pairs` was given, as plain dicts."""
    packed = unpack_parts(payload, PackedPairs)
    back, sizes = unpack_counts(packed.back), unpack_counts(packed.sizes)
    is_new = back == 0
    codes = np.cumsum(is_new) - is_new - back
    names, queries = unpack_texts(packed.docs), unpack_texts(packed.queries)
    numbers = unpack_numbers(packed.numbers)
    if len(numbers) != len(codes) or sizes.sum() != len(codes) or len(queries) != len(sizes):
        raise SchemaError("expected as many documents as numbers, and as many queries as lists of them")
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(names):
        raise SchemaError("expected documents that were named before, found others")
    docs, values = [names[code] for code in codes.tolist()], numbers.tolist()
    bounds = pairwise(accumulate(sizes.tolist(), initial=0))
    return {
        query: dict(zip(docs[start:end], values[start:end], strict=True))
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
