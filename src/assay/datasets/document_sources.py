"""Documents from where people have them: a table, a folder of text files, a data frame, or a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from assay.datasets.corpus import FileDocuments
from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.fields import (
    Named,
    Record,
    document_id,
    document_of,
    filled_id,
    known_fields,
    names_document,
    role_of,
    roles_of,
)
from assay.datasets.folder_files import named_files
from assay.datasets.text_documents import DOCUMENT_STEMS, TEXT_ENDINGS, read_text_files, text_documents
from assay.datasets.times.record_times import TIME
from assay.errors import DataError
from assay.files import (
    BOM,
    COMPRESSIONS,
    FileSource,
    Reading,
    accepted_names,
    current_reading,
    each_record,
    first_records,
    read_json,
    reading_with,
    rows_of,
    suffix_of,
    take_each,
)
from assay.model import MEDIA_FIELDS, Document
from assay.text import shortened

Documents = MutableMapping[str, Document]
LINES = (".jsonl", *(f".jsonl{packed}" for packed in COMPRESSIONS), ".ndjson")
TABLE_ENDINGS = (
    *LINES,
    *(f"{kind}{packed}" for kind in (".csv", ".tsv") for packed in ("", *COMPRESSIONS)),
    ".parquet",
    ".json",
)
"""Extensions of files with one record per line or row."""
RECORDS_CHECKED = 1000
"""How many records are looked at to find out which column has the ids."""
ACCEPTED = "a file (CSV, TSV, JSON lines, JSON, Parquet), a folder of .md or .txt files, a data frame, or id → text"


def load_documents(source: Any) -> Documents:
    """Documents from a path, a data frame, records, a mapping id → text, or another benchmark."""
    if isinstance(source, BenchmarkDataset):
        return source.documents
    if isinstance(source, str | Path):
        return _from_path(Path(source))
    if isinstance(source, Mapping) and source and all(isinstance(value, str | Document) for value in source.values()):
        return {
            str(key): value if isinstance(value, Document) else Document(str(key), value) for key, value in source.items()
        }
    if isinstance(source, Mapping) and source and all(isinstance(value, Mapping) for value in source.values()):
        return _from_mapping(source, "documents", None)
    rows = list(rows_of(source, "documents"))
    if not rows:
        raise DataError(f"found no documents; expected {ACCEPTED}", source="documents")
    named = _named_columns((row for row in rows[:RECORDS_CHECKED] if isinstance(row, Mapping)), "documents")
    return collect_documents(lambda take: take_each(rows, "documents", take, EXAMPLE), partial(document_of, named=named))


EXAMPLE = "doc_id and text"


def _from_path(path: Path) -> Documents:
    documents = _read_path(path)
    is_known_empty = isinstance(documents, dict) and not documents
    if is_known_empty or (path.is_file() and path.stat().st_size == 0):
        raise DataError(f"found no documents; expected {ACCEPTED}", source=path)
    return documents


def _read_path(path: Path) -> Documents:
    if path.is_file():
        text = suffix_of(path.name) in TEXT_ENDINGS
        return text_documents(path.parent, [path]) if text else read_documents(path)
    if not path.is_dir():
        raise DataError("no such file or folder; documents must be " + ACCEPTED, source=path)
    tables = named_files(path, DOCUMENT_STEMS, TABLE_ENDINGS)
    if len(tables) > 1:
        names = ", ".join(table.name for table in tables)
        raise DataError(f"expected one table of documents, found {len(tables)}: {names}; name one of them", source=path)
    return read_documents(tables[0]) if tables else read_text_files(path)


def read_documents(
    file: Path,
    made: Callable[[Record], Document] | None = None,
    id_of: Callable[[Record], str] | None = None,
    may_be_id: Callable[[str], bool] | None = None,
) -> Documents:
    """Documents, one per record. Documents in JSON lines stay in their file until they are needed."""
    if suffix_of(file.name) == ".json":
        return _from_json(read_json(FileSource.at(file)), str(file), made)
    sample = first_records(file, RECORDS_CHECKED)
    named = _named_columns(sample, str(file)) if made is None else frozenset()
    columns = _columns_of_times() if made is not None else {}
    make = partial(document_of, named=named) if made is None else partial(_made_with, made, columns) if columns else made
    _note_times(sample, made or make)
    if suffix_of(file.name) not in (".jsonl", ".ndjson"):
        return collect_documents(lambda take: each_record(file, lambda _, record: take(record)), make)
    decode = json_decoder()
    id_of_record, may_be_id = id_of or partial(document_id, named=named), may_be_id or partial(names_document, named=named)
    return FileDocuments(
        FileSource.at(file),
        _id_decoder(id_of_record, may_be_id, has_usual=id_of is not None),
        lambda line: make(_object(decode(line.removeprefix(BOM)))),
        f"table {sorted(named)}" if made is None else f"{made.__module__}.{made.__qualname__}{columns or ''}",
    )


def _columns_of_times() -> dict[str, str]:
    """The column that the user named for times, for documents that are read later."""
    return {role: column for role, column in current_reading().columns.items() if role == TIME}


def _made_with(made: Callable[[Record], Document], columns: Mapping[str, str], record: Record) -> Document:
    """The document of a record, with the columns that the user named when the file was opened."""
    with reading_with(Reading(columns)):
        return made(record)


def _note_times(sample: Iterable[Record], make: Callable[[Record], Document]) -> None:
    """Make the notes on times now, because documents in JSON lines are read later."""
    for record in sample:
        with suppress(ValueError):  # a bad record is a fault when it is read
            make(record)


def _from_json(content: Any, label: str, made: Callable[[Record], Document] | None) -> Documents:
    """Documents of a whole JSON file: a list of records, or one object."""
    if isinstance(content, Mapping):
        return _from_mapping(content, label, made)
    if not isinstance(content, list):
        raise DataError(f"expected a list of records, found {shortened(content)}", source=label)
    records = [record for record in content[:RECORDS_CHECKED] if isinstance(record, Mapping)]
    make = made or partial(document_of, named=_named_columns(records, label))
    return collect_documents(lambda take: take_each(content, label, take, EXAMPLE), make)


def _named_columns(records: Iterable[Record], label: str) -> Named:
    """The columns that the user named. In a table of chunks whose document ids repeat, the chunk's own id is the id.

    Notes on columns are made here, because documents in JSON lines are read later.
    """
    sample = list(records)
    names = dict.fromkeys(name for record in sample for name in record)
    named = _with_own_ids(sample, names, current_reading().named_roles("documents", names), label)
    _check_texts(names, named, label)
    for record in sample:
        with suppress(ValueError):  # a bad record is a fault when it is read
            known_fields("documents", record, named)
    return named


def _with_own_ids(sample: Sequence[Record], names: Iterable[str], named: Named, label: str) -> Named:
    """The columns that the user named, and the column of chunk ids if the document ids repeat."""
    ids = [name for name in names if names_document(name)]
    if any(role == "doc_id" for _, role in named) or len(ids) < 2 or len(sample) < 2:
        return named
    used = roles_of("documents", names)["doc_id"]
    own = next((name for name in ids if _are_unique(record.get(name) for record in sample)), used)
    if own == used or _are_unique(record.get(used) for record in sample):
        return named
    what = f"the ids in the column {used!r} repeat, so {own!r} is used as the id of documents"
    current_reading().note_once(("documents", "doc_id", used), label, what)
    return named | {(own, "doc_id")}


def _check_texts(names: Iterable[str], named: Named, label: str) -> None:
    """Raise if no column has texts although one has a name that is not known; note if there are only titles."""
    roles = roles_of("documents", names, named)
    unknown = [name for name in names if name not in roles.values() and role_of("documents", name) is None]
    if roles.keys() & {"text", *MEDIA_FIELDS} or not unknown:
        return
    listed = ", ".join(map(repr, names))
    what = f"found no column with the text of documents among {listed}; {accepted_names('documents', 'text')}"
    if "title" not in roles:
        raise DataError(what, source=label)
    current_reading().note_once(("documents", "text"), label, f"{what}. Only the titles are searched")


def _are_unique(values: Iterable[Any]) -> bool:
    filled = [str(value) for value in values]
    return len(set(filled)) == len(filled)


def _from_mapping(content: Mapping[str, Any], label: str, made: Callable[[Record], Document] | None) -> Documents:
    """Documents of one JSON object: id → text, or id → fields."""
    records = [
        {"doc_id": key, **value} if isinstance(value, Mapping) else {"doc_id": key, "text": value}
        for key, value in content.items()
    ]
    return collect_documents(lambda take: take_each(records, label, take, EXAMPLE), made or document_of)


def collect_documents(feed: Callable[[Callable[[Record], None]], None], made: Callable[[Record], Document]) -> Documents:
    """The documents of records that `feed` passes on. A document that appears twice is a fault."""
    documents: dict[str, Document] = {}

    def take(record: Record) -> None:
        document = made(record)
        if document.doc_id in documents:
            others = [name for name in record if names_document(name) and str(record[name]) != document.doc_id]
            hint = f"; if the ids are in {others[0]!r}, add --columns doc_id={others[0]}" if others else ""
            raise DataError(f"document {document.doc_id} appears twice{hint}")
        documents[document.doc_id] = document

    feed(take)
    return documents


def json_decoder() -> Callable[[bytes], Any]:
    """A fast decoder for large files."""
    import msgspec

    return msgspec.json.Decoder().decode


def _object(record: Any) -> Record:
    if not isinstance(record, dict):
        raise DataError("expected a JSON object")
    return record


def _id_decoder(
    id_of: Callable[[Record], str], may_be_id: Callable[[str], bool], *, has_usual: bool
) -> Callable[[bytes], str]:
    """A decoder for the id of a line, which decodes only fields that may contain the id.

    If the id is usually in `_id`, as in BEIR, that field is tried first, because this is fastest.
    """
    import msgspec

    decode, value_of = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode, json_decoder()
    usual = msgspec.json.Decoder(msgspec.defstruct("Usual", [("_id", Any, None)])).decode

    def id_of_line(line: bytes) -> str:
        line = line.removeprefix(BOM)
        if has_usual and type(line_id := usual(line)._id) is str and line_id:  # type: ignore[attr-defined]
            return line_id
        fields = decode(line)
        return id_of({name: value_of(value) if may_be_id(name) else None for name, value in fields.items()})

    return id_of_line


def chunk_owners(file: Path) -> dict[str, str]:
    """Chunk → document, from a table of chunks with a column for each; empty if the file is not such a table."""
    if suffix_of(file.name) not in (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"):
        return {}
    sample = first_records(file, RECORDS_CHECKED)
    names = dict.fromkeys(name for record in sample for name in record)
    parent = roles_of("documents", names).get("doc_id", "")
    own = next((column for column, role in _with_own_ids(sample, names, frozenset(), str(file)) if role == "doc_id"), "")
    owners: dict[str, str] = {}
    if own and own != parent:
        each_record(file, lambda _, record: owners.update({filled_id(record[own]): filled_id(record[parent])}))
    return owners
