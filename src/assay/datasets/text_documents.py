"""Text documents: a folder in which each .md or .txt file is a document."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path

from assay.datasets.folder_files import describes_folder
from assay.datasets.source_tree import decode_source, is_binary
from assay.errors import DataError, Faults
from assay.files import FileSource, current_reading, note_opened
from assay.model import Document
from assay.text import counted, some_of

DOCUMENT_STEMS = ("corpus", "documents", "docs", "collection", "passages", "chunks")
"""Names of files with documents, without extension."""
TEXT_ENDINGS = (".md", ".markdown", ".txt", ".rst")
"""Extensions of files that are documents."""
MAX_TEXT_FILES = 100_000


def text_files(folder: Path, besides: Collection[str] = ()) -> Iterator[Path]:
    """Text files in a folder and below it, sorted; hidden files are skipped.

    `besides` are names without extension of files that are not documents; then README and similar files are none either.
    """
    yield from (path for path in _files(folder) if _is_document(path, besides))


def _files(folder: Path) -> Iterator[Path]:
    """All files in a folder and below it, sorted; hidden files and folders are skipped."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place, name) for name in sorted(names) if not name.startswith("."))


def _is_document(path: Path, besides: Collection[str]) -> bool:
    is_other = bool(besides) and (path.stem.lower() in besides or describes_folder(path))
    return path.suffix.lower() in TEXT_ENDINGS and not is_other


class TextDocuments(dict[str, Document]):
    """Documents that are text files. The id of each is its path below the folder, with `/`."""


def text_documents(folder: Path, files: Iterable[Path]) -> TextDocuments:
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


def read_text_files(path: Path, besides: Collection[str] = ()) -> TextDocuments:
    """A document for each text file of a folder. Other files of the folder are noted."""
    files = list(islice(text_files(path, besides), MAX_TEXT_FILES + 1))
    if len(files) > MAX_TEXT_FILES:
        raise DataError(f"the folder has more than {MAX_TEXT_FILES:,} text files; write them into a table", source=path)
    if not files:
        names = ", ".join(DOCUMENT_STEMS)
        what = f"found no documents: neither a table called {names} nor {', '.join(TEXT_ENDINGS)} files"
        raise DataError(what, source=path)
    chosen = set(files)
    others = [file.relative_to(path).as_posix() for file in islice(_files(path), MAX_TEXT_FILES) if file not in chosen]
    if others and not besides:
        what = f"{counted(len(others), 'file')} in the folder of documents {'is' if len(others) == 1 else 'are'} not read"
        current_reading().note_once(("documents", "files"), str(path), f"{what}: {some_of(others)}")
    return text_documents(path, files)
