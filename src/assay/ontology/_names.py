"""Names: which term a text names in so many words."""

from __future__ import annotations

from functools import cached_property

from assay.ontology._ontology import UNKNOWN, Ontology
from assay.text import words_of


class Names:
    """All labels and synonyms of an ontology by their words; they are gathered when somebody asks."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology

    @cached_property
    def _numbers(self) -> dict[tuple[str, ...], int]:
        """Words of a name → its term. A label goes before a synonym of another term, an exact one before others."""
        ontology = self.ontology
        owner = [number for number in range(len(ontology)) for _ in ontology.synonyms_of(number)]
        synonyms = sorted(
            zip(ontology.synonyms, owner, strict=True), key=lambda pair: pair[0].scope != "EXACT"
        )  # the sort is stable
        found: dict[tuple[str, ...], int] = {}
        for name, number in (
            *zip(ontology.labels, range(len(ontology)), strict=True),
            *((synonym.text, number) for synonym, number in synonyms),
        ):
            found.setdefault(tuple(words_of(name)), number)
        found.pop((), None)
        return found

    @cached_property
    def _longest(self) -> int:
        """Words of the longest name."""
        return max(map(len, self._numbers), default=0)

    def longest_in(self, text: str) -> int:
        """The term whose name is in the text, words one after the other; of several the one with the most words, then
        the most letters, then the first. -1 where none is.
        """
        words, known = tuple(words_of(text)), self._numbers
        for size in range(min(len(words), self._longest), 0, -1):
            parts = [words[start : start + size] for start in range(len(words) - size + 1)]
            named = [part for part in parts if part in known]
            if named:
                return known[max(named, key=lambda part: sum(map(len, part)))]
        return UNKNOWN
