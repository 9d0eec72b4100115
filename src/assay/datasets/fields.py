"""Fields of records: read queries, documents and judgments from fields with common names, and write them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from assay.datasets.dataset import Notes
from assay.errors import DataError
from assay.files import COLUMN_NAMES, find_columns, parse_json
from assay.model import EMPTY_ID, Document, Query, RelevanceJudgment, is_finite_number, text_id
from assay.text import shortened

Record = Mapping[str, Any]

QUERY = {
    "query_id": ("query_id", "id", "_id", "qid", "question_id"),
    "text": ("query", "question", "text", "query_text", "user_input", "title"),
    "relevant": (
        "relevant_ids",
        "relevant_doc_ids",
        "relevant_document_ids",
        "relevant_chunk_ids",
        "relevant",
        "relevant_docs",
        "relevant_documents",
        "expected_ids",
        "expected_doc_ids",
        "ground_truth_ids",
        "gold_ids",
        "doc_ids",
        "qrels",
    ),
    "expected": ("expected", "expected_answer", "reference_answer", "ground_truth", "reference", "answer"),
    "query_type": ("query_type", "question_type"),
    "difficulty": ("difficulty",),
    "domain": ("domain",),
    "evidence": ("evidence",),
    "scope": ("scope",),
    "metadata": ("metadata",),
}
"""Field of a query → accepted names, the most likely first. Case, hyphens, spaces and underscores do not matter."""
DOCUMENT = {
    "doc_id": ("doc_id", "id", "_id", "docno", "docid", "document_id"),
    "text": ("text", "contents", "content", "body"),
    **{name: (name,) for name in ("title", "source", "page_number", "section", "group", "metadata")},
}
Names = Mapping[str, Sequence[str]]


def _squash(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


@cache
def _places(kind: str) -> dict[str, tuple[str, int]]:
    """Squashed name → the field that it means, and its place in the order of likelihood."""
    names: Names = QUERY if kind == "query" else DOCUMENT
    places: dict[str, tuple[str, int]] = {}
    for role, aliases in names.items():
        for place, alias in enumerate(aliases):
            places.setdefault(_squash(alias), (role, place))  # doc_id and docid are one name, in the place of the likelier
    return places


@lru_cache(4096)
def _role(kind: str, name: str) -> tuple[str, int] | None:
    return _places(kind).get(_squash(name))


def roles_of(kind: str, names: Sequence[str]) -> set[str]:
    """The fields of a query or document that these names mean."""
    return {role[0] for name in names if (role := _role(kind, name))}


def _known(kind: str, record: Record) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The known fields of the record, and the rest as its metadata. Of two names for one field, the likelier is used."""
    chosen: dict[str, tuple[int, str]] = {}
    others: dict[str, Any] = {}
    for name, value in record.items():
        if value is None:
            continue
        role, place = _role(kind, name) or ("", 0)
        if role and (role not in chosen or place < chosen[role][0]):
            if role in chosen:
                others[chosen[role][1]] = record[chosen[role][1]]
            chosen[role] = place, name
        else:
            others[name] = value
    known = {role: record[name] for role, (_, name) in chosen.items()}
    return known, _merge_metadata(others, known.pop("metadata", None))


def _merge_metadata(others: dict[str, Any], metadata: Any) -> dict[str, Any] | None:
    if metadata is None:
        return others or None
    if isinstance(metadata, str):
        metadata = parse_json(metadata)
    if not isinstance(metadata, Mapping):
        raise DataError(f"metadata must be an object, not {shortened(metadata)}")
    if twice := sorted(others.keys() & metadata.keys()):
        raise DataError(f"{twice[0]!r} is both in the record and in its metadata; keep one of them")
    return {**others, **metadata}


def query_of(record: Record, number: int, place: str, notes: Notes) -> tuple[Query, dict[str, float] | None]:
    """The query of a record, and its grades by document. A query without an id gets its number as id.

    The grades are None if the record has none, and empty if nothing is relevant.
    """
    known, metadata = _known("query", record)
    query_id = filled_id(known.pop("query_id", number))
    place = f"{place}, query {query_id}"
    relevant = known.pop("relevant", None)
    judged = None if relevant is None else judged_ids(relevant, place, notes)
    if "expected" in known:
        known["expected"] = answer_text(known["expected"], place, notes)
    if "evidence" in known:
        known["evidence"] = _id_list(known["evidence"], "evidence")
    for name in known.keys() & {"text", "query_type", "difficulty", "domain", "scope"}:
        known[name] = _text(known[name], name)
    return Query(query_id, metadata=metadata, **known), judged


def document_of(record: Record) -> Document:
    """The document of a record. Unknown fields become its metadata."""
    known, metadata = _known("document", record)
    doc_id = document_id(record)
    known.pop("doc_id")
    for name in known.keys() & {"text", "title", "source", "section", "group"}:
        known[name] = _text(known[name], name)
    if "page_number" in known:
        known["page_number"] = _whole(known["page_number"])
    return Document(doc_id, metadata=metadata, **known)


def document_id(record: Record) -> str:
    """The id of a document's record."""
    candidates = [(role[1], name) for name in record if record[name] is not None and (role := _id_role(name))]
    if not candidates:
        names = ", ".join(DOCUMENT["doc_id"])
        raise DataError(f"found no document id among {', '.join(map(repr, record))}; accepted names: {names}")
    return filled_id(record[min(candidates, key=lambda candidate: candidate[0])[1]])


def names_document(name: str) -> bool:
    """Whether a field of this name may contain the id of a document."""
    return _id_role(name) is not None


def _id_role(name: str) -> tuple[str, int] | None:
    role = _role("document", name)
    return role if role and role[0] == "doc_id" else None


def judgment_of(record: Record) -> tuple[RelevanceJudgment, tuple[str, ...]]:
    """The judgment of a record, and the names of unused fields."""
    names, unused = _judgment_fields(tuple(record))
    query, doc, grade = (record[name] for name in names)
    more = {name: _text(record[name], name) for name in ("judge", "timestamp") if record.get(name) is not None}
    return RelevanceJudgment(filled_id(query), filled_id(doc), grade, **more), unused


@lru_cache(4096)
def _judgment_fields(names: tuple[str, ...]) -> tuple[list[str], tuple[str, ...]]:
    """The fields with query, document and grade, and the unused fields."""
    columns = find_columns(names, ("query", "document", "grade")).values()
    return list(columns), tuple(name for name in names if name not in {*columns, "judge", "timestamp"})


def filled_id(value: object) -> str:
    """An id as text; an empty id is an error."""
    filled = text_id(value)
    if not filled:
        raise DataError(EMPTY_ID)
    return filled


def _text(value: Any, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DataError(f"the field {name} must be text, not {shortened(value)}")
    return str(value)


def _whole(value: Any) -> int:
    try:
        if not isinstance(value, bool) and int(value) == float(value):
            return int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise DataError(f"page_number must be a whole number, not {shortened(value)}")


def _id_list(value: Any, name: str) -> list[str]:
    if isinstance(value, str):
        value = _split_list(value)
    if not isinstance(value, list):
        raise DataError(f"{name} must be a list of ids, not {shortened(value)}")
    return [filled_id(entry) for entry in value]


def _split_list(text: str) -> Any:
    """The content of a text: ids separated by `;`, or a list or mapping in JSON or Python notation."""
    if text.lstrip()[:1] not in ("[", "{"):
        return [part.strip() for part in text.split(";") if part.strip()]
    try:
        return parse_json(text)
    except ValueError:
        try:
            return ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            raise DataError(f"expected ids such as d1; d2 or a JSON list, found {shortened(text)}") from None


def judged_ids(value: Any, place: str, notes: Notes) -> dict[str, float]:
    """Document → grade, from a list of ids, a mapping, ids separated by `;`, one id, or records with id and grade."""
    if isinstance(value, str):
        value = _split_list(value)
    if isinstance(value, Mapping):
        graded = list(value.items())
    elif isinstance(value, list | tuple | set):
        graded = [_parse_graded(entry) for entry in value]
    else:
        graded = [(value, 1)]
    judged: dict[str, float] = {}
    for key, grade in graded:
        doc = filled_id(key)
        if not is_finite_number(grade):
            raise DataError(f"the grade of document {doc} must be a finite number, not {shortened(grade)}")
        if doc in judged and judged[doc] != grade:
            raise DataError(f"document {doc} has two grades, {judged[doc]:g} and {grade:g}; keep one of them")
        if doc in judged:
            notes.mend(place, f"document {doc} is listed twice; it counts once")
        judged[doc] = grade
    return judged


def _parse_graded(item: Any) -> tuple[Any, Any]:
    if not isinstance(item, Mapping):
        return item, 1
    doc = next((item[name] for name in (*DOCUMENT["doc_id"], "chunk_id") if item.get(name) is not None), None)
    return doc, next((item[name] for name in COLUMN_NAMES["grade"] if item.get(name) is not None), 1)


def filled_fields(record: Any) -> dict[str, Any]:
    """The fields of a record that have a value, by name."""
    values = {name: getattr(record, name) for name in record.__dataclass_fields__}
    return {name: value for name, value in values.items() if value is not None}


def answer_text(value: object, place: str, notes: Notes) -> str | None:
    """The answer as text. Several answers are joined with `; `. Anything else than text and numbers is noted as lost."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and value and all(isinstance(answer, str | int | float) for answer in value):
        if len(value) > 1:
            notes.mend(place, f"has {len(value)} answers, which are joined with '; '")
        return "; ".join(map(str, value))
    notes.lose(place, f"the answer must be text or a number, not {shortened(value)}; it is not used")
    return None
