"""tfidf_chars: the pieces, their weights, and words that are spelt otherwise."""

import math
from collections import Counter

import pytest

from assay import Document, Query

from ._asking import ready

TEXTS = ["fever and more fever", "hyperkeratosis of the skin", "keratoses", "", "Hautverdickung", "b", "thickened skin skin"]


def pieces(word, low, high):
    """Every piece of a word with a space at each end; the whole, where it is shorter."""
    spaced = f" {word} "
    sizes = [size for size in range(low, high + 1) if size <= len(spaced)] or [len(spaced)]
    return [spaced[start : start + size] for size in sizes for start in range(len(spaced) - size + 1)]


def naive(texts, query, low, high):
    """Sublinear counts times smoothed idf, cosine, in plain Python."""

    def counts(text):
        return Counter(piece for word in text.casefold().split() for piece in pieces(word, low, high))

    counted = [counts(text) for text in texts]
    having = Counter(piece for one in counted for piece in one)

    def weights(one):
        weighed = {
            piece: (1 + math.log(count)) * (math.log((1 + len(texts)) / (1 + having[piece])) + 1)
            for piece, count in one.items()
            if piece in having
        }
        length = math.sqrt(sum(value**2 for value in weighed.values())) or 1
        return {piece: value / length for piece, value in weighed.items()}

    asked = weights(counts(query))
    return [sum(value * asked.get(piece, 0) for piece, value in weights(one).items()) for one in counted]


def test_as_a_naive_reference():
    for low, high in ((3, 5), (2, 3), (5, 6)):
        retriever = ready(f"tfidf_chars(low={low}, high={high})", [Document(str(n), text) for n, text in enumerate(TEXTS)])
        for query in ("skin", "hyper keratosis", "fevr", "b", "verdickte Haut", "qqqq"):
            hits = {hit.doc_id: hit.score for hit in retriever.search([Query("q", query)], 10)[0]}
            scores = enumerate(naive(TEXTS, query, low, high))
            assert hits == pytest.approx({str(n): score for n, score in scores if score > 0}, rel=1e-5), (low, query)
