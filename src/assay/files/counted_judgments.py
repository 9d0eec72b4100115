"""Judged documents that a scan of a run has counted, and the judgments that it looks for, as hashes and bytes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from weakref import ref

import numpy as np

from assay.arrays import Ints
from assay.files.blocks.byte_fields import ByteFields, Words
from assay.model import Qrels, RankRule
from assay.views import Ranked, Ties, counted_run

PART = 100_000
"""Documents that are hashed at once, because hashing needs several times their memory."""


@dataclass(frozen=True, eq=False)
class JudgedFields:
    """The judgments of a Qrels as hashes and bytes."""

    queries: Mapping[bytes, int]
    """Query → its number."""
    documents: ByteFields
    hashes: Words
    """The hash of each document."""

    @classmethod
    def of(cls, qrels: Qrels) -> JudgedFields:
        """The judgments as bytes."""
        queries = {query.encode("utf-8", "surrogatepass"): number for number, query in enumerate(qrels.query_ids)}
        documents = ByteFields.of(qrels.docs)
        parts = [slice(begin, begin + PART) for begin in range(0, len(qrels.docs), PART)]
        hashes = [ByteFields(documents.data, documents.start[part], documents.length[part]).hashes() for part in parts]
        return cls(queries, documents, np.concatenate([*hashes, np.zeros(0, dtype=np.uint64)]))


_KNOWN: dict[int, tuple[ref[Qrels], JudgedFields]] = {}


MAX_KEPT = 500_000
"""More judgments than this are turned into bytes for each run, because these bytes need more memory than the scores."""


def has_many_judgments(qrels: Qrels) -> bool:
    """Whether memory matters more than a little time."""
    return len(qrels.docs) > MAX_KEPT


def return_free_memory() -> None:
    """Give memory that judgments or blocks have used back to the system, if its C library can do that.

    It consists of many small pieces, so large arrays cannot use it again.
    """
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def judged_fields(qrels: Qrels) -> JudgedFields:
    """The judgments as bytes; computed once, because several runs are often scored with the same judgments."""
    if has_many_judgments(qrels):
        return_free_memory()
        return JudgedFields.of(qrels)
    key = id(qrels)
    if key not in _KNOWN:
        _KNOWN[key] = ref(qrels, lambda _: _KNOWN.pop(key, None)), JudgedFields.of(qrels)
    return _KNOWN[key][1]


@dataclass(frozen=True, eq=False)
class Placed:
    """For each judged document: how many rows are better, how many equal, and how many of these come before it."""

    better: Ints
    equal: Ints
    above: Ints
    """Equal rows whose document has a higher id."""
    earlier: Ints
    """Equal rows that come before it in the file."""

    @classmethod
    def joined(cls, parts: list[Placed]) -> Placed:
        """The documents of all blocks."""
        none = np.zeros(0, dtype=np.int64)
        names = ("better", "equal", "above", "earlier")
        return cls(*(np.concatenate([*(getattr(part, name) for part in parts), none]) for name in names))

    def where(self, rows: slice) -> Placed:
        """Only these documents."""
        return Placed(self.better[rows], self.equal[rows], self.above[rows], self.earlier[rows])

    def ahead(self, ties: str) -> Ints:
        """How many equal rows come before each document."""
        count = self.above if ties.startswith("docid") else self.earlier
        return count if ties in ("docid_desc", "input_order") else self.equal - 1 - count


@dataclass(frozen=True, eq=False)
class CountedJudgments:
    """The judged documents of a run with their counts: all that ranking needs."""

    judgment: Ints
    placed: Mapping[str, Placed]
    """Precision → the counts in that precision."""
    length: Ints
    """For each judged query, the number of its documents; -1 if it is missing from the run."""
    n_constant: int
    n_extra: int

    def ranked(self, qrels: Qrels, rule: RankRule, tag: str) -> Ranked:
        """The run ranked by a rule."""
        placed = self.placed[rule.precision]
        ties, ahead = Ties(placed.better, placed.equal), placed.ahead(rule.ties)
        counts = {"n_constant": self.n_constant, "n_extra": self.n_extra}
        return counted_run(qrels, self.judgment, ties, ahead, self.length, tag=tag, **counts)
