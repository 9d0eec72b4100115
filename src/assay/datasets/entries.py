"""Entries: records written by hand, with many names for the same field, and fields in their metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.datasets.dataset import Notes
from assay.datasets.fields import answer_text, judged_ids
from assay.datasets.times.record_times import take_time
from assay.errors import DataError, Faults
from assay.files import parse_json
from assay.model import EMPTY_ID, Time, text_id
from assay.text import shortened

Check = Callable[[Any], bool]
QUERY_ID = ("id", "_id", "query_id", "question_id", "task_id", "qid")
DOCUMENT_ID = ("id", "_id", "doc_id", "context_id", "chunk_id")
EXPECTED = ("expected", "expected_answer", "ground_truth", "reference", "expected_output", "answer")
"""Fields for the expected answer. `answer` comes last: with a `ground_truth`, it is what a system answered."""


@dataclass
class Entry:
    """One record. Fields that are taken are removed from it; the rest belongs to the metadata."""

    place: str
    fields: dict[str, Any]
    metadata: dict[str, Any]
    notes: Notes

    @classmethod
    def of(cls, value: Any, text_name: str, place: str, notes: Notes) -> Entry:
        """An entry from an object, or from text alone."""
        if isinstance(value, str):
            value = {text_name: value}
        if not isinstance(value, Mapping):
            raise DataError(f"expected text or an object with {text_name!r}, found {shortened(value)}")
        fields = dict(value)
        metadata = fields.pop("metadata", None)
        if metadata is not None and not isinstance(metadata, Mapping):
            fields["metadata"], metadata = metadata, None
        return cls(place, fields, dict(metadata or {}), notes)

    def take(self, names: Iterable[str]) -> Any:
        """The value of the first of these fields that has one; None if none has."""
        for name in names:
            if (value := self.fields.pop(name, None)) is not None:
                return value
        return None

    def take_id(self, names: Iterable[str]) -> str | None:
        """The id as text; None if there is none."""
        value = self.take(names)
        if value is None:
            return None
        if value == "":
            raise DataError(EMPTY_ID)
        return text_id(value)

    def take_text(self, names: Sequence[str], what: str) -> str:
        """The text in one of these fields; an error if there is none."""
        value = self.take(names)
        if value is None:
            present = f"only {', '.join(map(repr, sorted(self.fields)))}" if self.fields else "no fields"
            raise DataError(f"expected {what} {in_field(names)}, found {present}")
        if not isinstance(value, str):
            raise DataError(f"{what} must be text, not {shortened(value)}")
        return value

    def take_expected(self) -> str | None:
        """The expected answer as text."""
        return answer_text(self.take(EXPECTED), self.place, self.notes)

    def take_own(self, checks: Mapping[str, Check]) -> dict[str, Any]:
        """Fields from the record or its metadata. If the record has null, the metadata field of that name is not used."""
        fields: dict[str, Any] = {}
        for name, is_right in checks.items():
            holder = self.fields if name in self.fields else self.metadata
            value = holder.get(name)
            if is_right(value):
                fields[name] = value
            if is_right(value) or (value is None and name in self.fields):
                del holder[name]
        return fields

    def take_time(self, table: str) -> Time | None:
        """The time of the record, from a field with an accepted name; None without one."""
        return take_time(table, self.fields, self.metadata)

    def rest(self) -> dict[str, Any] | None:
        """What was not taken: the metadata and unknown fields; None if nothing is left."""
        for name in self.fields.keys() & self.metadata.keys():
            if self.fields[name] != self.metadata[name]:
                self.notes.lose(self.place, f"{name} has two values; the one in the metadata is used")
        return {**self.fields, **self.metadata} or None


def read_entries(values: Iterable[tuple[int, Any]], label: str, noun: str, read: Callable[[int, str, Any], None]) -> None:
    """Call `read` with the count, place and content of each value. All faults are raised together. A value may be an error.

    The numbers are line numbers, or positions in a list of `noun`s if a noun is given.
    """
    faults = Faults(f"{label}, {noun}" if noun else label)
    count = 0
    for count, (number, value) in enumerate(values, 1):
        try:
            if isinstance(value, DataError):
                raise value
            read(count, f"{label}, {noun} {number}" if noun else f"{label}:{number}", value)
        except ValueError as error:
            faults.add(number, str(error))
        if faults.full:
            break
    faults.raise_if_any(count)


def parse_line(line: bytes) -> Any:
    """The value of one line of JSON."""
    try:
        return parse_json(line)
    except ValueError as error:
        raise ValueError(f"not JSON: {getattr(error, 'msg', error)}") from None


def with_id(key: str, value: Any, text_name: str, label: str) -> dict[str, Any]:
    """The record of a mapping entry, with its key as its id. A different id in the record is an error."""
    fields = dict(value) if isinstance(value, Mapping) else {text_name: value}
    if str(fields.get("id", key)) != key:
        raise DataError(f"the record under the key {key!r} has another id, {fields['id']!r}", source=label)
    return {**fields, "id": key}


def in_field(names: Sequence[str]) -> str:
    """`in the field id`, or `in one of the fields id, _id`."""
    return f"in the field {names[0]}" if len(names) == 1 else f"in one of the fields {', '.join(names)}"


def is_text(value: Any) -> bool:
    """Whether the value is text."""
    return isinstance(value, str)


def is_whole(value: Any) -> bool:
    """Whether the value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_texts(value: Any) -> bool:
    """Whether the value is a list of texts."""
    return isinstance(value, list) and all(map(is_text, value))


def split_metadata(metadata: Mapping[str, Any] | None, own: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The reverse of `take_own`: the fields of the record itself, and its metadata.

    A field goes to the metadata. If the metadata use its name for something else, it goes to the record, even if it is null.
    """
    own_metadata = dict(metadata or {})
    outside = {name: value for name, value in own.items() if name in own_metadata}
    return outside, {
        **own_metadata,
        **{name: value for name, value in own.items() if name not in own_metadata and value is not None},
    }


GROUND_TRUTH_NAMES = (
    "relevantIds",
    "relevant_ids",
    "relevantDocIds",
    "relevant_doc_ids",
    "relevant_document_ids",
    "relevantChunkIds",
    "relevant_chunk_ids",
    "groundTruthIds",
    "ground_truth_ids",
    "qrels",
)
"""Fields for the ids of relevant documents; the first that is present counts."""


class Judged(NamedTuple):
    """The content of one ground-truth field: document → grade, and whether the field has grades at all."""

    name: str
    grades: dict[str, float]
    has_grades: bool


def take_ground_truth(entry: Entry) -> Judged | None:
    """The ground truth in the question or its metadata; None if it is unjudged.

    An empty list means that nothing is relevant. Several fields must agree. A field with grades wins over a list of ids.
    """
    truths = [
        _parse_truth(f"{prefix}{name}", value, entry.place, entry.notes)
        for name in GROUND_TRUTH_NAMES
        for prefix, holder in (("metadata.", entry.metadata), ("", entry.fields))
        if (value := holder.pop(name, None)) is not None
    ]
    return agree_on_truth(truths)


def agree_on_truth(truths: Sequence[Judged]) -> Judged | None:
    """The ground truth that all fields agree on. Two fields that contradict each other are an error."""
    if not truths:
        return None
    chosen = next((truth for truth in truths if truth.has_grades), truths[0])
    for other in truths:
        if not _agree(chosen, other):
            difference = f"{chosen.name} says {shortened(chosen.grades)}, {other.name} says {shortened(other.grades)}"
            raise DataError(f"two fields have different ground truth: {difference}; keep one of them")
    return chosen


def _agree(truth: Judged, other: Judged) -> bool:
    if truth.has_grades and other.has_grades:
        return truth.grades == other.grades
    return _relevant(truth) == _relevant(other)


def _relevant(judged: Judged) -> set[str]:
    return {doc for doc, grade in judged.grades.items() if grade > 0}


def _parse_truth(name: str, value: Any, place: str, notes: Notes) -> Judged:
    try:
        grades = judged_ids(value, place, notes)
    except DataError as error:
        raise DataError(str(error), source=name) from None
    has_grades = isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value)
    )
    return Judged(name, grades, has_grades)


def judged_by_query(value: Any, label: str, notes: Notes) -> dict[str, Judged]:
    """Query → its ground truth in a `qrels` field for all queries."""
    if not isinstance(value, Mapping):
        raise DataError(f"qrels: expected query → id → grade, found {shortened(value)}", source=label)
    return {
        query: _parse_truth(f"{label}: qrels.{query}", judged, f"query {query}", notes) for query, judged in value.items()
    }
