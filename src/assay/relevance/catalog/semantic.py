"""Relevance by meaning: the embedding of a text is compared with the embedding of the expected answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.arrays import Floats, Ints, ratio
from assay.embeddings import WORDLLAMA, EmbeddingModel, TextVectors, check_known, find_model, without_capitals
from assay.grammar import Param, fraction
from assay.model import Query
from assay.relevance.by_text import Pairs, has_expected, judge_by_text
from assay.relevance.resolver import Ground, Judged, Resolver

OWNER = "relevance semantic"
THRESHOLD = Param("threshold", fraction, 0.5, "lowest cosine similarity at which a text is relevant")
MODEL = Param("model", str, WORDLLAMA, "wordllama, a model that you registered, or a model of sentence-transformers")
PAIRS_AT_ONCE, QUERIES_AT_ONCE, TEXTS_AT_ONCE = 8192, 512, 16384
"""Sizes of the blocks: 32 MB of vectors of pairs (256 dimensions in float64), and 32 MB of similarities."""
SLACK = 1e-4
"""A similarity in float32 is off by less than this."""


@lru_cache(maxsize=2)
def _text_vectors(model: EmbeddingModel) -> TextVectors:
    return TextVectors(model)


class Cosines:
    """The cosine similarity of expected texts and other texts. It does not depend on the other texts of a block."""

    def __init__(self, model: str, threshold: float) -> None:
        self._vectors = _text_vectors(find_model(OWNER, model))
        self._read = without_capitals if model == WORDLLAMA else str
        self._threshold = threshold

    def likeness(self, pairs: Pairs) -> Floats:
        """The cosine of each pair in float64; 0 if one of the vectors is 0."""
        alike = np.zeros(len(pairs.query))
        for start in range(0, len(alike), PAIRS_AT_ONCE):
            some = slice(start, start + PAIRS_AT_ONCE)
            alike[some] = self._of_pairs(pairs, pairs.query[some], pairs.text[some])
        return alike

    def _of_pairs(self, pairs: Pairs, query: Ints, text: Ints) -> Floats:
        queries, query_at = np.unique(query, return_inverse=True)
        texts, text_at = np.unique(text, return_inverse=True)
        expected = self._of([pairs.expected[number] for number in queries.tolist()])
        others = self._of([pairs.index.texts[number] for number in texts.tolist()])
        products = np.vecdot(expected[query_at], others[text_at])
        return ratio(products, _lengths(expected)[query_at] * _lengths(others)[text_at])

    def candidates(
        self, ground: Ground, queries: Sequence[Query], counts_scope: Sequence[bool], retrieved: Pairs
    ) -> Iterator[Pairs]:
        """Pairs with documents in the scope of each query whose similarity reaches the threshold, except for rounding."""
        by_scope: dict[str | None, list[int]] = {}
        for number, query in enumerate(queries):
            if counts_scope[number]:
                by_scope.setdefault(query.scope, []).append(number)
        for members in by_scope.values():
            scope = ground.scope_numbers(queries[members[0]])
            expected = _of_length_1(self._of([retrieved.expected[number] for number in members]))
            for texts in _blocks(scope, TEXTS_AT_ONCE):
                others = _of_length_1(self._of([ground.words.texts[number] for number in texts.tolist()]))
                for rows in _blocks(np.arange(len(members)), QUERIES_AT_ONCE):
                    row, place = np.nonzero(expected[rows] @ others.T >= self._threshold - SLACK)
                    numbers = np.array(members, dtype=np.int64)[rows][row]
                    yield replace(retrieved, query=numbers, text=texts[place], shared=np.zeros(len(row), dtype=np.int64))

    def _of(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return self._vectors.of(list(map(self._read, texts))).astype(np.float64)


def _blocks(numbers: Ints, size: int) -> Iterator[Ints]:
    return (numbers[start : start + size] for start in range(0, len(numbers), size))


def _lengths(vectors: npt.NDArray[np.float64]) -> Floats:
    return np.sqrt(np.vecdot(vectors, vectors))


def _of_length_1(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    lengths = _lengths(vectors)[:, None]
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def resolve_semantic(ground: Ground, queries: Sequence[Query], threshold: float, model: str) -> dict[str, Judged]:
    """A paraphrase can be relevant without a shared word."""
    cosines = Cosines(model, threshold)
    return judge_by_text(ground, queries, cosines.likeness, threshold, cosines.candidates)


def check_semantic(model: str, **_: Any) -> None:
    """Raise unless the model is registered or its package is installed."""
    check_known(OWNER, model)


SEMANTIC = Resolver(
    "semantic",
    "cosine similarity of the embeddings of a text and the expected answer",
    has_expected,
    resolve_semantic,
    (THRESHOLD, MODEL),
    only_written=("model",),
    check=check_semantic,
)
