"""Corpora in files: documents are read when they are needed; only their ids and places are kept in memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from assay._version import __version__
from assay.errors import DataError, Faults, current_leniency
from assay.files import BOM, FileSource
from assay.model import Document, FeatureTable

Decoder = Callable[[bytes], Any]


class StoredDocuments(MutableMapping[str, Document]):
    """Documents that stay in their files until they are needed. Documents that are added or replaced are kept in memory.

    Iterating over all documents reads the files once; a single document is read from its place.
    """

    def __init__(self) -> None:
        self._added: dict[str, Document] = {}
        self._removed: set[str] = set()
        self._n_changes = 0

    @property
    @abstractmethod
    def _places(self) -> Mapping[str, int]:
        """Id → the number of its place, in the order of the files."""

    @abstractmethod
    def _read(self, doc_id: str) -> Document:
        """One document from its place."""

    @abstractmethod
    def _stored(self) -> Iterator[tuple[str, Document]]:
        """Every document of the files once."""

    @abstractmethod
    def _label(self, number: int) -> str:
        """`file:line` of a place."""

    def __len__(self) -> int:
        return len(self._places) - len(self._removed) + sum(doc_id not in self._places for doc_id in self._added)

    def __iter__(self) -> Iterator[str]:
        yield from (doc_id for doc_id in self._places if doc_id not in self._removed)
        yield from (doc_id for doc_id in self._added if doc_id not in self._places)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._added or (doc_id in self._places and doc_id not in self._removed)

    def __getitem__(self, doc_id: str) -> Document:
        if doc_id in self._added:
            return self._added[doc_id]
        if doc_id in self._removed or doc_id not in self._places:
            raise KeyError(doc_id)
        return self._read(doc_id)

    def __setitem__(self, doc_id: str, document: Document) -> None:
        self._n_changes += 1
        self._added[doc_id] = document
        self._removed.discard(doc_id)

    def __delitem__(self, doc_id: str) -> None:
        if doc_id not in self:
            raise KeyError(doc_id)
        self._n_changes += 1
        self._added.pop(doc_id, None)
        if doc_id in self._places:
            self._removed.add(doc_id)

    @property
    def _files(self) -> Iterable[Path]:
        """The files that are read."""
        return ()

    def state(self) -> tuple[object, ...]:
        """Differs from an earlier state if a document was added, replaced or removed, or if a file was written since."""
        return self._n_changes, *map(_state_of, self._files)

    @property
    def n_bytes(self) -> int:
        """The size of the files."""
        return sum(state[1] for file in self._files if (state := _state_of(file)) is not None)

    def content_digest(self) -> str | None:
        """A hash of the bytes of the files and of the way in which they are read; None if these do not decide the documents.

        It is many times faster than reading the documents.
        """
        return None

    def place_of(self, doc_id: str) -> str | None:
        """`file:line` of a document; None if it is not in a file."""
        return None if doc_id in self._added or doc_id not in self else self._label(self._places[doc_id])

    def items(self) -> Any:
        """Pairs of id and document, in one pass over the files."""
        return Items(self)

    def values(self) -> Any:
        """Documents, in one pass over the files."""
        return Values(self)

    def stream(self) -> Iterator[tuple[str, Document]]:
        """Every document once, without keeping any in memory. Replaced documents come in their original place."""
        added = dict(self._added)
        for doc_id, document in self._stored():
            if doc_id not in self._removed:
                yield doc_id, added.pop(doc_id, document)
        yield from added.items()


def _state_of(file: Path) -> tuple[int, ...] | None:
    """What changes when a file is written. The time of the last change cannot be set back, unlike that of the content."""
    with suppress(OSError):
        status = file.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return None


class FileDocuments(StoredDocuments):
    """Documents of a file with one record per line.

    To read a single document of a compressed file, the file is unpacked once to a temporary file that exists as long as this
    object.
    """

    def __init__(self, source: FileSource, id_of: Decoder, document_of: Decoder, reader: str = "") -> None:
        super().__init__()
        self._source, self._id_of, self._document_of = source, id_of, document_of
        self._reader = reader
        """Names the decoders and their settings, so that equal lines give equal documents; empty: unknown."""
        self._left_out: set[int] = set()
        """Numbers of bad lines that are left out."""
        if current_leniency() is not None:  # find bad lines now, because the permission ends with the call
            self._check_lines()

    @property
    def _files(self) -> Iterable[Path]:
        return (self._source.path,)

    def content_digest(self) -> str | None:
        """A hash of the bytes of the file and of the decoders; None if documents were left out, added or removed."""
        if not self._reader or self._left_out or self._n_changes:
            return None
        import hashlib

        try:
            with self._source.path.open("rb") as file:
                digest = hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=16, person=b"documents"))
        except OSError:
            return None
        digest.update(f"\0{__version__} {self._reader}".encode())
        return digest.hexdigest()

    def _check_lines(self) -> None:
        """Leave out every line that is not a document, or whose id an earlier line has."""
        faults = Faults(self._source.label)
        seen: set[str] = set()
        n_lines = 0
        with self._source.reading_lines() as file:
            for number, line in enumerate(file):
                if _is_blank(line, number):
                    continue
                n_lines += 1
                try:
                    document = self._decode_line(line, number)
                except DataError as error:
                    faults.add(number + 1, error.what)
                    self._left_out.add(number)
                    continue
                if document.doc_id in seen:
                    faults.add(number + 1, f"document {document.doc_id} appears twice")
                    self._left_out.add(number)
                seen.add(document.doc_id)
        faults.raise_if_any(n_lines)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Id → line number. This reads the whole file, and so also checks every line."""
        faults = Faults(self._source.label)
        places: dict[str, int] = {}
        ends = [0]
        id_of = self._id_of
        with self._source.reading_lines() as file:
            for number, line in enumerate(file):
                ends.append(ends[-1] + len(line))
                if _is_blank(line, number) or number in self._left_out:
                    continue
                try:
                    doc_id = id_of(line if number else line.removeprefix(BOM))
                except (ValueError, RecursionError) as error:
                    faults.add(number + 1, f"expected a JSON object with an id: {error}")
                    continue
                if doc_id in places:
                    faults.add(number + 1, f"document {doc_id} appears twice (first at line {places[doc_id] + 1})")
                places[doc_id] = number
                if faults.full:
                    break
        faults.raise_if_any()
        self._ends = np.array(ends, dtype=np.int64)
        return places

    def _read(self, doc_id: str) -> Document:
        line = self._places[doc_id]
        start, end = self._ends[line], self._ends[line + 1]
        with FileSource(self._source.plain_path, self._source.label).reading() as file:
            file.seek(int(start))
            return self._decode_line(file.read(int(end - start)), line)

    def _label(self, number: int) -> str:
        return f"{self._source.label}:{number + 1}"

    def _stored(self) -> Iterator[tuple[str, Document]]:
        with self._source.reading_lines() as file:
            for number, line in enumerate(file):
                if not _is_blank(line, number) and number not in self._left_out:
                    document = self._decode_line(line, number)
                    yield document.doc_id, document

    def _decode_line(self, line: bytes, number: int) -> Document:
        try:
            document: Document = self._document_of(line if number else line.removeprefix(BOM))
        except (ValueError, RecursionError) as error:
            raise DataError(f"not a document: {error}", source=self._source.label, line=number + 1) from None
        return document


def _is_blank(line: bytes, number: int) -> bool:
    """Whether a line is blank; the first line may contain a byte-order mark."""
    return line.isspace() or (number == 0 and not line.removeprefix(BOM).strip())


class Streamed(Protocol):
    """Documents that can be iterated over without keeping them in memory."""

    def stream(self) -> Iterator[tuple[str, Document]]:
        """Every document once."""

    def __len__(self) -> int: ...


class Items:
    """A view of (id, document) pairs that can be iterated over repeatedly."""

    def __init__(self, documents: Streamed) -> None:
        self._documents = documents

    def __iter__(self) -> Iterator[tuple[str, Document]]:
        return self._documents.stream()

    def __len__(self) -> int:
        return len(self._documents)


class Values:
    """A view of documents that can be iterated over repeatedly."""

    def __init__(self, documents: Streamed) -> None:
        self._documents = documents

    def __iter__(self) -> Iterator[Document]:
        return (document for _, document in self._documents.stream())

    def __len__(self) -> int:
        return len(self._documents)


class FeatureDocuments(MutableMapping[str, Document]):
    """Document id → a document without text. The ids are collected when they are first needed.

    A document may belong to several queries, so its features are in the table, and its queries in `groups` of the benchmark.
    """

    def __init__(self, table: FeatureTable) -> None:
        self._table = table

    @cached_property
    def _documents(self) -> dict[str, Document | None]:
        return dict.fromkeys(self._table.documents)

    def __getitem__(self, doc_id: str) -> Document:
        return self._documents[doc_id] or Document(doc_id)

    def __setitem__(self, doc_id: str, document: Document) -> None:
        self._documents[doc_id] = document

    def __delitem__(self, doc_id: str) -> None:
        del self._documents[doc_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._documents)

    def __len__(self) -> int:
        return len(self._documents)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._documents
