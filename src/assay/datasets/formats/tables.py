"""json, jsonl and parquet: the native formats of assay, one JSON file or a folder of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.document_sources import LINES
from assay.datasets.entries import in_field
from assay.datasets.fields import filled_fields, filled_id
from assay.datasets.folder_tables import (
    TABLES,
    add_judges,
    has_tables,
    judges_of,
    judgment_rows,
    read_queries,
    read_tables,
    write_card,
)
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.datasets.times.record_times import TIME, plain_time, take_time
from assay.errors import DataError
from assay.files import decode_file, decode_part, new_folder, write_lines, write_parquet_table
from assay.model import IGNORE, IGNORED, Document, Query, RelevanceJudgment, Span, checked_grades, parse_grade
from assay.text import shortened

JSON_EXAMPLE = """\
{
  "metadata": {"dataset_name": "Cats", "version": "1.0"},
  "queries": {"q1": {"query_id": "q1", "text": "How long do cats sleep?", "query_type": "factual", "difficulty": "easy"}},
  "documents": {"d1": {"doc_id": "d1", "text": "Cats sleep 12 to 16 hours a day.", "source": "cats.md", "page_number": 3}},
  "qrels": {"q1": {"d1": 3, "d2": 0}}
}"""
Records = dict[str, dict[str, Any]] | list[dict[str, Any]]
TOP_LEVEL_NAMES = ("dataset_name", "version")
"""Metadata fields that describe the dataset itself."""
TABLE_OF = {"query": "queries", "document": "documents"}
IDS = {"query": ("query_id", "id", "_id"), "document": ("doc_id", "id", "_id")}


@dataclass
class Content:
    """The content of the file."""

    queries: Records | None = None
    qrels: dict[str, dict[str, float | str]] = field(default_factory=dict)
    documents: Records = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    judgments: list[RelevanceJudgment] = field(default_factory=list)
    spans: dict[str, list[Span]] = field(default_factory=dict)


def read_json(path: Path) -> BenchmarkDataset:
    """Queries and documents are mappings by id, or lists of records with ids. Without queries, the judged queries are used.

    A record whose id differs from its key is an error. Unknown fields become metadata of the record or of the dataset. If
    the metadata has the same field with another value, the value in the metadata is not used, and is noted as lost. Tags and
    ids may be numbers. Judgments and spans of a query that is left out are left out too.
    """
    content = decode_file(path, Content)
    judged = _grades(content.qrels, path)
    if content.queries is None and not content.qrels:
        example = '{"queries": {"q1": {"text": "…"}}, …}'
        raise DataError(f"{path}: found neither queries nor qrels; expected {example}")
    notes = Notes(str(path))
    inside, outside = content.metadata, _unknown(path)
    name, version = ((inside if name in inside else outside).pop(name, None) for name in TOP_LEVEL_NAMES)
    metadata = _merge_fields(outside, inside, "the file", notes)
    records = {key: {} for key in content.qrels} if content.queries is None else content.queries
    queries, bad = _records(Query, records, notes)
    dataset = BenchmarkDataset(
        path.stem if name is None else str(name),
        "1.0" if version is None else str(version),
        metadata,
        queries=queries,
        documents=_records(Document, content.documents, notes)[0],
        qrels={query: grades for query, grades in judged.items() if query not in bad},
        spans={query: spans for query, spans in content.spans.items() if query not in bad},
        repairs=notes.repairs,
    )
    notes.raise_if_any(len(dataset.queries) + len(dataset.documents) + notes.n_faults)
    add_judges(dataset, (judgment for judgment in content.judgments if judgment.query_id not in bad), str(path))
    return dataset


def _grades(qrels: Mapping[str, Mapping[str, float | str]], path: Path) -> dict[str, dict[str, float]]:
    """The grades as numbers. A grade that is neither a number nor `ignore` is an error."""
    try:
        checked_grades(qrels)
    except DataError as error:
        raise error.at(path) from None
    return {
        query: {doc: parse_grade(grade) if isinstance(grade, str) else grade for doc, grade in judged.items()}
        for query, judged in qrels.items()
    }


def _unknown(path: Path) -> dict[str, Any]:
    """The fields of the file that are not parts of a benchmark."""
    import msgspec

    fields = decode_file(path, dict[str, msgspec.Raw])
    known = Content.__dataclass_fields__
    return {name: decode_part(value, f"{path}: {name}") for name, value in fields.items() if name not in known}


def _merge_fields(outside: Mapping[str, Any], inside: Mapping[str, Any], whose: str, notes: Notes) -> dict[str, Any]:
    """Metadata and unknown fields; unknown fields win over metadata of the same name."""
    for name in outside.keys() & inside.keys():
        if outside[name] != inside[name]:
            notes.lose(whose, f"{name} has two values; the one in the metadata ({shortened(inside[name])}) is not used")
    return {**inside, **outside}


def _records(kind: type[Any], records: Records, notes: Notes) -> tuple[dict[str, Any], set[str]]:
    """Id → record, and the ids of which all records are bad; faults are noted."""
    by_id: dict[str, Any] = {}
    bad: set[str] = set()
    noun = kind.__name__.lower()
    for key, fields in records.items() if isinstance(records, dict) else _each_record(records, noun, notes):
        try:
            record = _record(kind, noun, key, fields, notes)
        except DataError as error:
            notes.fault("", str(error))
            bad.add(key)
        else:
            if by_id.setdefault(key, record) is not record:
                notes.fault("", f"{noun} {key!r} appears twice")
        if notes.full:
            break
    return by_id, bad - by_id.keys()


def _each_record(records: list[dict[str, Any]], noun: str, notes: Notes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Id and fields of records in a list."""
    for number, fields in enumerate(records, 1):
        name = next((name for name in IDS[noun] if fields.get(name) is not None), None)
        if name is None:
            notes.fault("", f"{noun} {number}: expected an id {in_field(IDS[noun])}, found none")
            continue
        try:
            key = filled_id(fields[name])
        except DataError as error:
            notes.fault("", f"{noun} {number}: {error}")
        else:
            yield key, {other: value for other, value in fields.items() if other != name}


def _record(kind: type[Any], noun: str, key: str, fields: Mapping[str, Any], notes: Notes) -> Any:
    id_name = IDS[noun][0]
    named = fields.get(id_name, key)
    if str(named) != key:
        raise DataError(f"the {noun} under the key {key!r} has another {id_name}, {named!r}")
    own = kind.__dataclass_fields__
    known = {name: value for name, value in fields.items() if name in own and name != id_name and value is not None}
    for name in known.keys() & TEXTS:
        known[name] = str(known[name]) if type(known[name]) in (int, float) else known[name]
    for name in known.keys() & KINDS.keys():
        if not isinstance(known[name], KINDS[name][0]) or isinstance(known[name], bool):
            raise DataError(f"{name} of {noun} {key!r} must be {KINDS[name][1]}, not {shortened(known[name])}")
    if "evidence" in known:
        known["evidence"] = [filled_id(doc_id) for doc_id in known["evidence"]]
    others = {name: value for name, value in fields.items() if name not in own or name == TIME}
    known |= {TIME: take_time(TABLE_OF[noun], others)}
    if others:
        known["metadata"] = _merge_fields(others, known.get("metadata", {}), f"{noun} {key}", notes)
    return kind(key, **known)


TEXTS = {"query_type", "difficulty", "domain", "scope", "source", "section", "group"}
"""Fields whose numbers become text."""
KINDS: Mapping[str, tuple[type, str]] = {
    "metadata": (Mapping, "an object"),
    "evidence": (list, "a list of ids"),
    "page_number": (int, "a whole number"),
    **dict.fromkeys(("text", "expected", "title", *TEXTS), (str, "text")),
}
"""Field → its type, and the name of that type."""


def content_of(dataset: BenchmarkDataset) -> dict[str, Any]:
    """The whole dataset as plain values. Fields without a value are left out.

    The metadata contain the dataset's own dataset_name and version; other metadata with these names go next to them.
    """
    import msgspec

    inside = {name: value for name, value in dataset.metadata.items() if name not in TOP_LEVEL_NAMES}
    content: dict[str, Any] = {
        "metadata": {"dataset_name": dataset.name, "version": dataset.version, **inside},
        **{name: value for name, value in dataset.metadata.items() if name in TOP_LEVEL_NAMES},
        "queries": {key: filled_fields(query) for key, query in dataset.queries.items()},
        "documents": {key: filled_fields(document) for key, document in dataset.documents.items()},
        "qrels": {
            query: {
                doc: IGNORE if grade == IGNORED else grade
                for doc, grade in judged.items()
                if (query, doc) not in dataset.intervals
            }
            for query, judged in dataset.qrels.items()
        },
    }
    if judges := judges_of(dataset):
        content["judgments"] = judges
    if dataset.spans:
        content["spans"] = {query: [filled_fields(span) for span in spans] for query, spans in dataset.spans.items()}
    return msgspec.to_builtins(content, str_keys=True)


def write_json(dataset: BenchmarkDataset, path: Path) -> None:
    """Write the whole dataset as one JSON file."""
    import msgspec

    content = content_of(dataset)
    with atomic_write(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


def detect_json(probe: Probe) -> bool:
    """A JSON object with queries or qrels."""
    return probe.suffix == ".json" and not probe.is_list and bool(probe.outer_keys & {"queries", "qrels"})


JSON = Format(
    "json",
    "one JSON file: metadata, queries, documents, qrels",
    read_json,
    detect_json,
    write_json,
    example=JSON_EXAMPLE,
    needs="a JSON object with queries or qrels",
    rank=10,
    is_single_file=True,
)


JSONL_EXAMPLE = """\
queries.jsonl     {"query_id": "q1", "text": "How long do cats sleep?", "query_type": "factual", "difficulty": "easy"}
documents.jsonl   {"doc_id": "d1", "text": "Cats sleep 12 to 16 hours a day.", "source": "cats.md", "page_number": 3}
judgments.jsonl   {"query_id": "q1", "doc_id": "d1", "relevance_grade": 3, "judge": "Ada"}
dataset.json      {"name": "Cats", "version": "1.0", "metadata": {}}"""


def read_jsonl(path: Path) -> BenchmarkDataset:
    """A folder of tables; or one file of queries with their ground truth, as in `golden`.

    Unknown fields become metadata of queries and documents. Documents stay in their file until they are needed.
    """
    if path.is_dir():
        return read_tables(path)
    dataset = BenchmarkDataset(path.name.partition(".")[0])
    read_queries(dataset, path)
    return require_queries(dataset, str(path))


def write_jsonl(dataset: BenchmarkDataset, path: Path) -> None:
    """Write a folder. Fields without a value are left out."""
    with new_folder(path, "jsonl", [f"{table}.jsonl" for table in TABLES]) as folder:
        write_lines(folder / "queries.jsonl", map(filled_fields, dataset.queries.values()))
        write_lines(folder / "documents.jsonl", map(filled_fields, dataset.documents.values()))
        write_lines(folder / "judgments.jsonl", map(filled_fields, judgment_rows(dataset)))
        write_card(dataset, folder, has_judges=True)


def detect_jsonl(probe: Probe) -> bool:
    """A folder with queries.jsonl and without a corpus."""
    return has_tables(probe.names, LINES)


JSONL = Format(
    "jsonl",
    "a folder of tables as JSON lines",
    read_jsonl,
    detect_jsonl,
    write_jsonl,
    example=JSONL_EXAMPLE,
    needs="a folder with queries.jsonl or judgments.jsonl, and without corpus and qrels",
)


PARQUET_EXAMPLE = """\
queries.parquet     query_id   text                               query_type   metadata
                    q1         How long do cats sleep?            factual      {"language": "en"}
documents.parquet   doc_id     text                               source       page_number
                    d1         Cats sleep 12 to 16 hours a day.   cats.md      3
judgments.parquet   query_id   doc_id                             relevance_grade
                    q1         d1                                 3"""
TYPES = {"evidence": "VARCHAR[]", "page_number": "BIGINT", "relevance_grade": "DOUBLE"}
"""Columns that are not text. Metadata are a JSON object as text."""


def read_parquet(path: Path) -> BenchmarkDataset:
    """A folder of tables, some of which may be JSON lines. Unknown columns become metadata; NaN is a missing value."""
    return read_tables(path)


def write_parquet(dataset: BenchmarkDataset, path: Path) -> None:
    """Write a folder. Every field of a record is a column."""
    with new_folder(path, "parquet", [f"{table}.parquet" for table in TABLES]) as folder:
        _write(folder / "queries.parquet", Query, dataset.queries.values())
        _write(folder / "documents.parquet", Document, dataset.documents.values())
        _write(folder / "judgments.parquet", RelevanceJudgment, judgment_rows(dataset))
        write_card(dataset, folder, has_judges=True)


def _write(file: Path, kind: type[Any], records: Iterable[Any]) -> None:
    names = [field.name for field in dataclass_fields(kind)]
    write_parquet_table(file, {name: TYPES.get(name, "VARCHAR") for name in names}, _rows(names, records))


def _rows(names: list[str], records: Iterable[Any]) -> Iterator[list[Any]]:
    import msgspec

    for record in records:
        row = [plain_time(getattr(record, name)) for name in names]
        if "metadata" in names and (place := names.index("metadata")) and row[place] is not None:
            row[place] = msgspec.json.encode(row[place]).decode()
        yield row


def detect_parquet(probe: Probe) -> bool:
    """A folder with queries.parquet and without a corpus; a folder with queries or judgments as JSON lines is `jsonl`."""
    return has_tables(probe.names, (".parquet",)) and not has_tables(probe.names, LINES)


PARQUET = Format(
    "parquet",
    "a folder of tables as Parquet",
    read_parquet,
    detect_parquet,
    write_parquet,
    example=PARQUET_EXAMPLE,
    needs="a folder with queries.parquet or judgments.parquet, and without corpus and qrels",
)
