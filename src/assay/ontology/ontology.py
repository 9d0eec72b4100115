"""Ontology: terms as flat arrays, numbered so that parents come before children; built from records."""

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
"""The number of an id that is not a current term."""


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
    """The term that an id means."""

    number: int
    """The number of the current term; -1 if there is none."""
    note: str = ""
    """A note for the user if the id is obsolete or unknown; otherwise empty."""
    kind: str = "current"
    """current, alternative, replaced, obsolete (without a replacement) or unknown."""


class Term(NamedTuple):
    """All fields of one term."""

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
    """Terms by number, sorted by depth and then by id, so that an ancestor always has a smaller number.

    Depth is the longest path up to a root, so it grows with every step down. `build_ontology` creates one from records.
    """

    name: str
    version: str
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    definitions: tuple[str, ...]
    synonym_start: Ints
    synonyms: tuple[Synonym, ...]
    """The synonyms of all terms, one after the other; those of term n are from synonym_start[n] to synonym_start[n + 1]."""
    parent_start: Ints
    parents: Ints
    depth: Ints
    alternatives: Mapping[str, int] = field(default_factory=dict)
    """Alternative id → the term."""
    obsolete: Mapping[str, Obsolete] = field(default_factory=dict)
    annotated: Ints | None = None
    """For each term: the number of items annotated with it or with a descendant."""
    n_annotated: int = 0
    """The number of annotated items."""
    source: str = ""
    """The name of the file that it was read from, without the folder."""
    digest: str = ""
    """A hash of the content of that file."""
    notes: tuple[str, ...] = ()
    """Problems of that file that were ignored."""

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
        """Every term with all its ancestors, including itself."""
        return ancestors_of(self.parent_start, self.parents, self.depth)

    @cached_property
    def _children(self) -> tuple[Ints, Ints]:
        """Children sorted by parent, and the start of the children of each parent."""
        child = np.repeat(np.arange(len(self)), np.diff(self.parent_start))
        order = np.argsort(self.parents, kind="stable")
        start = np.searchsorted(self.parents[order], np.arange(len(self) + 1))
        return child[order], start.astype(np.int64)

    def parents_of(self, number: int) -> Ints:
        """The parents of a term."""
        return self.parents[self.parent_start[number] : self.parent_start[number + 1]]

    def children_of(self, number: int) -> Ints:
        """The children of a term."""
        child, start = self._children
        return child[start[number] : start[number + 1]]

    def synonyms_of(self, number: int) -> tuple[Synonym, ...]:
        """The synonyms of a term."""
        return self.synonyms[self.synonym_start[number] : self.synonym_start[number + 1]]

    def term(self, number: int) -> Term:
        """The term with this number."""
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
        """The term that an id means. An obsolete id gives its replacement; `HP_0001250` and IRIs are accepted too."""
        id_ = self._own_spelling(text)
        if id_ in self.number:
            return ResolvedTerm(self.number[id_])
        if id_ in self.obsolete:
            return self._replacement(id_)
        if id_ in self.alternatives:
            return ResolvedTerm(self.alternatives[id_], kind="alternative")
        return ResolvedTerm(UNKNOWN, f"{text} is not a term of {self.name}", "unknown")

    def _own_spelling(self, text: str) -> str:
        """The id in the spelling of the ontology, if that is certain."""
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
            choice = f"; {self.ids[numbers[0]]} is used" if len(numbers) > 1 else ""
            return ResolvedTerm(numbers[0], f"{id_} is obsolete, replaced by {named}{choice}", "replaced")
        why = f", and its replacement does not exist: {', '.join(lost)}" if lost else " and has no replacement"
        hint = f"; consider {', '.join(gone.consider)}" if gone.consider else ""
        return ResolvedTerm(UNKNOWN, f"{id_} ({gone.label}) is obsolete{why}{hint}", "obsolete")

    def _replacements(self, id_: str) -> tuple[list[int], list[str]]:
        """All current terms that replace an obsolete one, nearest first, and unknown replacement ids. A replacement may be
        obsolete too, and replacements may form a cycle. An obsolete id may also be an alternative id.
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
        """The number of each id, with obsolete and alternative ids resolved; -1 if it is not a current term."""
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
        """The similarity of many pairs of terms, given by number; 0 for an unknown term (-1)."""
        from assay.ontology.similarity import parse_similarity  # imported here because similarities import ontologies

        return parse_similarity(formula).of_pairs(self, np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class TermRecord:
    """One term as in a file."""

    id: str
    label: str = ""
    parents: tuple[str, ...] = ()
    """Ids of its parents."""
    synonyms: tuple[Synonym, ...] = ()
    definition: str = ""
    alternatives: tuple[str, ...] = ()
    """Other ids of the term."""
    is_obsolete: bool = False
    replaced_by: tuple[str, ...] = ()
    consider: tuple[str, ...] = ()
    """Terms to consider if an obsolete term has no replacement."""


def build_ontology(
    records: Iterable[TermRecord], name: str = "ontology", version: str = "", *, label: str = "", missing: Iterable[str] = ()
) -> Ontology:
    """Build an ontology from records. Obsolete and undefined parents are left out; a note lists the undefined ones.

    An id that occurs twice, a cycle of parents, and no current term are errors; they name the ontology by its label.
    `missing` are parents that were already left out.
    """
    label = label or name
    records = list(records)
    current = {record.id: record for record in records if not record.is_obsolete}
    _check_ids_unique(records, label)
    if not current:
        leftover = f"only {counted(len(records), 'obsolete term')}" if records else "none"
        raise DataError(f"expected at least one current term, found {leftover}", source=label)
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
    """A note about parents that no record defines; empty if there are none."""
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
        raise DataError(
            f"{counted(len(twice), 'term')} {'is' if len(twice) == 1 else 'are'} defined twice: {some_of(twice)}",
            source=name,
        )


def _to_obsolete(record: TermRecord) -> Obsolete:
    return Obsolete(record.label, record.replaced_by, record.consider)


def _starts(lengths: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The start of each range, and the end of the last one."""
    return np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64))]).astype(np.int64)


def longest_depths(parents: Mapping[str, Sequence[str]], name: str) -> dict[str, int]:
    """Term → length of the longest path up to a root. A term is done when all its parents are; a cycle is an error."""
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
        cycle = " → ".join(_find_cycle(parents, set(ready)))
        raise DataError(f"a term must not be its own ancestor, found the cycle {cycle}", source=name)
    return depth


def _find_cycle(parents: Mapping[str, Sequence[str]], settled: set[str]) -> list[str]:
    """A cycle among the terms that are not done: each of them has such a parent."""
    way = [next(id_ for id_ in parents if id_ not in settled)]
    while way[-1] not in way[:-1]:
        way.append(next(up for up in parents[way[-1]] if up not in settled))
    return way[way.index(way[-1]) :]
