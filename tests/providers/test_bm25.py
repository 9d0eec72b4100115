"""bm25: the formula, words in many languages, and the numbers of bm25s itself."""

import logging
import math

import bm25s
import pytest
import Stemmer

from assay import Document, Query
from assay.errors import BadParameter, ProviderError

from ._asking import provider, ready


def found(text, documents, query, k=10):
    retriever = ready(text, [Document(f"d{number}", content) for number, content in enumerate(documents)])
    return {hit.doc_id: hit.score for hit in retriever.search([Query("q", query)], k)[0]}


def test_a_worked_example():
    """Two documents of 2 and 4 words; `cat` stands in one, twice: idf = ln(1 + 1.5/1.5), b and k1 as usual."""
    scores = found("bm25", ["dog house", "cat cat tree leaf"], "cat")
    idf, k1, b = math.log(2), 1.5, 0.75
    assert scores == {"d1": pytest.approx(idf * 2 / (2 + k1 * (1 - b + b * 4 / 3)), rel=1e-6)}
    once = found("bm25(k1=0, b=0)", ["cat", "cat cat cat", "dog"], "cat")
    assert once["d0"] == once["d1"]


def test_the_scores_are_those_of_bm25s(caplog):
    texts = [f"running runners {'ran ' * (n % 5)} house{n % 7} the tree{n % 3}" for n in range(60)]
    with caplog.at_level(logging.DEBUG):
        scores = found("bm25(k1=0.9, b=0.4)", texts, "runs to house3 tree1", 60)
    assert [record for record in caplog.records if record.name == "bm25s"] == []
    snowball = Stemmer.Stemmer("english")
    bare = bm25s.BM25(k1=0.9, b=0.4)
    bare.index(bm25s.tokenize(texts, stopwords="en", stemmer=snowball, show_progress=False), show_progress=False)
    asked = bm25s.tokenize(["runs to house3 tree1"], stopwords="en", stemmer=snowball, show_progress=False)
    rows, expected = bare.retrieve(asked, k=60, show_progress=False)
    known = {f"d{row}": float(score) for row, score in zip(rows[0], expected[0], strict=True) if score > 0}
    assert scores == pytest.approx(known, rel=1e-5)


def test_words_are_stemmed_and_stop_words_left_out():
    documents = ["the houses", "of the"]
    assert set(found("bm25", documents, "the house")) == {"d0"}
    assert set(found("bm25(stem=false)", documents, "the house")) == set()
    assert set(found("bm25(stopwords=false)", documents, "the house")) == {"d0", "d1"}
    assert set(found("bm25", ["he jumps"], "jumping")) == {"d0"}, "a form that no document has is stemmed too"


def test_each_language_has_its_own_forms_and_stop_words():
    for language, document, query in (
        ("de", "Die GROSSEN Häuser", "großes Haus"),
        ("fr", "les chevaux nationaux", "nationale"),
        ("es", "las canciones", "canción"),
        ("nl", "de huizen", "huis"),
        ("tr", "kitaplar", "kitap"),
        ("german", "Hunde", "Hund"),
        ("zh", "北京的天气", "天气"),
    ):
        assert set(found(f"bm25(language={language})", [document, "xyz"], query)) == {"d0"}, language
    assert found("bm25(language=de)", ["dass für daß"], "daß für") == {}


def test_impossible_parameters(monkeypatch):
    for text in ("bm25(language=xx)", "bm25(k1=-1)", "bm25(b=2)", "bm25(stem=perhaps)", "bm25(method=x)"):
        with pytest.raises(BadParameter):
            provider(text)
    monkeypatch.setattr(Stemmer, "algorithms", lambda: ["english"])
    with pytest.raises(ProviderError, match="stem=false"):
        found("bm25(language=de)", ["x"], "x")
