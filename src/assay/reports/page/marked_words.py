"""Marked words: the words of a query in the text of a document, and the part of the text that has the first of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from assay.text import is_unseparated, printable, word_places, words_of

MIN_LETTERS = 3
"""A shorter word is marked only if the query has no longer word."""
MIN_STEM, MAX_ENDING = 4, 2
"""A word also matches with an ending of up to two letters, if it has at least four."""
_COMMON = """
    about after all also and any are ask been but can could did does for from get had has have her him his how its just
    many may more most much must not now off one only other our out over own said she should some such than that the their
    them then there these they this was were what when where which who whom whose why will with would you your
    aber als auch auf aus bei das dass dem den der des die ein eine einem einen einer eines für hat ich ihr ist man mit
    nach nicht noch nur oder sich sie sind über und uns vom von vor war was wenn wer werden wie wird wo zum zur
    aux avec ces comme dans des elle est être les leur mais nous par pas plus pour quand que quel quelle qui sans ses son
    sont sur une vous
    como con cual cuando del donde ella entre esta este esto las los más para pero por que qué quien ser sin sobre son sus
    una uno
    aan bij dan dat deze dit door een geen het hoe ik kan maar met naar niet ook onder over tot uit van voor waar wat wel
    wie worden zijn
"""


def _folded(word: str) -> str:
    """A word without case, accents and compatibility forms; marks of other scripts stay, because they are letters there."""
    if word.isascii():
        return word.lower()
    plain = words_of(word)
    apart = unicodedata.normalize("NFD", plain[0] if len(plain) == 1 else word.casefold())
    return unicodedata.normalize("NFC", "".join(letter for letter in apart if not "\u0300" <= letter <= "\u036f"))


COMMON = frozenset(map(_folded, _COMMON.split()))
"""Words of English, German, French, Spanish and Dutch that say little about a topic."""
LEAD = 40
"""Characters before the first marked word, if the text is cut at its beginning."""


MAX_SEARCHED = 20_000
"""Characters of a document that are searched for words of the query."""


class Piece(NamedTuple):
    """A piece of a text."""

    text: str
    is_marked: bool = False


@dataclass(frozen=True)
class Terms:
    """The words of a query, folded: without case and accents. Scripts without spaces match by two characters in a row."""

    words: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    stems: frozenset[str] = field(default=frozenset(), repr=False)
    """The first letters of each long word, to find words with another ending quickly."""

    @classmethod
    def of(cls, query: str) -> Terms:
        """The terms of a query."""
        plain = [_folded(query[start:end]) for start, end in word_places(query)]
        separated = [word for word in plain if not is_unseparated(word)]
        long = [word for word in separated if len(word) >= MIN_LETTERS and word not in COMMON]
        letters = [word if is_unseparated(word) else "" for word in plain]
        pairs = {first + second for first, second in pairwise(letters) if first and second}
        chosen = frozenset(long or [word for word in separated if word not in COMMON] or separated)
        return cls(chosen, frozenset(pairs), frozenset(word[:MIN_STEM] for word in chosen if len(word) >= MIN_STEM))

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of each matching word of a text."""
        spans = list(word_places(text))
        plain = [_folded(text[start:end]) for start, end in spans]
        for number, (word, span) in enumerate(zip(plain, spans, strict=True)):
            around = (plain[number - 1] + word if number else "", word + "".join(plain[number + 1 : number + 2]))
            if any(pair in self.pairs for pair in around) if is_unseparated(word) else self._has(word):
                yield span

    def _has(self, word: str) -> bool:
        if word in self.words:
            return True
        if len(word) < MIN_STEM or word[:MIN_STEM] not in self.stems:
            return False
        return any(
            min(len(word), len(known)) >= MIN_STEM
            and abs(len(word) - len(known)) <= MAX_ENDING
            and (word.startswith(known) or known.startswith(word))
            for known in self.words
        )


def marked(text: str, terms: Terms, most: int) -> tuple[Piece, ...]:
    """The text in pieces, at most so many characters of it: its beginning, or the part with the first marked word."""
    plain = " ".join(text[:MAX_SEARCHED].split())
    places = list(terms.places(plain))
    start = _start(plain, places, most)
    end = min(len(plain), start + most)
    pieces, done = [Piece("…")] if start else [], start
    for first, last in places:
        if first >= done and last <= end:
            pieces += [Piece(plain[done:first]), Piece(plain[first:last], is_marked=True)]
            done = last
    pieces += [Piece(plain[done:end].rstrip() if end < len(plain) else plain[done:]), Piece("…" if end < len(plain) else "")]
    return tuple(Piece(printable(piece.text), piece.is_marked) for piece in _joined(pieces))


def _start(text: str, places: Sequence[tuple[int, int]], most: int) -> int:
    """Where the shown part starts: at the beginning, unless the first marked word is further down."""
    if len(text) <= most or not places or places[0][1] <= most:
        return 0
    start = min(max(0, places[0][0] - LEAD), len(text) - most)
    blank = text.find(" ", start, places[0][0])
    return blank + 1 if blank >= 0 else start


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces without empty ones; neighbours of one kind are joined."""
    whole = [piece for piece in pieces if piece.text]
    number = 0
    while number < len(whole):
        piece = whole[number]
        while number + 1 < len(whole) and whole[number + 1].is_marked == piece.is_marked:
            piece = Piece(piece.text + whole[number + 1].text, piece.is_marked)
            number += 1
        yield piece
        number += 1
