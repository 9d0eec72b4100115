"""Search: terms by words, ids with a typo, the term that a text names; and checks of expected terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from assay.ontology.ontology import UNKNOWN, Ontology
from assay.text import counted, words_of


class Match(NamedTuple):
    """A term that was found, and the name that matched."""

    number: int
    name: str
    is_label: bool


def search_terms(ontology: Ontology, phrase: str, most: int | None = 10) -> list[Match]:
    """Terms with a name in which every word of the phrase occurs, as a word or as the start of a word.

    Names that equal the phrase come first, then names with all words whole; labels before synonyms, short before long.
    """
    phrase_words = words_of(phrase)
    if not phrase_words:
        return []
    matches = sorted(_matches(ontology, phrase_words))
    best: dict[int, Match] = {}
    for *_, match in matches:
        best.setdefault(match.number, match)
    return list(best.values())[:most]


def near_ids(ontology: Ontology, text: str, most: int = 3) -> list[int]:
    """Terms with a similar id: `HP:1250` has no zeros, `HP:000125` no last digit. Empty if the text is not such an id."""
    space, _, local = text.strip().upper().replace("_", ":", 1).partition(":")
    if not (space and local.isascii() and local.isdecimal()):
        return []
    padded = [f"{space}:{local.zfill(width)}" for width in id_widths(ontology, space)]
    begun = sorted(id_ for id_ in ontology.ids if id_.startswith(f"{space}:{local}"))
    return [ontology.number[id_] for id_ in dict.fromkeys((*begun, *padded)) if id_ in ontology.number][:most]


def id_widths(ontology: Ontology, space: str) -> list[int]:
    """The number of digits of the ids with a prefix, such as 7 after `HP:`; several numbers if they differ."""
    return sorted({len(id_) - len(space) - 1 for id_ in ontology.ids if id_.startswith(f"{space}:")})


def _matches(ontology: Ontology, phrase_words: list[str]) -> Iterator[tuple[bool, bool, bool, int, int, Match]]:
    """Every name that matches, with its sort key."""
    for number, label in enumerate(ontology.labels):
        names = [label, *(synonym.text for synonym in ontology.synonyms_of(number))]
        for place, name in enumerate(names):
            if name.isascii() and phrase_words[0] not in name.lower():  # most names, without splitting them
                continue
            words = words_of(name)
            if all(any(word.startswith(begin) for word in words) for begin in phrase_words):
                is_whole = set(phrase_words) <= set(words)
                yield words != phrase_words, not is_whole, bool(place), len(words), number, Match(number, name, not place)


class Names:
    """All labels and synonyms of an ontology by their words; collected at the first use."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology

    @cached_property
    def _numbers(self) -> dict[tuple[str, ...], int]:
        """Words of a name → its term. A label takes precedence over synonyms, and an exact synonym over other synonyms."""
        ontology = self.ontology
        owner = [number for number in range(len(ontology)) for _ in ontology.synonyms_of(number)]
        synonyms = sorted(
            zip(ontology.synonyms, owner, strict=True), key=lambda pair: pair[0].scope != "EXACT"
        )  # the sort is stable
        numbers: dict[tuple[str, ...], int] = {}
        for name, number in (
            *zip(ontology.labels, range(len(ontology)), strict=True),
            *((synonym.text, number) for synonym, number in synonyms),
        ):
            numbers.setdefault(tuple(words_of(name)), number)
        numbers.pop((), None)
        return numbers

    @cached_property
    def _longest(self) -> int:
        """The number of words of the longest name."""
        return max(map(len, self._numbers), default=0)

    def longest_in(self, text: str) -> int:
        """The term whose name is in the text, with its words in order; of several, the one with the most words, then the
        most characters, then the first. -1 if there is none.
        """
        words, known = tuple(words_of(text)), self._numbers
        for size in range(min(len(words), self._longest), 0, -1):
            parts = [words[start : start + size] for start in range(len(words) - size + 1)]
            named = [part for part in parts if part in known]
            if named:
                return known[max(named, key=lambda part: sum(map(len, part)))]
        return UNKNOWN


@dataclass(frozen=True, slots=True)
class Case:
    """A query and its expected ids; the description may be empty."""

    name: str
    text: str
    expected: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class TermFault:
    """A fault of one expected id, or of the text of a case (then the id is empty)."""

    case: str
    id: str
    severity: str
    """error: the id is not a current term; warning: worth a look."""
    code: str
    """unknown, obsolete, replaced, alternative, label, or text."""
    what: str
    suggestion: str = ""

    def to_dict(self) -> dict[str, str]:
        """Plain values without empty fields."""
        named = ((name, getattr(self, name)) for name in ("case", "id", "severity", "code", "what", "suggestion"))
        return {name: value for name, value in named if value}


def check_cases(ontology: Ontology, cases: Iterable[Case]) -> list[TermFault]:
    """All faults, in the order of the cases. A case without a description is not compared with labels, and a case without
    text is not compared with other cases.
    """
    names, texts = Names(ontology), dict[str, str]()
    faults = []
    for case in cases:
        first = texts.setdefault(" ".join(case.text.casefold().split()), case.name)
        if case.text.strip() and first != case.name:
            faults.append(TermFault(case.name, "", "warning", "text", f"the text is the same as in {first}"))
        faults += [fault for id_ in case.expected for fault in _faults(ontology, names, case, id_)]
    return faults


def _faults(ontology: Ontology, names: Names, case: Case, id_: str) -> Iterator[TermFault]:
    resolved = ontology.find(id_)
    if resolved.number == UNKNOWN:
        yield TermFault(case.name, id_, "error", resolved.kind, resolved.note, _suggestion(ontology, names, case))
        return
    now = ontology.ids[resolved.number]
    named = f"{now} ({ontology.labels[resolved.number]})"
    if resolved.kind == "replaced":
        yield TermFault(case.name, id_, "error", "replaced", resolved.note, f"write {now}")
    elif resolved.kind == "alternative":
        yield TermFault(case.name, id_, "warning", "alternative", f"{id_} is an alternative id of {named}", f"write {now}")
    elif id_ != now:
        yield TermFault(case.name, id_, "warning", "alternative", f"{id_} is another spelling of {now}", f"write {now}")
    label = ontology.labels[resolved.number]
    if case.description and label and not _contains_label(case.description, label):
        what = f"the description does not contain the label of {id_}: {label}"
        yield TermFault(case.name, id_, "warning", "label", what, _other_suggestion(ontology, names, case, resolved.number))


def _contains_label(description: str, label: str) -> bool:
    """Whether a text contains the words of a label in order."""
    return f" {' '.join(words_of(label))} " in f" {' '.join(words_of(description))} "


def _suggestion(ontology: Ontology, names: Names, case: Case) -> str:
    """A term that the description or the query names; otherwise a term with all their words."""
    phrases = [phrase for phrase in (case.description, case.text) if phrase]
    for phrase in phrases:
        if (number := names.longest_in(phrase)) != UNKNOWN:
            return _as_question(ontology, number)
    for phrase in phrases:
        if matches := search_terms(ontology, phrase, 1):
            return _as_question(ontology, matches[0].number)
    return ""


def _other_suggestion(ontology: Ontology, names: Names, case: Case, number: int) -> str:
    """A term that the description names, if it is another term."""
    other = names.longest_in(case.description)
    return "" if other in (UNKNOWN, number) else _as_question(ontology, other)


def _as_question(ontology: Ontology, number: int) -> str:
    return f"{ontology.ids[number]} ({ontology.labels[number]})?"


MAX_IDS_NAMED = 5
"""The most ids in a note."""


def notes_on_ids(ontology: Ontology, ids: Iterable[str], kind: str) -> list[str]:
    """At most two sentences about ids of one kind, such as `expected`: replaced ids and unknown ids."""
    resolved = {id_: ontology.find(id_) for id_ in dict.fromkeys(ids) if id_ not in ontology.number}
    counts = Counter(term.kind for term in resolved.values())
    notes = []
    if n_replaced := counts["replaced"]:
        names = [f"{id_} → {ontology.ids[to.number]}" for id_, to in resolved.items() if to.kind == "replaced"]
        notes.append(
            f"{counted(n_replaced, f'{kind} id')} {'is' if n_replaced == 1 else 'are'} obsolete in {ontology.name},"
            f" and the replacement is used{_first_names(names)}."
        )
    if n_lost := counts["unknown"] + counts["obsolete"]:
        names = [id_ for id_, to in resolved.items() if to.kind in ("unknown", "obsolete")]
        notes.append(
            f"{counted(n_lost, f'{kind} id')} {'is not a current term' if n_lost == 1 else 'are not current terms'} of"
            f" {ontology.name} and {'has' if n_lost == 1 else 'have'} similarity 0 to every other id{_first_names(names)}."
        )
    return notes


def _first_names(names: list[str]) -> str:
    return f"{', such as' if len(names) > MAX_IDS_NAMED else ':'} {', '.join(names[:MAX_IDS_NAMED])}"
