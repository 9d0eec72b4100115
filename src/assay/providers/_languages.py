"""Languages: how words are stemmed, and which ones say nothing."""

from __future__ import annotations

from collections.abc import Callable

from assay.errors import ProviderError
from assay.grammar import one_of
from assay.providers._extras import needed
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
"""A code of two letters, or the name in English."""


def stemmer(code: str) -> Callable[[str], str]:
    """Word → stem; where the language has no stemmer, the word itself."""
    if code in WITHOUT_STEMMER:
        return str
    snowball = needed("bm25", "Stemmer", INSTALL)
    if LANGUAGES[code] not in snowball.algorithms():
        raise ProviderError(f"bm25: this PyStemmer knows no {LANGUAGES[code]}: pip install -U PyStemmer, or set stem=false")
    return snowball.Stemmer(LANGUAGES[code], 0).stemWord


def stop_words(code: str) -> set[str]:
    """Words that say nothing, as texts are split; none where no list is known."""
    if code not in WITH_STOP_WORDS:
        return set()
    lists = needed("bm25", "bm25s", INSTALL).stopwords
    known = getattr(lists, "STOPWORDS_EN" if code == "en" else f"STOPWORDS_{LANGUAGES[code].upper()}")
    return {words[0] for word in known if len(words := words_of(word)) == 1}
