"""json: one JSON file with metadata, queries, documents and qrels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._decode import decode_file, decode_part
from assay.datasets._format import Format, Probe
from assay.datasets._notes import Notes
from assay.datasets._record_tables import add_judges, judges_of
from assay.datasets._records import filled_fields, filled_id
from assay.errors import DataError
from assay.model import Document, Query, RelevanceJudgment, Span, checked_grades
from assay.text import shortened

EXAMPLE = """\
{
  "metadata": {"dataset_name": "Cats", "version": "1.0"},
  "queries": {"q1": {"query_id": "q1", "text": "How long do cats sleep?", "query_type": "factual", "difficulty": "easy"}},
  "documents": {"d1": {"doc_id": "d1", "text": "Cats sleep 12 to 16 hours a day.", "source": "cats.md", "page_number": 3}},
  "qrels": {"q1": {"d1": 3, "d2": 0}}
}"""
Records = dict[str, dict[str, Any]] | list[dict[str, Any]]
NAMED = ("dataset_name", "version")
"""What the metadata say of the dataset itself."""
IDS = {"query": ("query_id", "id", "_id"), "document": ("doc_id", "id", "_id")}


@dataclass
class Content:
    """The file, as it is."""

    queries: Records | None = None
    qrels: dict[str, dict[str, float]] = field(default_factory=dict)
    documents: Records = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    judgments: list[RelevanceJudgment] = field(default_factory=list)
    spans: dict[str, list[Span]] = field(default_factory=dict)


def read_json(path: Path) -> BenchmarkDataset:
    """Queries and documents stand under their ids, or in a list of records with ids; without queries those judged are.

    A record that names itself otherwise than its key is a fault. Fields nobody knows go to the metadata, of the record or of
    the dataset; where those have another value under that name it is noted as lost. Tags and ids may be numbers.
    """
    content = decode_file(path, Content)
    checked_grades(content.qrels)
    if content.queries is None and not content.qrels:
        raise DataError(f'{path}: there are neither queries nor qrels; expected {{"queries": {{"q1": {{"text": "…"}}}}, …}}')
    notes = Notes(str(path))
    inside, outside = content.metadata, _unknown(path)
    name, version = ((inside if name in inside else outside).pop(name, None) for name in NAMED)
    dataset = BenchmarkDataset(
        path.stem if name is None else str(name),
        "1.0" if version is None else str(version),
        _merged(outside, inside, "the file", notes),
        queries=_records(Query, {key: {} for key in content.qrels} if content.queries is None else content.queries, notes),
        documents=_records(Document, content.documents, notes),
        qrels=content.qrels,
        spans=content.spans,
        repairs=notes.repairs,
    )
    notes.raise_if_any()
    add_judges(dataset, content.judgments, str(path))
    return dataset


def _unknown(path: Path) -> dict[str, Any]:
    """What the file holds beside the parts of a benchmark."""
    import msgspec

    fields = decode_file(path, dict[str, msgspec.Raw])
    known = Content.__dataclass_fields__
    return {name: decode_part(value, f"{path}: {name}") for name, value in fields.items() if name not in known}


def _merged(outside: Mapping[str, Any], inside: Mapping[str, Any], whose: str, notes: Notes) -> dict[str, Any]:
    """Metadata, and fields nobody knows, which win over metadata of that name."""
    for name in outside.keys() & inside.keys():
        if outside[name] != inside[name]:
            notes.lose(whose, f"{name} is given twice; that in the metadata ({shortened(inside[name])}) is not kept")
    return {**inside, **outside}


def _records(kind: type[Any], records: Records, notes: Notes) -> dict[str, Any]:
    """Id → record; what is wrong is noted."""
    found: dict[str, Any] = {}
    noun = kind.__name__.lower()
    for key, fields in records.items() if isinstance(records, dict) else _listed(records, noun, notes):
        if key in found:
            notes.fault("", f"the {noun} {key!r} comes twice")
        try:
            found[key] = _record(kind, noun, key, fields, notes)
        except DataError as error:
            notes.fault("", str(error))
        if notes.full:
            break
    return found


def _listed(records: list[dict[str, Any]], noun: str, notes: Notes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Id and fields of records in a list."""
    for number, fields in enumerate(records, 1):
        name = next((name for name in IDS[noun] if fields.get(name) is not None), None)
        if name is None:
            notes.fault("", f"{noun} {number} has none of {', '.join(IDS[noun])}")
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
        raise DataError(f"the {noun} under {key!r} calls itself {named!r}")
    own = kind.__dataclass_fields__
    known = {name: value for name, value in fields.items() if name in own and name != id_name and value is not None}
    for name in known.keys() & TEXTS:
        known[name] = str(known[name]) if type(known[name]) in (int, float) else known[name]
    for name in known.keys() & KINDS.keys():
        if not isinstance(known[name], KINDS[name][0]) or isinstance(known[name], bool):
            raise DataError(f"{name} of {key!r} is {KINDS[name][1]}, not {shortened(known[name])}")
    if "evidence" in known:
        known["evidence"] = [filled_id(one) for one in known["evidence"]]
    if others := {name: value for name, value in fields.items() if name not in own}:
        known["metadata"] = _merged(others, known.get("metadata", {}), f"{noun} {key}", notes)
    return kind(key, **known)


TEXTS = {"query_type", "difficulty", "domain", "scope", "source", "section", "group"}
"""Fields whose numbers become text."""
KINDS: Mapping[str, tuple[type, str]] = {
    "metadata": (Mapping, "an object"),
    "evidence": (list, "a list of ids"),
    "page_number": (int, "a whole number"),
    **dict.fromkeys(("text", "expected", "title", *TEXTS), (str, "text")),
}
"""Field → its type, and how to say that."""


def write_json(dataset: BenchmarkDataset, path: Path) -> None:
    """Everything the dataset holds; fields without a value are left out.

    Metadata called dataset_name or version stand beside the metadata, where the dataset has its own.
    """
    import msgspec

    inside = {name: value for name, value in dataset.metadata.items() if name not in NAMED}
    content: dict[str, Any] = {
        "metadata": {"dataset_name": dataset.name, "version": dataset.version, **inside},
        **{name: value for name, value in dataset.metadata.items() if name in NAMED},
        "queries": {key: filled_fields(query) for key, query in dataset.queries.items()},
        "documents": {key: filled_fields(document) for key, document in dataset.documents.items()},
        "qrels": dataset.qrels,
    }
    if judges := judges_of(dataset):
        content["judgments"] = judges
    if dataset.spans:
        content["spans"] = {query: [filled_fields(span) for span in spans] for query, spans in dataset.spans.items()}
    with atomic_write(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


def detect(probe: Probe) -> bool:
    """A JSON object with queries or qrels."""
    return probe.suffix == ".json" and not probe.is_list and bool(probe.outer_keys & {"queries", "qrels"})


FORMAT = Format(
    "json", "one JSON file: metadata, queries, documents, qrels", read_json, detect, write_json, example=EXAMPLE, rank=10
)
