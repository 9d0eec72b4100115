"""check_cases: whether the terms that queries expect exist, are current, and are those that their descriptions name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.ontology._names import Names
from assay.ontology._ontology import UNKNOWN, Ontology
from assay.ontology._search import search_terms
from assay.text import words_of


@dataclass(frozen=True, slots=True)
class Case:
    """A query and the ids it expects; the description is empty where there is none."""

    name: str
    text: str
    expected: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class TermFault:
    """What is wrong with one expected id, or with the text of a case: then there is no id."""

    case: str
    id: str
    severity: str
    """error: it stands for no current term, or for an obsolete one; warning: worth a look."""
    code: str
    """unknown, obsolete, replaced, alternative, label, or text."""
    what: str
    suggestion: str = ""

    def to_dict(self) -> dict[str, str]:
        """Plain values; what is not known is left out."""
        named = ((name, getattr(self, name)) for name in ("case", "id", "severity", "code", "what", "suggestion"))
        return {name: value for name, value in named if value}


def check_cases(ontology: Ontology, cases: Iterable[Case]) -> list[TermFault]:
    """Everything that is wrong, in the order of the cases. A case without a description is not held against labels, and
    one without a text is like no other.
    """
    names, texts = Names(ontology), dict[str, str]()
    found = []
    for case in cases:
        first = texts.setdefault(" ".join(case.text.casefold().split()), case.name)
        if case.text.strip() and first != case.name:
            found.append(TermFault(case.name, "", "warning", "text", f"the text is that of {first} as well"))
        found += [fault for one in case.expected for fault in _faults(ontology, names, case, one)]
    return found


def _faults(ontology: Ontology, names: Names, case: Case, one: str) -> Iterator[TermFault]:
    found = ontology.find(one)
    if found.number == UNKNOWN:
        yield TermFault(case.name, one, "error", found.kind, found.note, _suggestion(ontology, names, case))
        return
    now = ontology.ids[found.number]
    named = f"{now} ({ontology.labels[found.number]})"
    if found.kind == "replaced":
        yield TermFault(case.name, one, "error", "replaced", found.note, f"write {now}")
    elif found.kind == "alternative":
        yield TermFault(case.name, one, "warning", "alternative", f"{one} is an alternative id of {named}", f"write {now}")
    elif one != now:
        yield TermFault(case.name, one, "warning", "alternative", f"{one} is another spelling of {now}", f"write {now}")
    label = ontology.labels[found.number]
    if case.description and label and not _states(case.description, label):
        what = f"the description does not state the label of {one}: {label}"
        yield TermFault(case.name, one, "warning", "label", what, _other(ontology, names, case, found.number))


def _states(description: str, label: str) -> bool:
    """Whether a text has the words of a label one after the other."""
    return f" {' '.join(words_of(label))} " in f" {' '.join(words_of(description))} "


def _suggestion(ontology: Ontology, names: Names, case: Case) -> str:
    """A term that the description or the query's own words name; else one that has all their words."""
    phrases = [phrase for phrase in (case.description, case.text) if phrase]
    for phrase in phrases:
        if (number := names.longest_in(phrase)) != UNKNOWN:
            return _asked(ontology, number)
    for phrase in phrases:
        if matches := search_terms(ontology, phrase, 1):
            return _asked(ontology, matches[0].number)
    return ""


def _other(ontology: Ontology, names: Names, case: Case, number: int) -> str:
    """A term that the description names, if that is another one."""
    other = names.longest_in(case.description)
    return "" if other in (UNKNOWN, number) else _asked(ontology, other)


def _asked(ontology: Ontology, number: int) -> str:
    return f"{ontology.ids[number]} ({ontology.labels[number]})?"
