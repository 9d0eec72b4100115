"""build_ontology: records of terms, in any order, become flat arrays; terms are numbered so that parents come first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import DataError
from assay.ontology._ontology import Obsolete, Ontology, Synonym
from assay.text import counted, some_of


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
    _refuse_twice(records, label)
    if not current:
        raise DataError(f"{label}: there is no current term in it, {counted(len(records), 'obsolete one')} aside")
    parents = {one: tuple(dict.fromkeys(up for up in current[one].parents if up in current)) for one in current}
    depth = longest_depths(parents, label)
    ids = sorted(current, key=lambda one: (depth[one], one))
    number = {one: place for place, one in enumerate(ids)}
    terms = [current[one] for one in ids]
    return Ontology(
        name=name,
        version=version,
        ids=tuple(ids),
        labels=tuple(term.label for term in terms),
        definitions=tuple(term.definition for term in terms),
        synonym_start=_starts([len(term.synonyms) for term in terms]),
        synonyms=tuple(synonym for term in terms for synonym in term.synonyms),
        parent_start=_starts([len(parents[one]) for one in ids]),
        parents=np.array([up for one in ids for up in sorted(number[up] for up in parents[one])], dtype=np.int64),
        depth=np.array([depth[one] for one in ids], dtype=np.int64),
        alternatives={other: number[term.id] for term in terms for other in term.alternatives if other not in number},
        obsolete={record.id: _obsolete(record) for record in records if record.is_obsolete},
        notes=_notes(records, missing),
    )


def _notes(records: Sequence[TermRecord], missing: Iterable[str]) -> tuple[str, ...]:
    """What to tell about parents that nobody defines."""
    defined = {record.id for record in records}
    named = {up for record in records if not record.is_obsolete for up in record.parents}
    lost = sorted((named - defined).union(missing))
    if not lost:
        return ()
    return (f"{counted(len(lost), 'parent')} {'is' if len(lost) == 1 else 'are'} not in the file: {some_of(lost)}",)


def _refuse_twice(records: Sequence[TermRecord], name: str) -> None:
    if len({record.id for record in records}) < len(records):
        seen: set[str] = set()
        twice = [record.id for record in records if record.id in seen or seen.add(record.id)]  # type: ignore[func-returns-value]
        raise DataError(f"{name}: {counted(len(twice), 'term')} defined twice: {some_of(twice)}")


def _obsolete(record: TermRecord) -> Obsolete:
    return Obsolete(record.label, record.replaced_by, record.consider)


def _starts(lengths: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where each stretch begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64))]).astype(np.int64)


def longest_depths(parents: Mapping[str, Sequence[str]], name: str) -> dict[str, int]:
    """Term → length of the longest way up to a root. Terms are settled when all their parents are; a circle never is."""
    children: dict[str, list[str]] = {}
    waiting = {one: len(above) for one, above in parents.items()}
    for one, above in parents.items():
        for up in above:
            children.setdefault(up, []).append(one)
    ready = [one for one, n_open in waiting.items() if not n_open]
    depth = dict.fromkeys(ready, 0)
    for one in ready:  # grows while it is read
        for child in children.get(one, ()):
            depth[child] = max(depth.get(child, 0), depth[one] + 1)
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    if len(ready) < len(parents):
        raise DataError(f"{name}: terms must not be above themselves, but {' → '.join(_circle(parents, set(ready)))}")
    return depth


def _circle(parents: Mapping[str, Sequence[str]], settled: set[str]) -> list[str]:
    """A circle among terms that could not be settled: each of them has such a parent."""
    way = [next(one for one in parents if one not in settled)]
    while way[-1] not in way[:-1]:
        way.append(next(up for up in parents[way[-1]] if up not in settled))
    return way[way.index(way[-1]) :]
