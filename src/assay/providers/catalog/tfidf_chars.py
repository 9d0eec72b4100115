"""tfidf_chars: TF-IDF of character n-grams, which also finds misspelt, inflected and compound words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import BadParameter
from assay.grammar import Param, cutoff
from assay.model import Document, Hit, Query
from assay.providers.nearest import best_of
from assay.providers.provider import Provider, hits_of_ids
from assay.providers.reporting import counted_items
from assay.providers.retriever import in_tie_order, not_indexed_error
from assay.text import words_of

SCORES_AT_ONCE = 4_000_000
"""The most query-document pairs that are scored at once: about 50 MB."""


def pieces(word: str, low: int, high: int) -> Iterator[str]:
    """The n-grams of low … high characters of a word with a space on either side; a shorter word gives itself, once."""
    padded = f" {word} "
    for length in range(low, high + 1):
        if length >= len(padded):
            yield padded
            return
        for start in range(len(padded) - length + 1):
            yield padded[start : start + length]


class TfidfChars:
    """Cosine between vectors of character n-grams: 1 + ln(tf), times smoothed idf."""

    def __init__(self, low: int, high: int) -> None:
        if low > high:
            raise BadParameter(f"tfidf_chars: low must not be greater than high, found low={low} and high={high}")
        self.low, self.high = low, high
        self._ids: list[str] | None = None

    def index(self, documents: Iterable[Document]) -> None:
        """Weight the n-grams of each document's title and text."""
        ordered = in_tie_order(documents)
        self._pieces: dict[str, int] = {}
        counts = self._count([document.content for document in ordered], is_open=True)
        n_having = np.bincount(counts.indices, minlength=len(self._pieces))
        self._idf = (np.log((1 + len(ordered)) / (1 + n_having)) + 1).astype(np.float32)
        self._postings = self._weigh(counts).T.tocsr()
        self._ids = [document.doc_id for document in ordered]

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """For each query up to k documents that share an n-gram with it."""
        if self._ids is None:
            raise not_indexed_error("tfidf_chars")
        step = max(1, SCORES_AT_ONCE // max(1, len(self._ids)))
        blocks = (queries[start : start + step] for start in range(0, len(queries), step))
        return [hits for block in blocks for hits in self._search(block, k, self._ids)]

    def _search(self, queries: Sequence[Query], k: int, ids: list[str]) -> Iterator[list[Hit]]:
        similar = self._weigh(self._count([query.text for query in queries], is_open=False)) @ self._postings
        for start, stop in zip(similar.indptr, similar.indptr[1:], strict=False):
            rows, scores = best_of(similar.indices[start:stop], similar.data[start:stop], k)
            yield hits_of_ids([ids[row] for row in rows.tolist()], scores.tolist())

    def _count(self, texts: Sequence[str], is_open: bool) -> Any:
        """Counts of n-grams per text. Each distinct word is split once; if `is_open`, new n-grams get a number."""
        words: dict[str, int] = {}
        counted = counted_items(texts) if is_open else texts
        by_text = _counts([[words.setdefault(word, len(words)) for word in words_of(text)] for text in counted])
        known = self._pieces
        if is_open:
            cut = [[known.setdefault(piece, len(known)) for piece in pieces(word, self.low, self.high)] for word in words]
        else:
            cut = [[known[piece] for piece in pieces(word, self.low, self.high) if piece in known] for word in words]
        by_text.resize(len(texts), len(words))
        by_word = _counts(cut)
        by_word.resize(len(words), len(known))
        counts = by_text @ by_word
        counts.sort_indices()
        return counts

    def _weigh(self, counts: Any) -> Any:
        """Turn counts into weights, in place; each row gets length 1.

        Logarithms and sums of arrays may differ in the last bit with the position of a row in the array. So each logarithm
        is computed by itself, and squares are added one by one: a text gets the same weights whatever texts are with it.
        """
        numbers = counts.data.astype(np.int64)
        logs = np.array([0.0, *(1 + math.log(n) for n in range(1, int(numbers.max(initial=0)) + 1))], np.float32)
        counts.data = logs[numbers] * self._idf[counts.indices]
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        squares = np.bincount(rows, counts.data.astype(np.float64) ** 2, counts.shape[0])
        counts.data /= np.sqrt(squares).astype(np.float32)[rows]
        return counts


def _counts(rows: Sequence[Sequence[int]]) -> Any:
    """A sparse matrix with the count of each number in each row."""
    from scipy.sparse import csr_matrix

    ends: npt.NDArray[np.int64] = np.cumsum([0, *map(len, rows)])
    numbers = np.fromiter((number for row in rows for number in row), np.int32, int(ends[-1]))
    width = int(numbers.max()) + 1 if len(numbers) else 0
    matrix = csr_matrix((np.ones(len(numbers), np.float32), numbers, ends), shape=(len(rows), width))
    matrix.sum_duplicates()
    return matrix


PROVIDER = Provider(
    "tfidf_chars",
    "TF-IDF of character n-grams, which also finds misspelt, inflected and compound words",
    TfidfChars,
    params=(
        Param("low", cutoff, 3, "characters in the shortest n-grams"),
        Param("high", cutoff, 5, "characters in the longest n-grams"),
    ),
    is_repeatable=True,
)
