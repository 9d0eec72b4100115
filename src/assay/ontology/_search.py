"""search_terms: terms whose label or synonyms have all the words of a phrase."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.ontology._ontology import Ontology
from assay.text import words_of


class Match(NamedTuple):
    """A term that was found, and the name of it that was."""

    number: int
    name: str
    is_label: bool


def search_terms(ontology: Ontology, phrase: str, most: int | None = 10) -> list[Match]:
    """Terms that have every word of the phrase in one of their names, or begin a word with it.

    First come names that are the phrase, then those with all words whole; labels before synonyms, short names before long.
    """
    wanted = words_of(phrase)
    if not wanted:
        return []
    found = sorted(_matches(ontology, wanted))
    best: dict[int, Match] = {}
    for *_, match in found:
        best.setdefault(match.number, match)
    return list(best.values())[:most]


def near_ids(ontology: Ontology, text: str, most: int = 3) -> list[int]:
    """Terms whose id may have been meant: `HP:1250` lacks its zeros, `HP:000125` its end. None for what is no such id."""
    space, _, local = text.strip().upper().replace("_", ":", 1).partition(":")
    if not (space and local.isascii() and local.isdecimal()):
        return []
    padded = [f"{space}:{local.zfill(width)}" for width in id_widths(ontology, space)]
    begun = sorted(one for one in ontology.ids if one.startswith(f"{space}:{local}"))
    return [ontology.number[one] for one in dict.fromkeys((*begun, *padded)) if one in ontology.number][:most]


def id_widths(ontology: Ontology, space: str) -> list[int]:
    """How many digits the ids of a space have, such as 7 after `HP:`; several numbers where they differ."""
    return sorted({len(one) - len(space) - 1 for one in ontology.ids if one.startswith(f"{space}:")})


def _matches(ontology: Ontology, wanted: list[str]) -> Iterator[tuple[bool, bool, bool, int, int, Match]]:
    """Every name that fits, with what it is sorted by."""
    for number, label in enumerate(ontology.labels):
        names = [label, *(one.text for one in ontology.synonyms_of(number))]
        for place, name in enumerate(names):
            if name.isascii() and wanted[0] not in name.lower():  # most names: no need to take their words apart
                continue
            words = words_of(name)
            if all(any(word.startswith(one) for word in words) for one in wanted):
                is_whole = set(wanted) <= set(words)
                yield words != wanted, not is_whole, bool(place), len(words), number, Match(number, name, not place)
