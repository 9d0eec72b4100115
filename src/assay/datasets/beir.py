"""beir: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, as BEIR, MTEB and CoIR have it; also as Parquet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from assay.datasets._corpus import FileDocuments
from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._decode import decoded_lines
from assay.datasets._format import Format, Probe
from assay.datasets._records import filled_id
from assay.datasets._source import FileSource
from assay.datasets._write import grade_text, new_file, write_lines
from assay.errors import DataError, Faults
from assay.model.qrels import Qrels
from assay.model.records import Document, Query
from assay.text import shortened

T = TypeVar("T")

EXAMPLE = """\
corpus.jsonl     {"_id": "d1", "title": "Cats", "text": "Cats sleep 12 to 16 hours a day.", "metadata": {}}
queries.jsonl    {"_id": "q1", "text": "How long do cats sleep?", "metadata": {}}
qrels/test.tsv   query-id<tab>corpus-id<tab>score
                 q1<tab>d1<tab>1"""
ENDINGS = ("", ".gz", ".zst")
SPLITS = ("test", "dev", "validation", "train")
"""Which judgments are read where there are several, in this order."""
OWN = {"query_type": str, "difficulty": str, "domain": str, "expected": str, "scope": str, "evidence": list}
"""Fields of a query that BEIR keeps in its metadata, and what they are; anything else of that name is metadata."""
NOTHING = "relevantIds"
"""Marks a query that was judged and has nothing relevant."""
OF_DOCUMENT = {"source": str, "page_number": int, "section": str, "group": str}


def read_beir(path: Path) -> BenchmarkDataset:
    """Documents stay in their file until they are asked for."""
    queries = _queries(path)
    dataset = BenchmarkDataset(path.resolve().name, queries=queries, documents=_documents(path))
    judged, split = _judgments(path)
    dataset.qrels = {**judged, **_judged_empty(queries, judged)}
    if split:
        dataset.metadata["split"] = split
    return dataset


def _judged_empty(queries: dict[str, Query], judged: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Queries that are known to have nothing relevant, which a table of judgments cannot say; their mark is taken off."""
    found: dict[str, dict[str, float]] = {}
    for query in list(queries.values()):
        if query.query_id not in judged and (query.metadata or {}).get(NOTHING, None) == []:
            rest = {name: value for name, value in (query.metadata or {}).items() if name != NOTHING}
            queries[query.query_id] = replace(query, metadata=rest or None)
            found[query.query_id] = {}
    return found


def _find(path: Path, *stems: str) -> Path | None:
    """The first file with one of these names, plain or compressed, as JSON lines or as Parquet."""
    for stem in stems:
        for ending in (*(f".jsonl{more}" for more in ENDINGS), ".parquet"):
            if (found := path / f"{stem}{ending}").exists():
                return found
    return None


def _queries(path: Path) -> dict[str, Query]:
    file = _find(path, "queries")
    if file is None:
        raise DataError(f"{path}: there is no queries.jsonl in this folder")
    faults = Faults(str(file))
    queries: dict[str, Query] = {}
    for number, query in _records(file, _query):
        if query.query_id in queries:
            faults.add(number, f"query {query.query_id} appears twice")
        queries[query.query_id] = query
    faults.raise_if_any()
    return queries


def _records(file: Path, made: Callable[[Mapping[str, Any]], T]) -> Iterator[tuple[int, T]]:
    """Number and record of every line of a file, or row of a table; all faults are raised together, at the end."""
    if file.suffix != ".parquet":
        decode = _decoder(dict[str, Any])
        yield from decoded_lines(file, lambda line: made(decode(line)))
        return
    faults = Faults(f"{file}, row")
    for number, row in enumerate(_table(file), 1):
        try:
            record = made(row)
        except ValueError as error:
            faults.add(number, str(error))
        else:
            yield number, record
    faults.raise_if_any()


def _query(row: Mapping[str, Any]) -> Query:
    fields, metadata = _own(row.get("metadata"), OWN)
    return Query(_id_of(row), _text(row, "text"), metadata=metadata, **fields)


def _documents(path: Path) -> Any:
    file = _find(path, "corpus")
    if file is None:
        return {}
    if file.suffix == ".parquet":
        return {document.doc_id: document for _, document in _records(file, _document)}
    decode = _decoder(dict[str, Any])
    return FileDocuments(FileSource.at(file), _id_decoder(), lambda line: _document(decode(line)))


def _document(row: Mapping[str, Any]) -> Document:
    fields, metadata = _own(row.get("metadata"), OF_DOCUMENT)
    return Document(_id_of(row), _text(row, "text"), metadata=metadata, title=_text(row, "title") or None, **fields)


def _own(metadata: Any, kinds: Mapping[str, type]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What belongs to the record itself, and what is left of the metadata."""
    if not isinstance(metadata, Mapping):
        return {}, None
    fields = {name: metadata[name] for name, kind in kinds.items() if type(metadata.get(name)) is kind}
    if not all(isinstance(item, str) for item in fields.get("evidence", ())):
        del fields["evidence"]
    return fields, {name: value for name, value in metadata.items() if name not in fields} or None


def _id_of(row: Mapping[str, Any]) -> str:
    for name in ("_id", "id", "doc_id", "query_id"):
        if row.get(name) is not None:
            return filled_id(row[name])
    raise DataError("there is no _id")


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise DataError(f"{name} is text, not {shortened(value)}")
    return "" if value is None else str(value)


def _decoder(kind: Any) -> Any:
    import msgspec

    return msgspec.json.Decoder(kind).decode


def _id_decoder() -> Any:
    """The id of a line; the rest of it is skipped without being read into memory."""
    import msgspec

    identity = msgspec.defstruct("Identity", [(name, str | int | None, None) for name in ("_id", "id", "doc_id")])
    decode = msgspec.json.Decoder(identity).decode

    def id_of(line: bytes) -> str:
        found: Any = decode(line)
        value = found._id if found._id is not None else found.id if found.id is not None else found.doc_id
        if value is None:
            raise DataError("there is no _id")
        return value if type(value) is str and value else filled_id(value)

    return id_of


def _judgments(path: Path) -> tuple[dict[str, dict[str, float]], str]:
    folder = path / "qrels"
    there = sorted(folder.iterdir()) if folder.is_dir() else ()
    files = {file.name.partition(".")[0]: file for file in there if file.is_file() and not file.name.startswith(".")}
    loose = next((path / name for name in ("qrels.tsv", "qrels.parquet") if (path / name).exists()), None)
    if not files and loose is None:
        return {}, ""
    split = next((name for name in SPLITS if name in files), next(iter(files), ""))
    qrels = Qrels(str(files[split] if files else loose))
    return {query: qrels[query] for query in qrels}, split


def _table(file: Path) -> Iterator[dict[str, Any]]:
    """Rows of a Parquet file."""
    import duckdb

    from assay.datasets._database import connect, path_literal

    with connect() as connection:
        try:
            found = connection.execute(f"SELECT * FROM read_parquet({path_literal(file)})")
        except duckdb.Error as error:
            raise DataError(f"{file}: not a Parquet file: {str(error).splitlines()[0]}") from None
        names = [column[0] for column in found.description]
        while rows := found.fetchmany(10_000):
            yield from (dict(zip(names, row, strict=True)) for row in rows)


def write_beir(dataset: BenchmarkDataset, path: Path) -> None:
    """A folder; tags, expected answers and scopes go to the metadata of queries and documents."""
    write_lines(path / "corpus.jsonl", map(_corpus_row, dataset.documents.values()))
    nothing = {query for query, judged in dataset.qrels.items() if not judged}
    write_lines(path / "queries.jsonl", (_query_row(query, nothing) for query in dataset.queries.values()))
    table = path / "qrels" / f"{dataset.metadata.get('split', 'test')}.tsv"
    if not any(dataset.qrels.values()):
        table.unlink(missing_ok=True)
        return
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
    more = {name: getattr(document, name) for name in OF_DOCUMENT if getattr(document, name) is not None}
    return {
        "_id": document.doc_id,
        "title": document.title or "",
        "text": document.text,
        "metadata": {**(document.metadata or {}), **dict(sorted(more.items()))},
    }


def _query_row(query: Query, nothing: Collection[str]) -> dict[str, Any]:
    more = {name: getattr(query, name) for name in OWN if getattr(query, name) is not None}
    if query.query_id in nothing:
        more[NOTHING] = []
    return {"_id": query.query_id, "text": query.text, "metadata": {**(query.metadata or {}), **dict(sorted(more.items()))}}


def detect(probe: Probe) -> bool:
    """A folder with queries, and a corpus or judgments."""
    stems = {name.partition(".")[0] for name in probe.names}
    return "queries" in stems and bool(stems & {"corpus", "qrels"})


FORMAT = Format("beir", "a folder: corpus.jsonl, queries.jsonl, qrels/*.tsv", read_beir, detect, write_beir, example=EXAMPLE)
