"""beir: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, as in BEIR, MTEB and CoIR; also as Parquet.

Hugging Face has the same in folders: corpus, queries, and qrels (or default, or data), each table in one or more Parquet
files. A multilingual task of MTEB has these folders for each of its subsets: en-corpus, en-queries and en-qrels
(https://github.com/embeddings-benchmark/mteb, retrieval_dataset_loaders.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.datasets.beir_tables import JUDGMENT_FILES, SPLITS, Tables, read_split
from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.document_sources import json_decoder, read_documents
from assay.datasets.entries import Check, is_text, is_texts, is_whole, split_metadata
from assay.datasets.fields import filled_id
from assay.datasets.folder_tables import read_card, write_card
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.datasets.times.record_times import TIME, take_time
from assay.errors import DataError
from assay.files import (
    CARD,
    each_record,
    grade_text,
    new_folder,
    write_lines,
)
from assay.model import Document, Query, time_text
from assay.text import shortened

EXAMPLE = """\
corpus.jsonl     {"_id": "d1", "title": "Cats", "text": "Cats sleep 12 to 16 hours a day.", "metadata": {}}
queries.jsonl    {"_id": "q1", "text": "How long do cats sleep?", "metadata": {}}
qrels/test.tsv   query-id<tab>corpus-id<tab>score
                 q1<tab>d1<tab>1"""
SPLIT_NAME = re.compile(r"[\w-][\w.-]*")
"""A valid name for a file of judgments."""
IDS = ("_id", "id", "doc_id", "query_id")
TAGS = ("query_type", "difficulty", "domain", "expected", "scope")
QUERY_METADATA: Mapping[str, Check] = {**dict.fromkeys(TAGS, is_text), "evidence": is_texts}
"""Fields of a query that BEIR keeps in its metadata, and the check of their type. Any other value stays metadata."""
DOCUMENT_METADATA: Mapping[str, Check] = {"source": is_text, "page_number": is_whole, "section": is_text, "group": is_text}
NOTHING_RELEVANT = "relevantIds"
"""Marks a query that was judged to have nothing relevant, if there is no dataset.json."""


def read_beir(path: Path, split: str | None = None) -> BenchmarkDataset:
    """If qrels/ has several splits, assay reads one of them: test if there is one, otherwise dev, validation, train or the
    first. `dataset.repairs` lists the other splits. `folder:dev` reads the split dev instead, and the name of the dataset
    then includes the split. Parquet is also read from folders as on Hugging Face: corpus/corpus-00000-of-00001.parquet,
    queries/…, and test-… in qrels, default or data. The dataset's metadata records the split.

    The fields query_type, difficulty, domain, expected, scope and evidence of a query, and source, page_number, section and
    group of a document, may be in its metadata or next to its text. Times may be in fields such as timestamp, or in the
    metadata as time. Other fields, such as a language or url, become
    metadata; a field with two different values is a fault. `relevantIds: []` in the metadata of a query means that nothing
    is relevant. A dataset.json, as assay writes it, has the name, version, metadata, judges and spans. An empty title counts
    as no title. Documents stay in their file until they are needed.
    """
    return read_tables_of(Tables(path), split)


def read_tables_of(tables: Tables, split: str | None = None) -> BenchmarkDataset:
    """Read the queries, documents and judgments of a folder, or of one of its subsets."""
    path = tables.path
    dataset = BenchmarkDataset(path.resolve().name)
    usual, used = read_split(dataset, tables, split)
    dataset.queries = _queries(tables, used)
    dataset.documents = _documents(tables, used)
    if (path / CARD).exists():
        read_card(dataset, path)
    else:
        dataset.qrels.update(_judged_empty(dataset.queries, dataset.qrels))
    if used and (split is not None or not (path / CARD).exists()):
        dataset.metadata["split"] = used
    if used != usual:
        dataset.name = f"{dataset.name}:{used}"
    return dataset


def _documents(tables: Tables, split: str) -> Any:
    """All documents. A table in several files is joined, and a document that is in two of them is a fault."""
    files = tables.find("corpus", split)
    if len(files) < 2:
        return read_documents(files[0], _document, _id_of, IDS.__contains__) if files else {}
    documents: dict[str, Document] = {}
    for file in files:
        some = read_documents(file, _document, _id_of, IDS.__contains__)
        if twice := documents.keys() & some.keys():
            raise DataError(f"document {min(twice)} is also in another file of the corpus; keep one of them", source=file)
        documents |= some
    return documents


def _judged_empty(queries: dict[str, Query], judged: Collection[str]) -> dict[str, dict[str, float]]:
    """Queries that are marked as having nothing relevant, which a table of judgments cannot say. The mark is removed."""
    judgments: dict[str, dict[str, float]] = {}
    for query in list(queries.values()):
        if query.query_id not in judged and (query.metadata or {}).get(NOTHING_RELEVANT, None) == []:
            rest = {name: value for name, value in (query.metadata or {}).items() if name != NOTHING_RELEVANT}
            queries[query.query_id] = replace(query, metadata=rest or None)
            judgments[query.query_id] = {}
    return judgments


def _queries(tables: Tables, split: str) -> dict[str, Query]:
    files = tables.find("queries", split)
    if not files:
        raise DataError("expected a file queries.jsonl in this folder, found none", source=tables.path)
    queries: dict[str, Query] = {}

    def take(_: str, record: Mapping[str, Any]) -> None:
        fields, metadata = _split_fields(record, ("text",), QUERY_METADATA, "queries")
        query = Query(_id_of(record), _text(record, "text"), metadata=metadata, **fields)
        if query.query_id in queries:
            raise DataError(f"query {query.query_id} appears twice")
        queries[query.query_id] = query

    for file in files:
        each_record(file, take, json_decoder())
    return queries


def _document(record: Mapping[str, Any]) -> Document:
    fields, metadata = _split_fields(record, ("title", "text"), DOCUMENT_METADATA, "documents")
    title = _text(record, "title") or None
    return Document(_id_of(record), _text(record, "text"), metadata=metadata, title=title, **fields)


def _split_fields(
    record: Mapping[str, Any], texts: Collection[str], checks: Mapping[str, Check], table: str
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The known fields, from the record or its metadata; and the rest of both as metadata."""
    metadata = record.get("metadata")
    inside = dict(metadata) if isinstance(metadata, Mapping) else {}
    taken = {_id_name(record), *texts, *(["metadata"] if isinstance(metadata, Mapping) or not metadata else [])}
    outside = {name: value for name, value in record.items() if name not in taken}
    fields: dict[str, Any] = {}
    for name, is_right in checks.items():
        holder = outside if name in outside else inside
        if is_right(holder.get(name)):
            fields[name] = holder.pop(name)
    if (time := take_time(table, outside, inside)) is not None:
        fields[TIME] = time
    outside = {name: value for name, value in outside.items() if value is not None}
    if twice := [name for name in outside.keys() & inside.keys() if outside[name] != inside[name]]:
        raise DataError(f"{min(twice)!r} has different values in the record and in its metadata; keep one of them")
    return fields, {**outside, **inside} or None


def _id_name(record: Mapping[str, Any]) -> str:
    name = next((name for name in IDS if record.get(name) is not None), None)
    if name is None:
        raise DataError("expected an id in the field _id, found none")
    return name


def _id_of(record: Mapping[str, Any]) -> str:
    return filled_id(record[_id_name(record)])


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise DataError(f"the field {name} must be text, not {shortened(value)}")
    return "" if value is None else str(value)


def write_beir(dataset: BenchmarkDataset, path: Path) -> None:
    """Write a folder, with a dataset.json for everything that has no place in BEIR's files.

    Tags, expected answers and scopes go to the metadata of queries and documents. Judgments go to the split that the
    metadata name, or to qrels/test.tsv.
    """
    split = str(dataset.metadata.get("split", ""))
    table = f"qrels/{split if SPLIT_NAME.fullmatch(split) else SPLITS[0]}.tsv"
    with new_folder(path, "beir", ["corpus.jsonl", "queries.jsonl", table]) as folder:
        if any(dataset.qrels.values()):
            _write_judgments(dataset, folder / table)
        write_lines(folder / "corpus.jsonl", map(_corpus_row, dataset.documents.values()))
        write_lines(folder / "queries.jsonl", map(_query_row, dataset.queries.values()))
        write_card(dataset, folder)


def _write_judgments(dataset: BenchmarkDataset, table: Path) -> None:
    with atomic_write(table) as file:
        file.write(b"query-id\tcorpus-id\tscore\n")
        for query, judged in dataset.qrels.items():
            rows = (f"{_cell(query)}\t{_cell(doc)}\t{grade_text(grade)}\n" for doc, grade in judged.items())
            file.writelines(map(str.encode, rows))


def _cell(text: str) -> str:
    if any(mark in text for mark in '\t\r\n"') or text.startswith("#") or not text or text != text.strip():
        raise DataError(
            f"the id {text!r} cannot be written as TSV: an id must not be empty, contain a tab, line break or quote, "
            "start with #, or have spaces around it; write JSON instead"
        )
    return text


def _corpus_row(document: Document) -> dict[str, Any]:
    outside, metadata = split_metadata(
        document.metadata, {name: getattr(document, name) for name in sorted(DOCUMENT_METADATA)}
    )
    named = {"_id": document.doc_id, "title": document.title or "", "text": document.text}
    return {**named, **_dated(document), **outside, "metadata": metadata}


def _query_row(query: Query) -> dict[str, Any]:
    outside, metadata = split_metadata(query.metadata, {name: getattr(query, name) for name in sorted(QUERY_METADATA)})
    return {"_id": query.query_id, "text": query.text, **_dated(query), **outside, "metadata": metadata}


def _dated(record: Query | Document) -> dict[str, str]:
    return {} if record.time is None else {TIME: time_text(record.time)}


def detect(probe: Probe) -> bool:
    """A folder with queries and a corpus; or with queries, judgments, and no documents under another name."""
    tables = Tables(probe.path)
    if not probe.names or not tables.has("queries"):
        return False
    if tables.has("corpus"):
        return True
    has_judgments = bool({*JUDGMENT_FILES} & probe.names) or (probe.path / "qrels").is_dir()
    return has_judgments and not any(name.partition(".")[0] in ("docs", "documents", "collection") for name in probe.names)


FORMAT = Format(
    "beir",
    "a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, or the same as Parquet; folder:dev reads the split dev",
    read_beir,
    detect,
    write_beir,
    example=EXAMPLE,
    needs="a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv, or the same as Parquet",
    read_split=read_beir,
)
