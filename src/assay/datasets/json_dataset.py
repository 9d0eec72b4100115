"""json: one JSON file with metadata, queries, documents and qrels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._decode import decode_file
from assay.datasets._format import Format, Probe
from assay.datasets._write import new_file
from assay.errors import DataError
from assay.model.qrels import checked_grades
from assay.model.records import Document, Query, RelevanceJudgment, Span
from assay.text import shortened

EXAMPLE = """\
{
  "metadata": {"dataset_name": "Cats", "version": "1.0"},
  "queries": {"q1": {"query_id": "q1", "text": "How long do cats sleep?", "query_type": "factual", "difficulty": "easy"}},
  "documents": {"d1": {"doc_id": "d1", "text": "Cats sleep 12 to 16 hours a day.", "source": "cats.md", "page_number": 3}},
  "qrels": {"q1": {"d1": 3, "d2": 0}}
}"""


@dataclass
class Content:
    """The file, as it is."""

    queries: dict[str, dict[str, Any]]
    qrels: dict[str, dict[str, float]] = field(default_factory=dict)
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    judgments: list[RelevanceJudgment] = field(default_factory=list)
    spans: dict[str, list[Span]] = field(default_factory=dict)


def read_json(path: Path) -> BenchmarkDataset:
    """Ids are the keys; a record that names itself otherwise is a fault. Fields nobody knows go to the metadata."""
    content = decode_file(path, Content)
    checked_grades(content.qrels)
    metadata = dict(content.metadata)
    dataset = BenchmarkDataset(
        str(metadata.pop("dataset_name", path.stem)),
        str(metadata.pop("version", "1.0")),
        metadata,
        queries={key: _record(Query, "query_id", key, fields, path) for key, fields in content.queries.items()},
        documents={key: _record(Document, "doc_id", key, fields, path) for key, fields in content.documents.items()},
        qrels=content.qrels,
        spans=content.spans,
    )
    dataset.judgments = {(one.query_id, one.doc_id): one for one in content.judgments}
    return dataset


def _record(kind: type[Any], id_name: str, key: str, fields: Mapping[str, Any], path: Path) -> Any:
    named = fields.get(id_name, key)
    if str(named) != key:
        raise DataError(f"{path}: the {kind.__name__.lower()} under {key!r} calls itself {named!r}")
    own = kind.__dataclass_fields__
    known = {name: value for name, value in fields.items() if name in own and name != id_name and value is not None}
    others = {name: value for name, value in fields.items() if name not in own}
    if others and isinstance(known.get("metadata", {}), Mapping):
        known["metadata"] = {**others, **(known.get("metadata") or {})}
    for name in known.keys() & _KINDS.keys():
        if not isinstance(known[name], _KINDS[name][0]) or isinstance(known[name], bool):
            raise DataError(f"{path}: {name} of {key!r} is {_KINDS[name][1]}, not {shortened(known[name])}")
    return kind(key, **known)


_KINDS: Mapping[str, tuple[type, str]] = {
    "metadata": (Mapping, "an object"),
    "evidence": (list, "a list of ids"),
    "page_number": (int, "a whole number"),
    **dict.fromkeys(("text", "expected", "scope", "group", "title"), (str, "text")),
}
"""Field → its type, and how to say that."""


def write_json(dataset: BenchmarkDataset, path: Path) -> None:
    """Everything the dataset holds; fields without a value are left out."""
    import msgspec

    content: dict[str, Any] = {
        "metadata": {"dataset_name": dataset.name, "version": dataset.version, **dataset.metadata},
        "queries": {key: _filled(query) for key, query in dataset.queries.items()},
        "documents": {key: _filled(document) for key, document in dataset.documents.items()},
        "qrels": dataset.qrels,
    }
    if dataset.judgments:
        content["judgments"] = [_filled(one) for one in dataset.judgments.values()]
    if dataset.spans:
        content["spans"] = {query: [_filled(span) for span in spans] for query, spans in dataset.spans.items()}
    with new_file(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


def _filled(record: Any) -> dict[str, Any]:
    """The fields that have a value."""
    values = {name: getattr(record, name) for name in record.__dataclass_fields__}
    return {name: value for name, value in values.items() if value is not None}


def detect(probe: Probe) -> bool:
    """A JSON object with queries and qrels."""
    return probe.suffix == ".json" and not probe.is_list and bool(probe.outer_keys & {"queries", "qrels"})


FORMAT = Format(
    "json", "one JSON file: metadata, queries, documents, qrels", read_json, detect, write_json, example=EXAMPLE, rank=10
)
