"""Ordered: the fused documents of some queries, best first, as arrays; dictionaries are made of them when someone looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from assay.model import Floats, Ints, Ranking, Run


@dataclass(frozen=True)
class Ordered:
    """Query by query: which of its documents, and their scores, best first."""

    docs: tuple[list[str], ...]
    """For each query: the documents that any run has."""
    order: Ints
    """The places of the documents among those of their query."""
    score: Floats
    length: Ints
    """For each query: how many documents it keeps."""

    def rankings(self) -> Iterator[Ranking]:
        """For each query: its documents with their scores, best first.

        Query by query, so that its documents are still at hand for the next step.
        """
        order, score = self.order.tolist(), self.score.tolist()
        first = 0
        for docs, length in zip(self.docs, self.length.tolist(), strict=True):
            kept = slice(first, first + length)
            yield dict(zip(map(docs.__getitem__, order[kept]), score[kept], strict=True))
            first += length


def fused_run(query_ids: tuple[str, ...], blocks: Sequence[Ordered], tag: str) -> Run:
    """The run that blocks of queries make up."""
    return Run.deferred(
        query_ids,
        np.concatenate([block.length for block in blocks]),
        np.concatenate([block.score for block in blocks]),
        lambda: list(chain.from_iterable(block.rankings() for block in blocks)),
        tag,
    )
