"""The index of bm25: for each term the documents that contain it, with the score that it gives them.

The scores are those of bm25s, bit for bit: a term frequency component in double precision, times idf in single precision,
rounded once to single precision. Arrays replace the lists of that package, so that ten million documents fit into memory.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.array_file import Arrays
from assay.model import Document
from assay.providers.packed_texts import PackedTexts, TextNumbers, pack_numbers, pack_texts
from assay.providers.retriever import duplicate_document_error

Floats: TypeAlias = npt.NDArray[np.float64]
Scores: TypeAlias = npt.NDArray[np.float32]
ENTRIES_PER_BLOCK = 1 << 20
"""The number of scores that are computed at once."""


def _lucene_idf(n_having: int, n: int) -> float:
    return math.log(1 + (n - n_having + 0.5) / (n_having + 0.5))


def _robertson_idf(n_having: int, n: int) -> float:
    return math.log(max(1.0, (n - n_having + 0.5) / (n_having + 0.5)))


def _atire_idf(n_having: int, n: int) -> float:
    return math.log(n / n_having)


IDF: dict[str, Callable[[int, int], float]] = {"lucene": _lucene_idf, "robertson": _robertson_idf, "atire": _atire_idf}


class Bm25Index:
    """An index as arrays, which may stay on disk."""

    def __init__(self, arrays: Arrays) -> None:
        self.ids = PackedTexts(arrays["ids"], arrays["id_ends"])
        self.terms = TextNumbers(PackedTexts(arrays["terms"], arrays["term_ends"]), arrays["term_numbers"])
        self._starts, self._rows, self._scores = arrays["starts"], arrays["rows"], arrays["scores"]

    def scores_of(self, terms: Sequence[int]) -> Scores:
        """The score of every document for these terms. A term that occurs twice counts twice."""
        total = np.zeros(len(self.ids), np.float32)
        for term in terms:
            start, end = self._starts[term], self._starts[term + 1]
            total[self._rows[start:end]] += self._scores[start:end]  # a document occurs once in the list of a term
        return total


def build_arrays(
    documents: Iterable[Document],
    terms_of: Callable[[str], list[int]],
    numbers: dict[str, int],
    *,
    method: str,
    k1: float,
    b: float,
) -> Arrays:
    """The arrays of the index. `numbers` has term → number after `terms_of` was called for every document."""
    ids: list[str] = []
    terms, lengths = array("i"), array("q")
    for document in documents:
        some = terms_of(document.content)
        ids.append(document.doc_id)
        terms.fromlist(some)
        lengths.append(len(some))
    order = _tie_order(ids)
    starts, rows, scores = _postings(terms, np.array(lengths, np.int64), len(numbers))
    place = np.empty(len(ids), np.int32)
    place[order] = np.arange(len(ids), dtype=np.int32)
    _score(starts, rows, scores, np.array(lengths, np.float64), method, k1, b)
    for start in range(0, len(rows), ENTRIES_PER_BLOCK):
        block = slice(start, start + ENTRIES_PER_BLOCK)
        rows[block] = place[rows[block]]
    packed_ids, id_ends = pack_texts([ids[row] for row in order])
    packed_terms, term_ends, term_numbers = pack_numbers(numbers)
    return {
        "starts": starts,
        "rows": rows,
        "scores": scores,
        "ids": packed_ids,
        "id_ends": id_ends,
        "terms": packed_terms,
        "term_ends": term_ends,
        "term_numbers": term_numbers,
    }


def _tie_order(ids: Sequence[str]) -> list[int]:
    """The rows of documents by id, descending, so that ties are ordered as in every run. No id may occur twice."""
    order = sorted(range(len(ids)), key=ids.__getitem__, reverse=True)
    for previous, row in pairwise(order):
        if ids[previous] == ids[row]:
            raise duplicate_document_error(ids[row])
    return order


def _postings(
    terms: array[int], lengths: npt.NDArray[np.int64], n_terms: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Scores]:
    """For each term where its list starts, the rows of its documents, and how often it occurs in each of them."""
    from scipy.sparse import csr_matrix

    starts: npt.NDArray[np.int64] = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    flat = np.frombuffer(terms, np.int32) if terms else np.zeros(0, np.int32)
    counts = csr_matrix((np.ones(len(flat), np.float32), flat, starts), shape=(len(lengths), n_terms))
    counts.sum_duplicates()
    by_term = counts.tocsc()
    return by_term.indptr.astype(np.int64), by_term.indices.astype(np.int32, copy=False), by_term.data


def _score(
    starts: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int32],
    counts: Scores,
    lengths: Floats,
    method: str,
    k1: float,
    b: float,
) -> None:
    """Turn counts into scores, in place and block by block."""
    if not len(rows):
        return
    n_having = np.diff(starts)
    idf_of = {n: IDF[method](n, len(lengths)) for n in np.unique(n_having).tolist() if n}
    idf = np.array([idf_of.get(n, 0.0) for n in n_having.tolist()], np.float32)
    norms = k1 * ((1 - b) + b * lengths / lengths.mean())
    first = 0
    while first < len(n_having):
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + ENTRIES_PER_BLOCK, "right")) - 1)
        some = slice(int(starts[first]), int(starts[last]))
        tf = counts[some]
        share = tf * np.float32(k1 + 1) if method == "atire" else tf
        counts[some] = np.repeat(idf[first:last], n_having[first:last]) * (share / (norms[rows[some]] + tf))
        first = last
