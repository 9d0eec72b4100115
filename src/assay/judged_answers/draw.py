"""Draw: the queries that people judge, drawn at random so that they stand for all queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from assay.errors import BadParameter, DataError
from assay.execution import digest

TEXT = re.compile(r"(?P<n>\d+) of (?P<n_all>\d+) queries, seed (?P<seed>\d+) #(?P<digest>[0-9a-f]+)")


class Draw(NamedTuple):
    """Queries that were drawn with equal probability. Its text says how, so that it can be checked."""

    n: int
    n_all: int
    seed: int
    digest: str
    """A hash of the ids of all queries."""

    def __str__(self) -> str:
        return f"{self.n} of {self.n_all} queries, seed {self.seed} #{self.digest}"

    @property
    def probability(self) -> float:
        """The probability of each query."""
        return self.n / self.n_all

    def queries(self, ids: Iterable[str]) -> list[str]:
        """The drawn queries; a DataError if these are not the queries that the draw was made from."""
        every = list(dict.fromkeys(ids))
        if (len(every), digest_of_ids(every)) != (self.n_all, self.digest):
            raise DataError(
                f"the verdicts are for {self}, but now there are {len(every):,} queries with other ids or another number. "
                "Use the same queries, or draw again with --form"
            )
        return drawn_queries(every, self.n, self.seed)


def draw_queries(ids: Sequence[str], n: int, seed: int) -> Draw:
    """Draw n of the queries; all of them if there are not more."""
    if n < 1 or seed < 0:
        raise BadParameter(f"a draw needs at least 1 query and a seed of at least 0, not {n} and {seed}")
    return Draw(min(n, len(ids)), len(ids), seed, digest_of_ids(ids))


def drawn_queries(ids: Iterable[str], n: int, seed: int) -> list[str]:
    """N queries in the order of a hash of seed and id. The order of the queries has no effect."""
    return sorted(ids, key=lambda query: sha256(f"{seed}\0{query}".encode("utf-8", "surrogatepass")).digest())[:n]


def parse_draw(text: str) -> Draw:
    """The draw that a file of verdicts names."""
    shape = TEXT.fullmatch(text.strip())
    if not shape or not 0 < int(shape["n"]) <= int(shape["n_all"]):
        raise DataError(f"expected a draw such as '50 of 200 queries, seed 1 #…', found {text!r}")
    return Draw(int(shape["n"]), int(shape["n_all"]), int(shape["seed"]), shape["digest"])


def digest_of_ids(ids: Iterable[str]) -> str:
    """A hash of ids, in any order."""
    return digest(sorted(ids))
