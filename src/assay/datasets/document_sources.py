"""Documents from where people have them: a table, a folder of text files, a data frame, or a mapping."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any

from assay.datasets.corpus import FileDocuments
from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.fields import Named, Record, document_id, document_of, names_document, roles_of
from assay.datasets.folder_files import describes_folder
from assay.datasets.source_tree import decode_source, is_binary
from assay.errors import DataError, Faults
from assay.files import (
    BOM,
    COMPRESSIONS,
    FileSource,
    current_reading,
    each_record,
    first_records,
    note_opened,
    read_json,
    rows_of,
    suffix_of,
    take_each,
)
from assay.model import Document
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
DOCUMENT_STEMS = ("corpus", "documents", "docs", "collection", "passages", "chunks")
"""Names of files with documents, without extension."""
TEXT_ENDINGS = (".md", ".markdown", ".txt", ".rst")
"""Extensions of files that are documents."""
MAX_TEXT_FILES = 100_000
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
    rows = list(rows_of(source, "documents"))
    named = _named_columns((row for row in rows[:RECORDS_CHECKED] if isinstance(row, Mapping)), "documents")
    return collect_documents(lambda take: take_each(rows, "documents", take, EXAMPLE), partial(document_of, named=named))


EXAMPLE = "doc_id and text"


def _from_path(path: Path) -> Documents:
    if path.is_file():
        text = suffix_of(path.name) in TEXT_ENDINGS
        return _text_files(path.parent, [path]) if text else read_documents(path)
    if not path.is_dir():
        raise DataError("no such file or folder; documents must be " + ACCEPTED, source=path)
    if table := document_table(path):
        return read_documents(table)
    files = list(islice(text_files(path), MAX_TEXT_FILES + 1))
    if len(files) > MAX_TEXT_FILES:
        raise DataError(f"the folder has more than {MAX_TEXT_FILES:,} text files; write them into a table", source=path)
    if not files:
        names = ", ".join(DOCUMENT_STEMS)
        raise DataError(
            f"found no documents: neither a table called {names} nor {', '.join(TEXT_ENDINGS)} files", source=path
        )
    return _text_files(path, files)


def document_table(folder: Path) -> Path | None:
    """The table of documents in a folder; two are an error, because the choice would be a guess."""
    return only_table(folder, "documents", DOCUMENT_STEMS)


def only_table(folder: Path, what: str, stems: Iterable[str], endings: Iterable[str] = TABLE_ENDINGS) -> Path | None:
    """The only file with one of these names and extensions; None if there is none."""
    files = [folder / f"{stem}{ending}" for stem in stems for ending in endings if (folder / f"{stem}{ending}").is_file()]
    if len(files) > 1:
        names = ", ".join(file.name for file in files)
        raise DataError(f"expected one file of {what}, found {len(files)}: {names}; keep one of them", source=folder)
    return files[0] if files else None


def text_files(folder: Path) -> Iterator[Path]:
    """Text files in a folder and below it, sorted; README and similar files and hidden files are skipped."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (Path(place, name) for name in sorted(names) if not name.startswith("."))
        yield from (path for path in paths if path.suffix.lower() in TEXT_ENDINGS and not describes_folder(path))


class TextDocuments(dict[str, Document]):
    """Documents that are text files. The id of each is its path below the folder, with `/`."""


def _text_files(folder: Path, files: Iterable[Path]) -> Documents:
    """A document per file."""
    documents = TextDocuments()
    note_opened(folder)
    faults = Faults(str(folder), "file")
    number = 0
    for number, file in enumerate(files, 1):
        name = file.relative_to(folder).as_posix()
        content = FileSource.at(file).content()
        if is_binary(content):
            faults.add(number, f"{name} is not text")
        else:
            documents[name] = Document(name, decode_source(content)[0], source=name)
    faults.raise_if_any(number)
    return documents


def read_documents(
    file: Path,
    made: Callable[[Record], Document] | None = None,
    id_of: Callable[[Record], str] | None = None,
    may_be_id: Callable[[str], bool] | None = None,
) -> Documents:
    """Documents, one per record. Documents in JSON lines stay in their file until they are needed."""
    if suffix_of(file.name) == ".json":
        return _from_json(read_json(FileSource.at(file)), str(file), made)
    named = _named_columns(first_records(file, RECORDS_CHECKED), str(file)) if made is None else frozenset()
    make = made or partial(document_of, named=named)
    if suffix_of(file.name) not in (".jsonl", ".ndjson"):
        return collect_documents(lambda take: each_record(file, lambda _, record: take(record)), make)
    decode = json_decoder()
    id_of_record, may_be_id = id_of or partial(document_id, named=named), may_be_id or partial(names_document, named=named)
    return FileDocuments(
        FileSource.at(file),
        _id_decoder(id_of_record, may_be_id, has_usual=id_of is not None),
        lambda line: make(_object(decode(line.removeprefix(BOM)))),
    )


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
    """The columns that the user named. In a table of chunks whose document ids repeat, the chunk's own id is the id."""
    sample = list(records)
    names = dict.fromkeys(name for record in sample for name in record)
    named = current_reading().named_roles("documents", names)
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


class DocumentIds:
    """The ids of documents, and what texts of judgments mean as ids: `d1, d2`, or the name of a text file."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self.n_matched = 0
        """How many ids were matched to files by their name."""

    def __bool__(self) -> bool:
        return bool(self._documents)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._documents

    def resolve(self, judged: Mapping[str, float]) -> dict[str, float]:
        """The judgments with ids of documents: `d1, d2` is split if each part is a document, and files need no path."""
        resolved: dict[str, float] = {}
        for doc, grade in judged.items():
            parts = [part.strip() for part in doc.split(",")] if "," in doc and doc not in self else [doc]
            names = [self._find(part) for part in parts]
            ids = names if len(parts) == 1 or all(name in self for name in names) else [doc]
            resolved |= dict.fromkeys(ids, grade)
        return resolved

    def _find(self, name: str) -> str:
        """The id that a name means; the name itself unless exactly one text file has it."""
        if not self._files or name in self:
            return name
        files = self._files.get(name) or self._files.get(Path(name).name) or set()
        self.n_matched += len(files) == 1
        return next(iter(files)) if len(files) == 1 else name

    @cached_property
    def _files(self) -> dict[str, set[str]]:
        """File name, with and without extension and path → ids, if all documents are text files."""
        files: dict[str, set[str]] = {}
        if not isinstance(self._documents, TextDocuments):
            return files
        for doc_id in self._documents:
            path = Path(doc_id)
            for name in {path.name, path.stem, path.with_suffix("").as_posix(), f"./{doc_id}"}:
                files.setdefault(name, set()).add(doc_id)
        return files
