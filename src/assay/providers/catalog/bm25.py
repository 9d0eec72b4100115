"""bm25: the words that query and document share, weighted by their rarity and by the length of the document."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from assay.array_file import Arrays
from assay.errors import ProviderError
from assay.grammar import Param, flag, fraction, not_negative, one_of
from assay.model import Document, Hit, Query
from assay.providers.bm25_index import Bm25Index, build_arrays
from assay.providers.index_cache import cached_arrays, installed_version
from assay.providers.loading import check_installed, import_package
from assay.providers.nearest import best_of
from assay.providers.packed_texts import TextNumbers
from assay.providers.provider import Provider, hits_of_ids
from assay.providers.reporting import CountedDocuments, counted_items
from assay.providers.retriever import not_indexed_error
from assay.text import words_of

LANGUAGES = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "ko": "korean", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish", "zh": "chinese",
}  # fmt: skip
"""Code → name."""
WITHOUT_STEMMER = {"ko", "zh"}
WITH_STOP_WORDS = {"da", "de", "en", "es", "fr", "it", "ko", "nl", "no", "pt", "ru", "sv", "tr", "zh"}
INSTALL = "pip install bm25s PyStemmer"

language = one_of(*LANGUAGES, **{name: code for code, name in LANGUAGES.items()})
"""A two-letter code, or the English name."""


def stemmer(code: str) -> Callable[[str], str]:
    """Word → stem; the word itself if the language has no stemmer."""
    if code in WITHOUT_STEMMER:
        return str
    snowball = import_package("bm25", "Stemmer", INSTALL)
    if LANGUAGES[code] not in snowball.algorithms():
        raise ProviderError(
            f"bm25: the installed PyStemmer does not support {LANGUAGES[code]}. "
            "Run pip install -U PyStemmer, or set stem=false"
        )
    return snowball.Stemmer(LANGUAGES[code], 0).stemWord


def stop_words(code: str) -> set[str]:
    """The stop words, split like texts; empty if the language has no list."""
    if code not in WITH_STOP_WORDS:
        return set()
    lists = import_package("bm25", "bm25s", INSTALL).stopwords
    known = getattr(lists, "STOPWORDS_EN" if code == "en" else f"STOPWORDS_{LANGUAGES[code].upper()}")
    return {words[0] for word in known if len(words := words_of(word)) == 1}


class TermNumbers(dict[str, int]):
    """Word → number of its term; -1 for a stop word and, once the terms are fixed, for a word that is not among them."""

    def __init__(self, stem: Callable[[str], str], stop: Iterable[str], fixed: TextNumbers | None = None) -> None:
        super().__init__(dict.fromkeys(stop, -1))
        self.stem = stem
        self.terms: dict[str, int] = {}
        self.fixed = fixed

    def __missing__(self, word: str) -> int:
        term = self.stem(word)
        fixed = self.fixed
        number = self.terms.setdefault(term, len(self.terms)) if fixed is None else fixed.get(term, -1)
        self[word] = number
        return number

    def of(self, text: str) -> list[int]:
        """The terms of a text, in order and with repetitions."""
        return [number for number in map(self.__getitem__, words_of(text)) if number >= 0]


class Bm25:
    """An index over Unicode words, with the scores of bm25s. It finds only documents that share a word with the query."""

    def __init__(self, cache: str = "", **settings: Any) -> None:
        check_installed("bm25", "bm25s", INSTALL)
        check_installed("bm25", "Stemmer", INSTALL)
        self.cache, self.settings = cache, settings
        self._index: Bm25Index | None = None

    def index(self, documents: Iterable[Document]) -> None:
        """Count the words of each document's title and text, unless the index is cached."""
        self._index = Bm25Index(cached_arrays(self.cache, "bm25", documents, self._decided_by, self._build))
        self._numbers = self._term_numbers(self._index.terms)

    def _decided_by(self) -> dict[str, Any]:
        """Settings and versions that decide the index, in addition to the documents."""
        packages = {name: installed_version(name) for name in ("bm25s", "PyStemmer")}
        return {"settings": self.settings, "packages": {**packages, "unicode": unicodedata.unidata_version}}

    def _build(self, documents: Iterable[Document]) -> Arrays:
        numbers = self._term_numbers()
        counted = documents if isinstance(documents, CountedDocuments) else counted_items(list(documents))
        formula = {name: self.settings[name] for name in ("method", "k1", "b")}
        return build_arrays(counted, numbers.of, numbers.terms, **formula)

    def _term_numbers(self, fixed: TextNumbers | None = None) -> TermNumbers:
        chosen = self.settings
        stem = stemmer(chosen["language"]) if chosen["stem"] else str
        return TermNumbers(stem, stop_words(chosen["language"]) if chosen["stopwords"] else (), fixed)

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """For each query up to k documents with a score above 0."""
        if self._index is None:
            raise not_indexed_error("bm25")
        return [self._search(self._index, query.text, k) for query in queries]

    def _search(self, index: Bm25Index, text: str, k: int) -> list[Hit]:
        numbers = self._numbers.of(text)
        if not numbers:
            return []
        scores = index.scores_of(numbers)
        matching = np.flatnonzero(scores > 0)
        rows, best = best_of(matching, scores[matching], k)
        return hits_of_ids([index.ids[row] for row in rows.tolist()], best.tolist())


PROVIDER = Provider(
    "bm25",
    "words that query and document share, weighted by rarity and by document length (BM25)",
    Bm25,
    params=(
        Param("k1", not_negative, 1.5, "term frequency saturation; 0: repetitions of a word do not count"),
        Param("b", fraction, 0.75, "length normalisation, from 0 (none) to 1 (full)"),
        Param(
            "method", one_of("lucene", "robertson", "atire"), "lucene", "variant of the formula: lucene, robertson or atire"
        ),
        Param("language", language, "en", "language of stemmer and stop words: en, de, fr, es, nl …", aliases=("lang",)),
        Param("stem", flag, True, "reduce words to their stems"),
        Param("stopwords", flag, True, "ignore stop words, if there is a list for the language"),
        Param("cache", str, "", "folder in which the index is cached; empty: no cache", is_later=True),
    ),
    is_repeatable=True,
)
