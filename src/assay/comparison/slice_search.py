"""slice_search: which slices there are to look at: all tags, all pairs of tags, and none too small to tell anything."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Ints
from assay.errors import BadParameter
from assay.model import NONE, Tags


@dataclass(frozen=True)
class Search:
    """What slices are looked for. A slice and what is left without it need `min_queries` each, and `min_share` of all."""

    min_queries: int = 5
    min_share: float = 0.02
    most: int = 10
    """Slices that are told of, for each system."""
    tags: tuple[str, ...] = ()
    """Tags that are looked at; all of them where none is named."""
    resamples: int | None = None
    """Shuffles of the queries; None: as many as the number of slices asks for."""

    def __post_init__(self) -> None:
        for name, value in (("min_queries", self.min_queries), ("most", self.most), ("resamples", self.resamples)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise BadParameter(f"{name} is a whole number from 1 up, not {value!r}")
        if isinstance(self.min_share, bool) or not isinstance(self.min_share, int | float) or not 0 <= self.min_share < 1:
            raise BadParameter(
                f"min_share is a share of the queries from 0 to below 1, such as 0.02, not {self.min_share!r}"
            )

    def fewest(self, n_queries: int) -> int:
        """Queries that a slice needs at least; two even if one is allowed, for one has no spread."""
        return max(2, self.min_queries, math.ceil(self.min_share * n_queries))


class Candidate(NamedTuple):
    """A slice to look at, with the places of its queries."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    places: Ints

    @property
    def label(self) -> str:
        """`language=de difficulty=hard`."""
        return " ".join(f"{name}={value}" for name, value in zip(self.names, self.values, strict=True))

    @property
    def parents(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """The single tags that a pair is made of."""
        if len(self.names) == 1:
            return []
        return [((name,), (value,)) for name, value in zip(self.names, self.values, strict=True)]


class Candidates(NamedTuple):
    """Slices to look at, and how many were left out for being too small."""

    kept: list[Candidate]
    n_too_small: int


def candidates(tags: Tags, search: Search) -> Candidates:
    """Slices by each tag, then by pairs of tags. Slices of the very same queries are one, named by the fewest tags."""
    names = list(dict.fromkeys(map(tags.named, search.tags or tags.names or ("any tag",))))
    coded = {name: np.unique(np.array(tags.values(name), dtype=object), return_inverse=True) for name in names}
    n = len(tags.by_query)
    fewest = search.fewest(n)
    kept: dict[bytes, Candidate] = {}
    too_small: set[bytes] = set()
    for some in [*((name,) for name in names), *combinations(names, 2)]:
        for values, places in _groups([coded[name] for name in some]):
            key = places.tobytes()
            if len(places) < fewest:
                too_small.add(key)
            elif n - len(places) >= fewest and key not in kept:
                kept[key] = Candidate(tuple(some), values, places)
    return Candidates(list(kept.values()), len(too_small))


def _groups(coded: Sequence[tuple[NDArray[np.object_], NDArray[np.int64]]]) -> Iterator[tuple[tuple[str, ...], Ints]]:
    """Every combination of values, and where it occurs. Of pairs, those in which a tag is missing are left out."""
    code = coded[0][1] if len(coded) == 1 else coded[0][1] * len(coded[1][0]) + coded[1][1]
    order = np.argsort(code, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
        values = tuple(str(words[inverse[places[0]]]) for words, inverse in coded)
        if len(coded) == 1 or NONE not in values:
            yield values, places
