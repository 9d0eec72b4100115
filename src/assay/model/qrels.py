"""Qrels: the grade of each judged (query, document) pair, in flat arrays, validated once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property, singledispatch
from importlib import import_module
from itertools import chain, pairwise, repeat
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Bools, Floats, Ints
from assay.errors import DataError
from assay.frames import Columns, Tables, Tabular
from assay.model.ids import all_text, key_id, text_id, with_text_keys
from assay.model.kinds import JudgmentSource
from assay.model.values import IGNORED, as_number, is_finite_number, is_ignore, unpacked
from assay.text import counted


class SubtopicGrades(NamedTuple):
    """One row per document and subtopic that it was judged for, whether it was retrieved or not."""

    query: Ints
    """The index of its query."""
    subtopic: Ints
    """The number of its subtopic. A subtopic of the same name in another query has another number."""
    judgment: Ints
    """The number of the document's judgment."""
    by_id: Ints
    """The position of the document when all documents are sorted by id."""
    grade: Floats

    def where(self, mask: Bools) -> SubtopicGrades:
        """Only the rows that the mask selects."""
        query, subtopic, judgment, by_id = (column[mask] for column in self[:4])
        return SubtopicGrades(query, subtopic, judgment, by_id, self.grade[mask])

    def renumbered(self, places: Ints) -> SubtopicGrades:
        """Only the rows of the queries at these indices, renumbered in that order."""
        number = np.full(int(max(self.query.max(initial=-1), places.max(initial=-1))) + 1, -1)
        number[places] = np.arange(len(places))
        rows = self.where(number[self.query] >= 0)
        return rows._replace(query=number[rows.query])


class Subtopics(NamedTuple):
    """Judgments per subtopic of a query: the number of the judgment, the subtopic, the grade."""

    judgment: Ints
    subtopic: tuple[str, ...]
    grade: Floats


class Judgments(NamedTuple):
    """Judgments as they are read: query → document → grade, and grades per subtopic if there are any."""

    grades: Mapping[str, Mapping[str, float]]
    subtopics: Mapping[tuple[str, str], Mapping[str, float]] = {}
    notes: tuple[str, ...] = ()
    """What users should know about how the judgments were read."""
    iterations: Mapping[str, Mapping[str, str]] = {}
    """Query → document → TREC's second column, if it varies but no document is judged twice for a query: subtopics, or
    rounds of judging. Diversity metrics use it as the subtopic.
    """
    in_file_order: bool = False
    """Whether they are from a data file for learning to rank, so that scores may be in the order of its lines."""


@singledispatch
def as_judgments(source: Any) -> Judgments:
    """Judgments from any source. The readers are in `assay.files`, which is imported when the first one is needed."""
    import_module("assay.files.judgments")
    return as_judgments(source)


@as_judgments.register(Judgments)
def _as_they_are(source: Judgments) -> Judgments:
    """Judgments that have been read already."""
    return source


def judgments_of_mapping(source: Mapping[Any, Any]) -> Judgments:
    """Judgments from query → (document → grade), or query → relevant ids. The ids may also be a Series or a generator."""
    if isinstance(source, Qrels):
        return source.judgments()
    by_query = source if all_text(source) else with_text_keys(source, "judgments")
    judged = by_query.values()
    if set(map(type, judged)) <= {dict} and all_text(chain.from_iterable(judged)):
        return Judgments(by_query)
    return Judgments({query: _grades_of_query(query, judged) for query, judged in by_query.items()})


def _grades_of_query(query: str, judged: Any) -> Mapping[str, float]:
    """Grades by document. In a collection of ids, each document has grade 1."""
    judged = unpacked(judged)
    if isinstance(judged, Mapping):
        return judged if all_text(judged) else with_text_keys(judged, f"judgments of query {query}")
    if isinstance(judged, AbstractSet | Sequence | np.ndarray) and not isinstance(judged, str | bytes):
        return dict.fromkeys(map(text_id, judged), 1)
    message = f"expected a map of documents to grades, or a set of ids, found {judged!r}"
    raise DataError(message, source=f"judgments of query {query}")


class Qrels(Tabular, Mapping[str, dict[str, float]]):
    """Judgments from any source: after `qrels = Qrels(source)`, `qrels[query][document]` is a grade.

    A document that is judged for several subtopics has the highest of these grades.
    """

    def __init__(self, source: JudgmentSource | Judgments) -> None:
        judgments = as_judgments(source)
        by_query = judgments.grades
        self.notes: tuple[str, ...] = judgments.notes
        """What users should know about how the judgments were read."""
        self.query_ids: tuple[str, ...] = tuple(by_query)
        self.docs: list[str] = list(chain.from_iterable(by_query.values()))
        self.grades: Floats = checked_grades(by_query)
        lengths = np.fromiter(map(len, by_query.values()), np.int64, len(by_query))
        self.offsets: Ints = np.concatenate(([0], np.cumsum(lengths)))
        for array in (self.grades, self.offsets):
            array.flags.writeable = False
        self.subtopics: Subtopics | None = self._number(judgments) if judgments.subtopics else None
        self.iterations: Mapping[str, Mapping[str, str]] = judgments.iterations
        """Query → document → TREC's second column, if it may be the subtopic."""
        self.in_file_order: bool = judgments.in_file_order
        """Whether a file of scores may have one score for each judgment, in this order."""

    def __getstate__(self) -> dict[str, Any]:
        """The judgments for another process, without what was computed from them."""
        return {name: value for name, value in vars(self).items() if name not in _COMPUTED}

    def _number(self, judgments: Judgments) -> Subtopics:
        rows = [
            (self.index[self.numbers[query]][doc], subtopic, grade)
            for (query, doc), by_subtopic in judgments.subtopics.items()
            for subtopic, grade in by_subtopic.items()
        ]
        judgment, subtopic, grade = zip(*rows, strict=True)
        return Subtopics(np.array(judgment), subtopic, np.array(grade, dtype=float))

    def judgments(self) -> Judgments:
        """The judgments that this was created from."""
        aspects: dict[tuple[str, str], dict[str, float]] = {}
        for number, subtopic, grade in zip(*self.subtopics, strict=True) if self.subtopics else ():
            pair = self.query_ids[self.query_of[number]], self.docs[number]
            aspects.setdefault(pair, {})[subtopic] = float(grade)
        return Judgments({query: self[query] for query in self}, aspects, self.notes, self.iterations, self.in_file_order)

    def __getitem__(self, query: str) -> dict[str, float]:
        place = self.numbers[key_id(query)]
        start, end = self.offsets[place], self.offsets[place + 1]
        return dict(zip(self.docs[start:end], self.grades[start:end].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.query_ids)

    def __len__(self) -> int:
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"Qrels({counted(len(self), 'query')}, {counted(len(self.docs), 'judgment')})"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Query → document → grade."""
        return {query: self[query] for query in self}

    def _tables(self) -> Tables:
        return {"qrels": self._judged_columns}

    def _judged_columns(self) -> Columns:
        """A row for each judgment; if judgments are per subtopic, a row for each document and subtopic."""
        if self.subtopics is None:
            queries = [self.query_ids[number] for number in self.query_of.tolist()]
            return {"query_id": queries, "doc_id": self.docs, "relevance": np.array(self.grades)}
        judgment = self.subtopics.judgment
        return {
            "query_id": [self.query_ids[number] for number in self.query_of[judgment].tolist()],
            "doc_id": [self.docs[number] for number in judgment.tolist()],
            "relevance": np.array(self.subtopics.grade),
            "subtopic": list(self.subtopics.subtopic),
        }

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Query id → its index in `query_ids`."""
        return {query: place for place, query in enumerate(self.query_ids)}

    @cached_property
    def bounds(self) -> list[int]:
        """The offsets as a list."""
        return self.offsets.tolist()

    @cached_property
    def index(self) -> list[dict[str, int]]:
        """For each query: document id → the number of its judgment."""
        return [dict(zip(self.docs[start:end], range(start, end), strict=True)) for start, end in pairwise(self.bounds)]

    @cached_property
    def n_documents(self) -> int:
        """How many different documents have judgments."""
        return len(set(self.docs))

    @cached_property
    def query_of(self) -> Ints:
        """For each judgment: the index of its query."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @cached_property
    def subtopic_grades(self) -> SubtopicGrades | None:
        """A row for each document and subtopic; None if the judgments have no subtopics."""
        rows = self.subtopics or self._iterations_as_subtopics()
        if rows is None:
            return None
        query = self.query_of[rows.judgment]
        numbers: dict[tuple[int, str], int] = {}
        subtopic = [numbers.setdefault(pair, len(numbers)) for pair in zip(query.tolist(), rows.subtopic, strict=True)]
        docs = [self.docs[number] for number in rows.judgment.tolist()]
        place = {doc: number for number, doc in enumerate(sorted(set(docs)))}
        by_id = np.fromiter(map(place.__getitem__, docs), np.int64, len(docs))
        return SubtopicGrades(query, np.array(subtopic, dtype=np.int64), rows.judgment, by_id, rows.grade)

    def _iterations_as_subtopics(self) -> Subtopics | None:
        """TREC's second column as subtopics: each document is judged once, for one subtopic."""
        if not self.iterations:
            return None
        column = chain.from_iterable(map(self.iterations[query].get, self[query], repeat("")) for query in self)
        return Subtopics(np.arange(len(self.docs)), tuple(column), self.grades)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the judgments that does not depend on their order."""
        queries = [self.query_ids[number] for number in self.query_of.tolist()]
        rows: list[tuple[object, ...]] = list(zip(queries, self.docs, self.grades.tolist(), strict=True))
        for number, subtopic, grade in zip(*self.subtopics, strict=True) if self.subtopics else ():
            rows.append((queries[number], self.docs[number], float(grade), subtopic))
        return fingerprint(rows)

    @cached_property
    def ignored(self) -> Bools | None:
        """Which judgments say that a document does not count; None if none does."""
        mask = self.grades == IGNORED
        return mask if mask.any() else None

    @cached_property
    def max_grade(self) -> float:
        """The highest grade of all judgments (0 if no grade is above 0)."""
        return float(self.grades.max(initial=0.0))

    @cached_property
    def remembered(self) -> dict[str, Any]:
        """What views computed from the judgments alone; every run needs it again."""
        return {}

    @cached_property
    def descending(self) -> Floats:
        """The grades of each query, best first: the ideal ranking."""
        return self.grades[np.lexsort((-self.grades, self.query_of))]


_COMPUTED = frozenset(name for name, value in vars(Qrels).items() if isinstance(value, cached_property))
LINES_AT_ONCE = 10_000
"""Lines that are hashed at once, so that a large corpus is not in memory twice."""


def fingerprint(rows: Iterable[tuple[object, ...]]) -> str:
    """A short hash of rows that does not depend on their order."""
    from hashlib import blake2b

    lines = sorted(map(repr, rows))
    digest = blake2b(digest_size=8)
    for start in range(0, len(lines), LINES_AT_ONCE):
        end = "\n" if start + LINES_AT_ONCE < len(lines) else ""
        digest.update(("\n".join(lines[start : start + LINES_AT_ONCE]) + end).encode())
    return digest.hexdigest()


def checked_grades(by_query: Mapping[str, Mapping[str, float | str]]) -> Floats:
    """All grades as one float array. A grade must be a finite number or `ignore`; the error names query and document."""
    values = list(chain.from_iterable(judged.values() for judged in by_query.values()))
    if all(issubclass(kind, int | float | np.number | np.bool_) for kind in set(map(type, values))):
        with suppress(OverflowError, TypeError):
            grades = np.array(values, dtype=np.float64)
            if np.isfinite(grades).all():
                return grades
    for query, judged in by_query.items():
        for doc, grade in judged.items():
            if not is_finite_number(grade) and not is_ignore(grade):
                raise DataError(f"the grade of document {doc} for query {query} must be a finite number, not {grade!r}")
    return np.array([IGNORED if is_ignore(value) else as_number(value) for value in values], dtype=np.float64)
