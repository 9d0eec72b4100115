"""beir: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, as BEIR, MTEB and CoIR have it; also as Parquet."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.datasets._dataset import BenchmarkDataset, Repair
from assay.datasets._entries import Check, is_text, is_texts, is_whole, put_own
from assay.datasets._folders import CARD, new_folder
from assay.datasets._format import Format, Probe
from assay.datasets._record_files import each_record
from assay.datasets._record_tables import json_decoder, read_card, read_documents, write_card
from assay.datasets._records import filled_id
from assay.datasets._write import grade_text, new_file, write_lines
from assay.errors import DataError
from assay.model.qrels import Qrels
from assay.model.records import Document, Query
from assay.text import shortened, some_of

EXAMPLE = """\
corpus.jsonl     {"_id": "d1", "title": "Cats", "text": "Cats sleep 12 to 16 hours a day.", "metadata": {}}
queries.jsonl    {"_id": "q1", "text": "How long do cats sleep?", "metadata": {}}
qrels/test.tsv   query-id<tab>corpus-id<tab>score
                 q1<tab>d1<tab>1"""
ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")
LOOSE = ("qrels.tsv", "qrels.parquet")
"""Judgments that lie beside the queries."""
SPLITS = ("test", "dev", "validation", "train")
"""Which judgments are read where there are several, in this order."""
SPLIT_NAME = re.compile(r"[\w-][\w.-]*")
"""What may name a file of judgments."""
IDS = ("_id", "id", "doc_id", "query_id")
TAGS = ("query_type", "difficulty", "domain", "expected", "scope")
OF_QUERY: Mapping[str, Check] = {**dict.fromkeys(TAGS, is_text), "evidence": is_texts}
"""Fields of a query that BEIR keeps in its metadata, and what they are; anything else of that name is metadata."""
OF_DOCUMENT: Mapping[str, Check] = {"source": is_text, "page_number": is_whole, "section": is_text, "group": is_text}
NOTHING = "relevantIds"
"""Marks a query that was judged and has nothing relevant, where no dataset.json says so."""


def read_beir(path: Path) -> BenchmarkDataset:
    """Of several splits in qrels/ one is read: test, else dev, validation, train, else the first; the others are noted.

    The split is kept as the dataset's metadata. Type, difficulty, domain, expected answer, scope and evidence of a query,
    and source, page_number, section and group of a document, stand in its metadata or beside its text. What else stands
    there goes to the metadata, such as a language or url; a name with two values is a fault. `relevantIds: []` in the
    metadata of a query says that nothing is relevant. Where there is a dataset.json, as we write it, it has the name,
    version, metadata, judges and spans. An empty title is none. Documents stay in their file until they are asked for.
    """
    dataset = BenchmarkDataset(path.resolve().name, queries=_queries(path))
    if corpus := _find(path, "corpus"):
        dataset.documents = read_documents(corpus, _document, _id_of, IDS.__contains__)
    split = _read_judgments(dataset, path)
    if (path / CARD).exists():
        read_card(dataset, path)
        return dataset
    dataset.qrels.update(_judged_empty(dataset.queries, dataset.qrels))
    if split:
        dataset.metadata["split"] = split
    return dataset


def _judged_empty(queries: dict[str, Query], judged: Collection[str]) -> dict[str, dict[str, float]]:
    """Queries that are known to have nothing relevant, which a table of judgments cannot say; their mark is taken off."""
    found: dict[str, dict[str, float]] = {}
    for query in list(queries.values()):
        if query.query_id not in judged and (query.metadata or {}).get(NOTHING, None) == []:
            rest = {name: value for name, value in (query.metadata or {}).items() if name != NOTHING}
            queries[query.query_id] = replace(query, metadata=rest or None)
            found[query.query_id] = {}
    return found


def _find(path: Path, stem: str) -> Path | None:
    """The file of that name, plain or compressed, as JSON lines or as Parquet."""
    return next((found for ending in ENDINGS if (found := path / f"{stem}{ending}").is_file()), None)


def _queries(path: Path) -> dict[str, Query]:
    file = _find(path, "queries")
    if file is None:
        raise DataError(f"{path}: there is no queries.jsonl in this folder")
    queries: dict[str, Query] = {}

    def take(_: str, record: Mapping[str, Any]) -> None:
        fields, metadata = _own(record, ("text",), OF_QUERY)
        query = Query(_id_of(record), _text(record, "text"), metadata=metadata, **fields)
        if query.query_id in queries:
            raise DataError(f"query {query.query_id} appears twice")
        queries[query.query_id] = query

    each_record(file, take, json_decoder())
    return queries


def _document(record: Mapping[str, Any]) -> Document:
    fields, metadata = _own(record, ("title", "text"), OF_DOCUMENT)
    title = _text(record, "title") or None
    return Document(_id_of(record), _text(record, "text"), metadata=metadata, title=title, **fields)


def _own(
    record: Mapping[str, Any], texts: Collection[str], checks: Mapping[str, Check]
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The fields of ours, out of the record or its metadata; and what is left of both, as metadata."""
    given = record.get("metadata")
    inside = dict(given) if isinstance(given, Mapping) else {}
    taken = {_id_name(record), *texts, *(["metadata"] if isinstance(given, Mapping) or not given else [])}
    outside = {name: value for name, value in record.items() if name not in taken}
    fields: dict[str, Any] = {}
    for name, is_right in checks.items():
        holder = outside if name in outside else inside
        if is_right(holder.get(name)):
            fields[name] = holder.pop(name)
    outside = {name: value for name, value in outside.items() if value is not None}
    if twice := [name for name in outside.keys() & inside.keys() if outside[name] != inside[name]]:
        raise DataError(f"{min(twice)!r} has one value in the record and another in its metadata; keep one of them")
    return fields, {**outside, **inside} or None


def _id_name(record: Mapping[str, Any]) -> str:
    name = next((name for name in IDS if record.get(name) is not None), None)
    if name is None:
        raise DataError("there is no _id")
    return name


def _id_of(record: Mapping[str, Any]) -> str:
    return filled_id(record[_id_name(record)])


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise DataError(f"{name} is text, not {shortened(value)}")
    return "" if value is None else str(value)


def _splits(path: Path) -> dict[str, Path]:
    """Split → its judgments; two files of one split are an error, for nobody knows which one is meant."""
    folder = path / "qrels"
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.is_file() and not file.name.startswith("."):
            split = Path(file.name.removesuffix(".gz").removesuffix(".zst")).stem
            if split in found:
                raise DataError(f"{folder}: both {found[split].name} and {file.name} hold the split {split}; keep one")
            found[split] = file
    return found


def _read_judgments(dataset: BenchmarkDataset, path: Path) -> str:
    """Judgments of one split, and which one it is; those that are not read are noted."""
    files = _splits(path)
    loose = [path / name for name in LOOSE if (path / name).exists()]
    split = next((name for name in SPLITS if name in files), next(iter(files), ""))
    if not files and not loose:
        return ""
    file = files[split] if files else loose[0]
    others = [*(f"qrels/{one.name}" for one in files.values() if one != file), *(one.name for one in loose if one != file)]
    if others:
        dataset.repairs.append(Repair(str(file), f"judgments are read from here, not from {some_of(others)}"))
    qrels = Qrels(str(file))
    dataset.qrels = {query: qrels[query] for query in qrels}
    return split


def write_beir(dataset: BenchmarkDataset, path: Path) -> None:
    """A folder: tags, expected answers and scopes in the metadata of queries and documents, dataset.json for the rest.

    Judgments go to the split that the metadata name, or to qrels/test.tsv.
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
    with new_file(table) as file:
        file.write(b"query-id\tcorpus-id\tscore\n")
        for query, judged in dataset.qrels.items():
            rows = (f"{_cell(query)}\t{_cell(doc)}\t{grade_text(grade)}\n" for doc, grade in judged.items())
            file.writelines(map(str.encode, rows))


def _cell(text: str) -> str:
    if any(mark in text for mark in '\t\r\n"') or text.startswith("#") or not text or text != text.strip():
        raise DataError(
            f"the id {text!r} cannot be held by TSV: it is empty, has a tab, line end or quote in it, blanks around it, or "
            "a # in front; write JSON instead"
        )
    return text


def _corpus_row(document: Document) -> dict[str, Any]:
    outside, metadata = put_own(document.metadata, {name: getattr(document, name) for name in sorted(OF_DOCUMENT)})
    named = {"_id": document.doc_id, "title": document.title or "", "text": document.text}
    return {**named, **outside, "metadata": metadata}


def _query_row(query: Query) -> dict[str, Any]:
    outside, metadata = put_own(query.metadata, {name: getattr(query, name) for name in sorted(OF_QUERY)})
    return {"_id": query.query_id, "text": query.text, **outside, "metadata": metadata}


def detect(probe: Probe) -> bool:
    """A folder with queries, and a corpus; or with judgments and no documents under another name."""
    if not probe.names or _find(probe.path, "queries") is None:
        return False
    if _find(probe.path, "corpus"):
        return True
    has_judgments = bool({*LOOSE} & probe.names) or (probe.path / "qrels").is_dir()
    return has_judgments and not any(name.partition(".")[0] in ("docs", "documents", "collection") for name in probe.names)


FORMAT = Format("beir", "a folder: corpus.jsonl, queries.jsonl, qrels/*.tsv", read_beir, detect, write_beir, example=EXAMPLE)
