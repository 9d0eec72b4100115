"""tfidf_chars: the pieces, their weights, and words that are spelt otherwise."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from assay.errors import BadParameter
from assay.model.records import Document, Query
from assay.providers.catalog import tfidf_chars
from assay.providers.catalog.tfidf_chars import pieces
from assay.text import words_of

from ._written import parse_provider


def test_pieces_of_a_word():
    assert list(pieces("cats", 3, 5)) == [" ca", "cat", "ats", "ts ", " cat", "cats", "ats ", " cats", "cats "]
    assert list(pieces("cat", 3, 5)) == [" ca", "cat", "at ", " cat", "cat ", " cat "]
    assert list(pieces("a", 3, 5)) == [" a "]
    assert list(pieces("a", 5, 6)) == [" a "]


def naive(texts, query):
    """Sublinear counts times smoothed idf, cosine, in plain Python."""

    def counts(text):
        return Counter(piece for word in words_of(text) for piece in pieces(word, 3, 5))

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


TEXTS = ["fever and more fever", "hyperkeratosis of the skin", "keratoses", "", "Hautverdickung", "b", "thickened skin skin"]


@pytest.mark.parametrize("query", ["skin", "hyper keratosis", "fevr", "b", "verdickte Haut", "qqqq"])
def test_as_a_naive_reference(query):
    retriever = parse_provider("tfidf_chars").make()
    retriever.index([Document(str(number), text) for number, text in enumerate(TEXTS)])
    hits = {hit.doc_id: hit.score for hit in retriever.search([Query("q", query)], 10)[0]}
    expected = {str(number): score for number, score in enumerate(naive(TEXTS, query)) if score > 0}
    assert hits == pytest.approx(expected, rel=1e-5)


def test_misspelt_and_compound_words_are_found():
    retriever = parse_provider("tfidf_chars").make()
    retriever.index([Document("a", "Hyperkeratose"), Document("b", "Schilddrüsenunterfunktion"), Document("c", "Fieber")])
    answers = retriever.search([Query("1", "Hyprkeratosen"), Query("2", "Unterfunktion der Schilddrüse")], 1)
    assert [hits[0].doc_id for hits in answers] == ["a", "b"]


def test_blocks_change_nothing(monkeypatch):
    retriever = parse_provider("tfidf_chars").make()
    retriever.index([Document(str(number), text) for number, text in enumerate(TEXTS)])
    queries = [Query(str(number), text) for number, text in enumerate([*TEXTS, "skins", "fevers"])]
    at_once = retriever.search(queries, 3)
    monkeypatch.setattr(tfidf_chars, "SCORES_AT_ONCE", 14)
    assert retriever.search(queries, 3) == at_once


def test_lengths_the_wrong_way_round():
    with pytest.raises(BadParameter, match="low=4 is above high=3"):
        parse_provider("tfidf_chars(low=4, high=3)").make()
