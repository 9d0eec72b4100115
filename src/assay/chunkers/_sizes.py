"""Sizes: how large chunks are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from assay.model import Chunk
from assay.text import words_of


@dataclass(frozen=True)
class Distribution:
    """Where sizes lie: their mean, the largest, and those that 5, 50 and 95 % do not exceed."""

    mean: float
    p5: float
    median: float
    p95: float
    max: float


@dataclass(frozen=True)
class ChunkSizes:
    """How many chunks there are, and how large they are; None where there is none."""

    n: int
    characters: Distribution | None
    tokens: Distribution | None
    """In words, as `assay.text.words_of` finds them."""


def sizes(chunks: Iterable[Chunk]) -> ChunkSizes:
    """The sizes of chunks in characters, white space included, and in words; between two sizes it is interpolated."""
    texts = [chunk.text for chunk in chunks]
    if not texts:
        return ChunkSizes(0, None, None)
    return ChunkSizes(len(texts), _distribution(map(len, texts)), _distribution(len(words_of(text)) for text in texts))


def _distribution(values: Iterable[int]) -> Distribution:
    counts = np.array(list(values), float)
    p5, median, p95 = np.percentile(counts, [5, 50, 95]).tolist()
    return Distribution(float(counts.mean()), p5, median, p95, float(counts.max()))
