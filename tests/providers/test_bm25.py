"""bm25: the formula, words in many languages, and the numbers of bm25s itself."""

from __future__ import annotations

import logging
import math

import bm25s
import pytest
import Stemmer

from assay.errors import BadParameter, ProviderError
from assay.model.records import Document, Query
from assay.providers.catalog.bm25 import LANGUAGES, stemmer, stop_words

from ._written import parse_provider


def found(text, documents, query, k=10):
    retriever = parse_provider(text).make()
    retriever.index([Document(f"d{number}", content) for number, content in enumerate(documents)])
    return {hit.doc_id: hit.score for hit in retriever.search([Query("q", query)], k)[0]}


def test_a_worked_example():
    """Two documents of 2 and 4 words; `cat` stands in one, twice: idf = ln(1 + 1.5/1.5), b and k1 as usual."""
    scores = found("bm25", ["dog house", "cat cat tree leaf"], "cat")
    idf, k1, b = math.log(2), 1.5, 0.75
    assert scores == {"d1": pytest.approx(idf * 2 / (2 + k1 * (1 - b + b * 4 / 3)), rel=1e-6)}


def test_k1_0_counts_a_word_once():
    scores = found("bm25(k1=0, b=0)", ["cat", "cat cat cat", "dog"], "cat")
    assert scores["d0"] == scores["d1"]


def test_the_scores_are_those_of_bm25s():
    texts = [f"running runners {'ran ' * (n % 5)} house{n % 7} the tree{n % 3}" for n in range(60)]
    scores = found("bm25(k1=0.9, b=0.4)", texts, "runs to house3 tree1", 60)
    snowball = Stemmer.Stemmer("english")
    bare = bm25s.BM25(k1=0.9, b=0.4)
    bare.index(bm25s.tokenize(texts, stopwords="en", stemmer=snowball, show_progress=False), show_progress=False)
    asked = bm25s.tokenize(["runs to house3 tree1"], stopwords="en", stemmer=snowball, show_progress=False)
    rows, expected = bare.retrieve(asked, k=60, show_progress=False)
    assert scores == pytest.approx(
        {f"d{row}": float(score) for row, score in zip(rows[0], expected[0], strict=True) if score > 0}, rel=1e-5
    )


def test_words_are_stemmed_and_stop_words_left_out():
    documents = ["the houses", "of the"]
    assert set(found("bm25", documents, "the house")) == {"d0"}
    assert set(found("bm25(stem=false)", documents, "the house")) == set()
    assert set(found("bm25(stopwords=false)", documents, "the house")) == {"d0", "d1"}


def test_a_form_that_no_document_has_is_stemmed_too():
    assert set(found("bm25", ["he jumps"], "jumping")) == {"d0"}


@pytest.mark.parametrize(
    ("language", "document", "query"),
    [
        ("de", "Die GROSSEN Häuser", "großes Haus"),
        ("fr", "les chevaux nationaux", "nationale"),
        ("es", "las canciones", "canción"),
        ("nl", "de huizen", "huis"),
        ("tr", "kitaplar", "kitap"),
        ("german", "Hunde", "Hund"),
        ("zh", "北京的天气", "天气"),
    ],
)
def test_each_language_has_its_own_forms(language, document, query):
    assert set(found(f"bm25(language={language})", [document, "xyz"], query)) == {"d0"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_can_be_used(language):
    assert isinstance(stemmer(language)("wort"), str)
    assert "" not in stop_words(language)


def test_stop_words_are_folded_as_texts_are():
    assert {"für", "dass"} <= stop_words("de")
    assert "daß" not in stop_words("de")


def test_titles_count_and_equal_scores_go_by_id():
    retriever = parse_provider("bm25").make()
    retriever.index([Document("a", "dog", title="fox"), Document("c", "dog", title="fox"), Document("b", "fox dog")])
    assert [hit.doc_id for hit in retriever.search([Query("q", "fox")], 2)[0]] == ["c", "b"]


def test_nothing_is_logged(caplog):
    with caplog.at_level(logging.DEBUG):
        found("bm25", ["dog"], "dog")
    assert [record for record in caplog.records if record.name == "bm25s"] == []


@pytest.mark.parametrize("text", ["bm25(language=xx)", "bm25(k1=-1)", "bm25(b=2)", "bm25(stem=perhaps)", "bm25(method=x)"])
def test_impossible_parameters(text):
    with pytest.raises(BadParameter):
        parse_provider(text)


def test_a_stemmer_that_an_old_package_lacks(monkeypatch):
    monkeypatch.setattr(Stemmer, "algorithms", lambda: ["english"])
    with pytest.raises(ProviderError, match="stem=false"):
        found("bm25(language=de)", ["x"], "x")
