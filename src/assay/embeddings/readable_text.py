"""Readable text: which texts an embedding model reads badly, because they are in capitals or in a script without tokens.

The vocabulary of a small model has most words of a few languages, in lower case. It splits capitals, and words of other
scripts, into single letters or bytes, and these have no meaning.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from assay.text import counted

CAPITALS_SHARE = 0.95
"""The least share of capitals among the letters of a text in capitals. "mg" or "pH" may stay as they are."""
LONG_WORD, LONG_TEXT = re.compile(r"[^\W\d_]{6}"), 16
"""A word of at least six letters, or so many letters in all: a shorter text in capitals is probably an acronym or two."""
SMALL_LETTERS = bytes(range(ord("a"), ord("z") + 1))
SPELLED_SHARE = 0.5
"""The least share of letters that are spelled one by one, or byte by byte, in a text that a model hardly knows."""
NOTED_SHARE = 0.1
"""The least share of queries with such a text that is worth a note: a few odd words occur in every benchmark."""
BYTE_TOKEN = re.compile(r"<0x[0-9A-F]{2}>")
WORD_START = "\u2581"
"""The character that tokenizers write for the blank before a word."""

Tokens = Callable[[str], Sequence[str]]
"""A text → its tokens as text."""


def in_capitals(text: str) -> bool:
    """Whether nearly all letters of a text are capitals, and it is too long to be an acronym."""
    content = text.encode("utf-8", "replace")
    n_small = len(content) - len(content.translate(None, SMALL_LETTERS))
    if n_small > (1 - CAPITALS_SHARE) * len(text) or text == text.lower():
        return False  # this decides about nearly all texts, and much faster than the count below
    letters = [character for character in text if character.isupper() or character.islower()]
    n_capitals = sum(map(str.isupper, letters))
    is_long = len(letters) >= LONG_TEXT or LONG_WORD.search(text) is not None
    return is_long and n_capitals >= CAPITALS_SHARE * len(letters)


def without_capitals(text: str) -> str:
    """A text in capitals in lower case; every other text unchanged, because capitals may have a meaning there."""
    return text.lower() if in_capitals(text) else text


def is_spelled(text: str, tokens: Tokens) -> bool:
    """Whether a model has no longer token than one letter for most letters of a text."""
    letters = sum(map(_is_letter, text))
    return letters > 0 and _spelled_letters(tokens(text)) >= SPELLED_SHARE * letters


def _spelled_letters(tokens: Iterable[str]) -> float:
    """Letters that are a token of their own; three bytes count as a letter, which is right for most scripts."""
    n_letters = n_bytes = 0
    for token in tokens:
        piece = token.lstrip(WORD_START)
        n_letters += len(piece) == 1 and _is_letter(piece)
        n_bytes += BYTE_TOKEN.fullmatch(piece) is not None
    return n_letters + n_bytes / 3


def _is_letter(character: str) -> bool:
    """Whether it is a letter, or a mark that belongs to one, as for the vowels of Devanagari."""
    return unicodedata.category(character)[0] in "LM"


def note_on_capitals(texts: Sequence[str]) -> list[str]:
    """A note on queries in capitals."""
    n = sum(map(in_capitals, texts))
    if not n:
        return []
    are, were = ("is", "it was") if n == 1 else ("are", "they were")
    return [f"{counted(n, 'query')} {are} in capitals; {were} embedded in lower case."]


def note_on_scripts(texts: Sequence[str], tokens: Tokens) -> list[str]:
    """A note on queries that a model splits into letters. Only texts with other letters than English ones are tokenized."""
    unusual = [text for text in texts if any(character > "\x7f" and _is_letter(character) for character in text)]
    if not unusual or len(unusual) < NOTED_SHARE * len(texts):
        return []
    spelled = [text for text in unusual if is_spelled(without_capitals(text), tokens)]
    if len(spelled) < NOTED_SHARE * len(texts):
        return []
    n, scripts = f"{len(spelled):,} of {counted(len(texts), 'query')}", ", ".join(_scripts(spelled))
    are = "is" if len(spelled) == 1 else "are"
    known = f"{n} {are} in a script or language that its model hardly knows ({scripts}), so it splits words into letters"
    return [f"{known}. Expect poor results, or use another model (model=…), bm25 or tfidf_chars."]


def _scripts(texts: Iterable[str]) -> list[str]:
    """The scripts of most letters in these texts, by their names in Unicode: Greek, Devanagari, CJK."""
    letters = Counter(character for text in texts for character in text if _is_letter(character))
    scripts: Counter[str] = Counter()
    for letter, n in letters.items():
        name = unicodedata.name(letter, "").partition(" ")[0]
        scripts[name if name == "CJK" else name.capitalize()] += n
    return [name for name, n in scripts.most_common(3) if name and n >= NOTED_SHARE * scripts.total()]
