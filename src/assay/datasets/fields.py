"""Fields of records: read queries, documents and judgments from fields with common names, and write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from assay.datasets.dataset import Notes
from assay.datasets.list_cells import parse_cell
from assay.datasets.times.record_times import TIME, plain_time, read_time
from assay.errors import DataError
from assay.files import (
    COLUMN_NAMES,
    DOCUMENT_NAMES,
    INTERVAL_ROLES,
    TABLE_COLUMNS,
    WEAK_NAMES,
    accepted_names,
    current_reading,
    find_columns,
    fold,
    parse_json,
    squash,
)
from assay.model import (
    DOCUMENT_FIELDS,
    EMPTY_ID,
    IGNORE,
    IGNORED,
    MEDIA_FIELDS,
    Document,
    Query,
    RelevanceJudgment,
    is_finite_number,
    is_ignore,
    names_file,
    parse_grade,
    text_id,
)
from assay.text import shortened

Record = Mapping[str, Any]

Named = frozenset[tuple[str, str]]
"""Pairs of column and role, for the columns that the user named."""


@cache
def _places(table: str) -> dict[str, tuple[str, int]]:
    """Folded name → the role that it means, and its place in the order of likelihood."""
    places: dict[str, tuple[str, int]] = {}
    for role, names in TABLE_COLUMNS[table].items():
        for place, name in enumerate(names):
            places.setdefault(squash(name), (role, place))  # doc_id and docid are one name, in the place of the likelier
    return places


@lru_cache(4096)
def role_of(table: str, name: str) -> tuple[str, int] | None:
    """The role that a column of this name has in a table, and the place of the name among those of the role."""
    return _places(table).get(squash(name))


def roles_of(table: str, names: Iterable[str], named: Named = frozenset()) -> dict[str, str]:
    """Role → the column that has it, for a table with these columns."""
    return dict(_choose(table, tuple(names), named).columns)


class _Choice(NamedTuple):
    """Role → its column; columns that fit a role but lost it to a likelier name; and all columns that become metadata."""

    columns: dict[str, str]
    lost: dict[str, str]
    others: tuple[str, ...]


@lru_cache(4096)
def _choose(table: str, names: tuple[str, ...], named: Named) -> _Choice:
    """The columns of all roles: those that the user named, then the first name in the table of accepted names."""
    role_by_column = dict(named)
    chosen: dict[str, tuple[int, str]] = {}
    lost: dict[str, str] = {}
    for name in names:
        role, place = (role_by_column[name], -1) if name in role_by_column else role_of(table, name) or ("", 0)
        if not role:
            continue
        if role not in chosen or place < chosen[role][0]:
            if role in chosen:
                lost[chosen[role][1]] = role
            chosen[role] = place, name
        else:
            lost[name] = role
    columns = {role: name for role, (_, name) in chosen.items()}
    taken = {name for role, name in columns.items() if role not in DOCUMENT_FIELDS}
    return _Choice(columns, lost, tuple(name for name in names if name not in taken))


def known_fields(table: str, record: Record, named: Named) -> tuple[dict[str, Any], dict[str, Any] | None, dict[str, str]]:
    """The known fields of the record by role, the rest as its metadata, and the column of each role.

    The path of an image or another file is in the metadata, under `image` or `media`. Columns with tags or popularity are
    metadata like any other.

    Of two columns for one role, the likelier is used in all records, also where it is empty; a note names the other, which
    becomes metadata.
    """
    columns, lost, others = _choose(table, tuple(record), named)
    for name, role in lost.items():
        if (
            role not in DOCUMENT_FIELDS
            and fold(name) not in WEAK_NAMES
            and record[name] is not None
            and columns[role] not in dict(named)
        ):
            what = f"the columns {columns[role]!r} and {name!r} both fit {role}; {columns[role]!r} is used"
            advice = f"to use the other, add --columns {role}={name}"
            current_reading().note_once((table, role, name), table, f"{what}, and {name!r} is kept as metadata; {advice}")
    known = {
        role: record[name] for role, name in columns.items() if role not in DOCUMENT_FIELDS and record[name] is not None
    }
    rest = {name: record[name] for name in others if record[name] is not None}
    for name in MEDIA_FIELDS:
        if (value := known.pop(name, None)) is not None:
            rest[name if names_file(value) else columns[name]] = value
    return known, _merge_metadata(rest, known.pop("metadata", None)), columns


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


class QueryRecord(NamedTuple):
    """The query of a record, and what the record says about documents."""

    query: Query
    judged: dict[str, float] | None
    """Document → grade; None if the record has no judgments, and empty if nothing is relevant."""
    column: str
    """The column that the judgments come from."""
    retrieved: list[str] | None
    """The ids that a system returned, best first; None if the record has none."""
    has_id: bool


def query_of(record: Record, number: int, place: str, notes: Notes, named: Named = frozenset()) -> QueryRecord:
    """The query of a record. A query without an id gets its number as id."""
    known, metadata, columns = known_fields("queries", record, named)
    has_id = "query_id" in known
    query_id = filled_id(known.pop("query_id", number))
    place = f"{place}, query {query_id}"
    relevant, ignored, grade, retrieved = (known.pop(name, None) for name in ("relevant", "ignored", "grade", "retrieved"))
    judged = None if relevant is None else judged_ids(relevant, place, notes, split=False)
    if grade is not None and judged is not None and set(judged.values()) <= {1}:
        judged = dict.fromkeys(judged, _grade(grade))
    elif grade is not None:
        metadata = {**(metadata or {}), columns["grade"]: grade}
    if ignored is not None:
        judged = _with_ignored(judged or {}, _id_list(ignored, "ignored"))
    if "expected" in known:
        known["expected"] = answer_text(known["expected"], place, notes)
    if "evidence" in known:
        known["evidence"] = _id_list(known["evidence"], "evidence")
    if TIME in known:
        known[TIME] = read_time("queries", columns[TIME], known[TIME])
    if "query" in known:
        known["text"] = known.pop("query")
    for name in known.keys() & {"text", "query_type", "difficulty", "domain", "scope"}:
        known[name] = _text(known[name], name)
    query = Query(query_id, metadata=metadata, **known)
    returned = None if retrieved is None else _id_list(retrieved, "retrieved")
    return QueryRecord(query, judged, columns.get("relevant", ""), returned, has_id)


def _with_ignored(judged: Mapping[str, float], ignored: Iterable[str]) -> dict[str, float]:
    """The judgments with the documents that do not count. A document cannot be both relevant and ignored."""
    names = list(ignored)
    if twice := [doc for doc in names if judged.get(doc, IGNORED) != IGNORED]:
        raise DataError(f"document {twice[0]} has a grade and is ignored; keep one of them")
    return {**judged, **dict.fromkeys(names, IGNORED)}


def _grade(value: Any) -> float:
    grade: float = _number(value)
    if not is_finite_number(grade):
        raise DataError(f"the grade must be a finite number, not {shortened(value)}")
    return grade


def _number(value: Any) -> Any:
    """The number that a cell of a table has as text, or the number for `ignore`; anything else unchanged."""
    try:
        return (parse_grade if is_ignore(value) else float)(value) if isinstance(value, str) else value
    except ValueError:
        return value


def document_of(record: Record, named: Named = frozenset()) -> Document:
    """The document of a record. Unknown fields become its metadata."""
    known, metadata, columns = known_fields("documents", record, named)
    doc_id = document_id(record, named)
    known.pop("doc_id")
    for name in known.keys() & {"text", "title", "source", "section", "group"}:
        known[name] = _text(known[name], name)
    if "page_number" in known:
        known["page_number"] = _whole(known["page_number"])
    if TIME in known:
        known[TIME] = read_time("documents", columns[TIME], known[TIME])
    return Document(doc_id, metadata=metadata, **known)


def document_id(record: Record, named: Named = frozenset()) -> str:
    """The id of a document's record."""
    columns = _choose("documents", tuple(record), named).columns
    if "doc_id" not in columns:
        names = ", ".join(map(repr, record)) or "no columns"
        raise DataError(f"found no document id among {names}; {accepted_names('documents', 'doc_id')}")
    if record[columns["doc_id"]] is None:
        raise DataError(f"the document has no id in {columns['doc_id']!r}")
    return filled_id(record[columns["doc_id"]])


def names_document(name: str, named: Named = frozenset()) -> bool:
    """Whether a field of this name may contain the id of a document."""
    role = dict(named).get(name) or (role_of("documents", name) or ("",))[0]
    return role == "doc_id"


def judgment_of(record: Record) -> tuple[RelevanceJudgment, tuple[str, ...]]:
    """The judgment of a record, and the names of unused fields."""
    names, unused = _judgment_fields(tuple(record), current_reading().named_roles("judgments", record))
    query, doc, grade = (record[names[role]] for role in ("query", "document", "grade"))
    more: dict[str, Any] = {
        name: _text(record[name], name) for name in ("judge", "timestamp") if record.get(name) is not None
    }
    for role in names.keys() & INTERVAL_ROLES:
        more[role] = read_time("judgments", names[role], record[names[role]])
    return RelevanceJudgment(filled_id(query), filled_id(doc), _number(grade), **more), unused


@lru_cache(4096)
def _judgment_fields(names: tuple[str, ...], _: Named) -> tuple[dict[str, str], tuple[str, ...]]:
    """The fields of each role, and the unused fields. The columns that the user named are a cache key."""
    columns = find_columns(names, ("query", "document", "grade"), INTERVAL_ROLES)
    return columns, tuple(name for name in names if name not in {*columns.values(), "judge", "timestamp"})


def filled_id(value: object) -> str:
    """An id as text; an empty id is an error. Frames have whole numbers as floats if some of them are missing."""
    filled = text_id(int(value) if isinstance(value, float) and value.is_integer() else value)
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


def _split_list(text: str, *, split: bool = True) -> Any:
    """The content of a text: a list or mapping in JSON or Python notation; or one id, or several if `split` is set."""
    if text.lstrip()[:1] not in ("[", "{"):
        return split_ids(text) if split else [text.strip()]
    value = parse_cell(text)
    if isinstance(value, str):
        raise DataError(f"expected ids such as d1; d2 or a JSON list, found {shortened(text)}")
    return value


def split_ids(text: str) -> list[str]:
    """Ids with `;` or `|` between them."""
    return [part.strip() for part in text.split(";" if ";" in text else "|") if part.strip()]


def judged_ids(value: Any, place: str, notes: Notes, *, split: bool = True) -> dict[str, float]:
    """Document → grade, from a list of ids, a mapping, ids separated by `;`, one id, or records with id and grade.

    Without `split`, a text is one id: it is split later, when the documents are known.
    """
    if isinstance(value, str):
        value = _split_list(value, split=split)
    if isinstance(value, Mapping):
        graded = list(value.items())
    elif isinstance(value, list | tuple | set):
        graded = [_parse_graded(entry) for entry in value]
    else:
        graded = [(value, 1)]
    judged: dict[str, float] = {}
    for key, grade in graded:
        doc = filled_id(key)
        grade = parse_grade(grade) if is_ignore(grade) else grade
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
    doc = next((item[name] for name in DOCUMENT_NAMES["doc_id"] if item.get(name) is not None), None)
    return doc, next((item[name] for name in COLUMN_NAMES["grade"] if item.get(name) is not None), 1)


def filled_fields(record: Any) -> dict[str, Any]:
    """The fields of a record that have a value, by name."""
    values = {name: getattr(record, name) for name in record.__dataclass_fields__}
    if values.get("relevance_grade") == IGNORED:
        values["relevance_grade"] = IGNORE
    return {name: plain_time(value) for name, value in values.items() if value is not None}


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
