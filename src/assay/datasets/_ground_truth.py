"""Ground truth by ids, as people write it into a question: lists of ids, or maps from id to grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.datasets._entries import Entry
from assay.datasets._notes import Notes
from assay.datasets._records import judged_ids
from assay.errors import DataError
from assay.text import shortened

NAMES = (
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
"""Where ids may stand; the first that is there counts."""


class Judged(NamedTuple):
    """What one field says: document → grade, and whether it said grades at all."""

    name: str
    grades: dict[str, float]
    has_grades: bool


def take_ground_truth(entry: Entry) -> Judged | None:
    """What the metadata or the question itself say; None where nobody judged.

    An empty list says that nothing is relevant. Several fields must agree; grades say more than a list of ids.
    """
    found = [
        _judged(f"{prefix}{name}", value, entry.place, entry.notes)
        for name in NAMES
        for prefix, holder in (("metadata.", entry.metadata), ("", entry.fields))
        if (value := holder.pop(name, None)) is not None
    ]
    return agreed(found)


def agreed(found: Sequence[Judged]) -> Judged | None:
    """What all fields say together; two that contradict each other are an error."""
    if not found:
        return None
    chosen = next((one for one in found if one.has_grades), found[0])
    for other in found:
        if not _agree(chosen, other):
            said = f"{chosen.name} says {shortened(chosen.grades)}, {other.name} says {shortened(other.grades)}"
            raise DataError(f"two fields disagree about the ground truth: {said}; keep one of them")
    return chosen


def _agree(one: Judged, other: Judged) -> bool:
    if one.has_grades and other.has_grades:
        return one.grades == other.grades
    return _relevant(one) == _relevant(other)


def _relevant(judged: Judged) -> set[str]:
    return {doc for doc, grade in judged.grades.items() if grade > 0}


def _judged(name: str, value: Any, place: str, notes: Notes) -> Judged:
    try:
        grades = judged_ids(value, place, notes)
    except DataError as error:
        raise DataError(f"{name}: {error}") from None
    has_grades = isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(one, Mapping) for one in value))
    return Judged(name, grades, has_grades)


def judged_by_query(value: Any, label: str, notes: Notes) -> dict[str, Judged]:
    """Query → what one field, `qrels`, says about all queries."""
    if not isinstance(value, Mapping):
        raise DataError(f"{label}: qrels: expected query → id → grade, found {shortened(value)}")
    return {query: _judged(f"{label}: qrels.{query}", judged, f"query {query}", notes) for query, judged in value.items()}
