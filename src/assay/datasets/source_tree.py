"""Source trees: read a folder of source files as documents."""

from __future__ import annotations

import codecs
import os
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from assay.datasets.dataset import Notes
from assay.errors import DataError
from assay.files import note_opened
from assay.model import Document

MAX_BYTES = 2_000_000
MAX_FILES = 50_000
"""The most files in a folder."""
IGNORED = {"node_modules", "__pycache__", "venv", "site-packages"}
"""Folders with third-party or generated files, which are skipped. Hidden folders are skipped too."""
_PROGRAMS = """
    asm awk bash bat bzl c cc cjs clj cljs cmake coffee cpp cr cs cu cuh cxx d dart el elm erl ex exs f f90
    fish fs fsx gd glsl go gradle groovy h hh hpp hrl hs hxx idl ipynb java jl js jsx kt kts lisp lua m mjs ml
    mli mm mts nim nix pas php pl pm proto ps1 py pyi pyx r rb rs s sbt scala scm sh sol sql st sv svelte
    swift tcl tf thrift ts tsx v vb vhd vim vue wgsl zig zsh"""
_MARKUP_AND_TEXT = """
    adoc astro cfg conf css csv diff ejs gql graphql hbs hcl htm html ini json json5 less markdown md mdx org
    patch pug rmd rst sass scss styl tex text toml txt xml xsd xsl yaml yml"""
ENDINGS = frozenset((_PROGRAMS + _MARKUP_AND_TEXT).split())
NAMES = {"BUILD", "Dockerfile", "Gemfile", "Jenkinsfile", "LICENSE", "Makefile", "README", "Rakefile", "WORKSPACE"}
"""Source files without an extension."""


class SourceTree:
    """Reads the files of a folder that look like sources, and files that are requested by name."""

    def __init__(self, root: Path, notes: Notes) -> None:
        self.root, self.notes = root, notes
        self.skipped: Counter[str] = Counter()
        """Reason → the number of files that were skipped."""

    def documents(self, names: Collection[str], besides: Collection[Path] = ()) -> dict[str, Document]:
        """Path below the root → document. Files in `names` are read with any extension and size, unless they are binary."""
        note_opened(self.root)
        paths = {path.relative_to(self.root).as_posix(): path for path in self._sources() if path not in besides}
        paths |= {name: path for name in names if name not in paths and (path := self.find(name)) is not None}
        documents = {}
        for name in sorted(paths):
            if (text := self._text(name, paths[name])) is not None:
                documents[name] = Document(name, text, source=name)
        return documents

    def find(self, name: str) -> Path | None:
        """The file of this name; None if it does not exist or is outside this folder."""
        try:
            path = (self.root / name).resolve()
            inside = path.is_relative_to(self.root.resolve())
            return self.root / name if inside and path.is_file() and PurePosixPath(name).parts else None
        except (OSError, ValueError):
            return None

    def _sources(self) -> Iterator[Path]:
        """Files that look like sources; the others are counted."""
        n_seen = 0
        for folder, folders, files in os.walk(self.root):
            n_kept = len(folders)
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in IGNORED)
            self.skipped["hidden or third-party folders"] += n_kept - len(folders)
            n_seen += len(files)
            if n_seen > MAX_FILES:
                raise DataError(
                    f"{self.root}: the folder has more than {MAX_FILES:,} files; "
                    "move only the source files to a folder called repo"
                )
            for name in files:
                path = Path(folder, name)
                if reason := _reason_to_skip(path):
                    self.skipped[reason] += 1
                else:
                    yield path

    def _text(self, name: str, path: Path) -> str | None:
        try:
            content = path.read_bytes()
        except OSError as error:
            self.notes.lose(name, f"cannot be read: {error.strerror or error}")
            return None
        if is_binary(content):
            self.skipped["binary"] += 1
            return None
        text, notes = decode_source(content)
        for note in notes:
            self.notes.mend(name, note)
        return text


def _reason_to_skip(path: Path) -> str:
    """Why a file is not read as a source; empty if it is."""
    if path.is_symlink():
        return "links"
    if path.name.startswith("."):
        return "hidden"
    if path.name not in NAMES and path.suffix[1:].lower() not in ENDINGS:
        return "other extensions"
    return "larger than 2 MB" if path.stat().st_size > MAX_BYTES else ""


BOM = "\ufeff"
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte-order marks. The mark of UTF-32 starts like the mark of UTF-16, so it comes first."""


def decode_source(content: bytes) -> tuple[str, list[str]]:
    """The text, and notes about it: an encoding other than UTF-8, or a byte-order mark that was removed."""
    encoding = _encoding(content)
    text = content.decode(encoding)
    notes = [] if encoding == "utf-8" else [f"not valid UTF-8; it was read as {encoding}"]
    if text.startswith(BOM):
        notes.append("its byte-order mark was removed; characters are counted without it")
    return text.removeprefix(BOM), notes


def is_binary(content: bytes) -> bool:
    """Whether it contains a zero byte and is not UTF-16 or UTF-32 text."""
    return b"\0" in content and _encoding(content) not in ("utf-16", "utf-32")


def _encoding(content: bytes) -> str:
    """UTF-16 or UTF-32 if there is a byte-order mark; otherwise UTF-8, cp1252, or Latin-1, which accepts every byte."""
    marked = [encoding for mark, encoding in BYTE_ORDER_MARKS if content.startswith(mark)]
    for encoding in (*marked, "utf-8", "cp1252"):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"
