"""Ontology: the terms of an ontology as flat arrays, numbered so that parents come before children; built from records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import DataError
from assay.ontology.ancestors import Ancestors, ancestors_of
from assay.text import counted, some_of

UNKNOWN = -1
"""The number of an id that is no term, or no current one."""


class Synonym(NamedTuple):
    """Another name, and how close it is: EXACT, BROAD, NARROW or RELATED."""

    text: str
    scope: str = "EXACT"


class Obsolete(NamedTuple):
    """A term that is no longer used."""

    label: str = ""
    replaced_by: tuple[str, ...] = ()
    consider: tuple[str, ...] = ()


class ResolvedTerm(NamedTuple):
    """What an id stands for."""

    number: int
    """The current term; -1 where there is none."""
    note: str = ""
    """What to tell the user: that the id is obsolete or unknown; empty where all is well."""
    kind: str = "current"
    """current, alternative, replaced, obsolete (without a replacement) or unknown."""


class Term(NamedTuple):
    """All about one term."""

    id: str
    label: str
    definition: str
    synonyms: tuple[Synonym, ...]
    parents: tuple[str, ...]
    children: tuple[str, ...]
    depth: int
    alternatives: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Ontology:
    """Terms by number, sorted by depth and then by id: an ancestor's number is always the smaller one.

    Depth is the longest way up to a root, so it grows with every step down. `build_ontology` makes one from records.
    """

    name: str
    version: str
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    definitions: tuple[str, ...]
    synonym_start: Ints
    synonyms: tuple[Synonym, ...]
    """Of all terms, one after the other; those of term n are from synonym_start[n] to synonym_start[n + 1]."""
    parent_start: Ints
    parents: Ints
    depth: Ints
    alternatives: Mapping[str, int] = field(default_factory=dict)
    """Alternative id → the term."""
    obsolete: Mapping[str, Obsolete] = field(default_factory=dict)
    annotated: Ints | None = None
    """For each term: how many annotated things have it or something below it."""
    n_annotated: int = 0
    """How many things were annotated."""
    source: str = ""
    """The file it was read from, by name alone."""
    digest: str = ""
    """A hash of that file's content."""
    notes: tuple[str, ...] = ()
    """What was wrong with that file, and was passed over."""

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Ontology({self.name} {self.version}: {len(self):,} terms)"

    @cached_property
    def number(self) -> dict[str, int]:
        """Id of a current term → its number."""
        return {id_: place for place, id_ in enumerate(self.ids)}

    @cached_property
    def max_depth(self) -> int:
        """Depth of the deepest term."""
        return int(self.depth.max())

    @cached_property
    def ancestors(self) -> Ancestors:
        """Every term with all that is above it, itself included."""
        return ancestors_of(self.parent_start, self.parents, self.depth)

    @cached_property
    def _children(self) -> tuple[Ints, Ints]:
        """Children sorted by parent, and where those of each parent begin."""
        child = np.repeat(np.arange(len(self)), np.diff(self.parent_start))
        order = np.argsort(self.parents, kind="stable")
        start = np.searchsorted(self.parents[order], np.arange(len(self) + 1))
        return child[order], start.astype(np.int64)

    def parents_of(self, number: int) -> Ints:
        """The terms that it is a kind of."""
        return self.parents[self.parent_start[number] : self.parent_start[number + 1]]

    def children_of(self, number: int) -> Ints:
        """The terms that are a kind of it."""
        child, start = self._children
        return child[start[number] : start[number + 1]]

    def synonyms_of(self, number: int) -> tuple[Synonym, ...]:
        """Its other names."""
        return self.synonyms[self.synonym_start[number] : self.synonym_start[number + 1]]

    def term(self, number: int) -> Term:
        """All about the term of that number."""
        return Term(
            self.ids[number],
            self.labels[number],
            self.definitions[number],
            self.synonyms_of(number),
            tuple(self.ids[parent] for parent in self.parents_of(number).tolist()),
            tuple(self.ids[child] for child in self.children_of(number).tolist()),
            int(self.depth[number]),
            tuple(sorted(other for other, term in self.alternatives.items() if term == number)),
        )

    def find(self, text: str) -> ResolvedTerm:
        """What an id stands for. Obsolete ids lead to their replacement; `HP_0001250` and IRIs ending so are understood."""
        id_ = self._own_spelling(text)
        if id_ in self.number:
            return ResolvedTerm(self.number[id_])
        if id_ in self.obsolete:
            return self._replacement(id_)
        if id_ in self.alternatives:
            return ResolvedTerm(self.alternatives[id_], kind="alternative")
        return ResolvedTerm(UNKNOWN, f"{text} is not a term of {self.name}", "unknown")

    def _own_spelling(self, text: str) -> str:
        """The id in the ontology's own spelling, where that is certain."""
        if self._has(text):
            return text
        last = text.strip().rpartition("/")[2].rpartition("#")[2]
        space, colon, local = last.replace("_", ":", 1).partition(":")
        spellings = (last, f"{space}{colon}{local}", f"{space.upper()}{colon}{local}")
        return next((spelling for spelling in spellings if self._has(spelling)), text)

    def _has(self, id_: str) -> bool:
        return id_ in self.number or id_ in self.obsolete or id_ in self.alternatives

    def _replacement(self, id_: str) -> ResolvedTerm:
        gone = self.obsolete[id_]
        numbers, lost = self._replacements(id_)
        if numbers:
            named = " and ".join(f"{self.ids[number]} ({self.labels[number]})" for number in numbers)
            choice = f"; {self.ids[numbers[0]]} is taken" if len(numbers) > 1 else ""
            return ResolvedTerm(numbers[0], f"{id_} is obsolete, replaced by {named}{choice}", "replaced")
        why = f"what replaces it is not there: {', '.join(lost)}" if lost else "nothing replaces it"
        hint = f"; consider {', '.join(gone.consider)}" if gone.consider else ""
        return ResolvedTerm(UNKNOWN, f"{id_} ({gone.label}) is obsolete and {why}{hint}", "obsolete")

    def _replacements(self, id_: str) -> tuple[list[int], list[str]]:
        """All current terms that an obsolete one leads to, nearest first, and ids nobody knows: what replaced it may be
        obsolete again, and lead in a circle. An obsolete id may also be an alternative one.
        """
        replacements: dict[int, None] = {}
        lost, way = [], [id_]
        for gone in way:  # grows while it is read
            if gone in self.alternatives:
                replacements[self.alternatives[gone]] = None
            for text in self.obsolete[gone].replaced_by:
                now = self._own_spelling(text)
                if now in self.obsolete:
                    way += [now] if now not in way else []
                elif self._has(now):
                    replacements[self.number.get(now, self.alternatives.get(now, UNKNOWN))] = None
                else:
                    lost.append(text)
        return list(replacements), lost

    def numbers(self, ids: Iterable[str]) -> Ints:
        """The number of each id, obsolete and alternative ids followed; -1 where it stands for no current term."""
        known, resolve = self.number, self._resolve
        return np.array([known[id_] if id_ in known else resolve(id_) for id_ in ids], dtype=np.int64)

    def _resolve(self, text: str) -> int:
        if text not in self._resolved:
            self._resolved[text] = self.find(text).number
        return self._resolved[text]

    @cached_property
    def _resolved(self) -> dict[str, int]:
        return {}

    def similarity(self, formula: str, a: Ints | Sequence[int], b: Ints | Sequence[int]) -> Floats:
        """How alike the terms of many pairs are, by their numbers; an unknown term (-1) is like nothing."""
        from assay.ontology.similarity import parse_similarity  # similarities know ontologies, so not sooner

        return parse_similarity(formula).of_pairs(self, np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class TermRecord:
    """One term as a file has it."""

    id: str
    label: str = ""
    parents: tuple[str, ...] = ()
    """Ids of the terms that it is a kind of."""
    synonyms: tuple[Synonym, ...] = ()
    definition: str = ""
    alternatives: tuple[str, ...] = ()
    """Other ids that mean it."""
    is_obsolete: bool = False
    replaced_by: tuple[str, ...] = ()
    consider: tuple[str, ...] = ()
    """Terms that may be meant where an obsolete one has no replacement."""


def build_ontology(
    records: Iterable[TermRecord], name: str = "ontology", version: str = "", *, label: str = "", missing: Iterable[str] = ()
) -> Ontology:
    """An ontology out of records. Parents that are obsolete or that nobody defines are left out; a note names the latter.

    An id that comes twice, a circle of parents, and no current term at all are errors, which call it by its label.
    `missing` are parents that were left out before.
    """
    label = label or name
    records = list(records)
    current = {record.id: record for record in records if not record.is_obsolete}
    _check_ids_unique(records, label)
    if not current:
        raise DataError(f"there is no current term in it, {counted(len(records), 'obsolete one')} aside", source=label)
    parents = {id_: tuple(dict.fromkeys(up for up in current[id_].parents if up in current)) for id_ in current}
    depth = longest_depths(parents, label)
    ids = sorted(current, key=lambda id_: (depth[id_], id_))
    number = {id_: place for place, id_ in enumerate(ids)}
    terms = [current[id_] for id_ in ids]
    return Ontology(
        name=name,
        version=version,
        ids=tuple(ids),
        labels=tuple(term.label for term in terms),
        definitions=tuple(term.definition for term in terms),
        synonym_start=_starts([len(term.synonyms) for term in terms]),
        synonyms=tuple(synonym for term in terms for synonym in term.synonyms),
        parent_start=_starts([len(parents[id_]) for id_ in ids]),
        parents=np.array([up for id_ in ids for up in sorted(number[up] for up in parents[id_])], dtype=np.int64),
        depth=np.array([depth[id_] for id_ in ids], dtype=np.int64),
        alternatives={other: number[term.id] for term in terms for other in term.alternatives if other not in number},
        obsolete={record.id: _to_obsolete(record) for record in records if record.is_obsolete},
        notes=_notes(records, missing),
    )


def _notes(records: Sequence[TermRecord], missing: Iterable[str]) -> tuple[str, ...]:
    """A note on parents that no record defines; none where there are none."""
    defined = {record.id for record in records}
    named = {up for record in records if not record.is_obsolete for up in record.parents}
    lost = sorted((named - defined).union(missing))
    if not lost:
        return ()
    return (f"{counted(len(lost), 'parent')} {'is' if len(lost) == 1 else 'are'} not in the file: {some_of(lost)}",)


def _check_ids_unique(records: Sequence[TermRecord], name: str) -> None:
    if len({record.id for record in records}) < len(records):
        seen: set[str] = set()
        twice = [record.id for record in records if record.id in seen or seen.add(record.id)]  # type: ignore[func-returns-value]
        raise DataError(f"{counted(len(twice), 'term')} defined twice: {some_of(twice)}", source=name)


def _to_obsolete(record: TermRecord) -> Obsolete:
    return Obsolete(record.label, record.replaced_by, record.consider)


def _starts(lengths: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where each range begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64))]).astype(np.int64)


def longest_depths(parents: Mapping[str, Sequence[str]], name: str) -> dict[str, int]:
    """Term → length of the longest way up to a root. Terms are settled when all their parents are; a circle never is."""
    children: dict[str, list[str]] = {}
    waiting = {id_: len(above) for id_, above in parents.items()}
    for id_, above in parents.items():
        for up in above:
            children.setdefault(up, []).append(id_)
    ready = [id_ for id_, n_open in waiting.items() if not n_open]
    depth = dict.fromkeys(ready, 0)
    for id_ in ready:  # grows while it is read
        for child in children.get(id_, ()):
            depth[child] = max(depth.get(child, 0), depth[id_] + 1)
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    if len(ready) < len(parents):
        raise DataError(
            f"terms must not be above themselves, but {' → '.join(_find_cycle(parents, set(ready)))}", source=name
        )
    return depth


def _find_cycle(parents: Mapping[str, Sequence[str]], settled: set[str]) -> list[str]:
    """A circle among terms that could not be settled: each of them has such a parent."""
    way = [next(id_ for id_ in parents if id_ not in settled)]
    while way[-1] not in way[:-1]:
        way.append(next(up for up in parents[way[-1]] if up not in settled))
    return way[way.index(way[-1]) :]
