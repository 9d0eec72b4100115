"""assay chunk: cut files into chunks, and show them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.program import Command
from assay.cli.streams import write_json
from assay.cli.terminal import terminal_width, text_here, use_colour
from assay.errors import DataError, UsageError
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.chunkers import Distribution
    from assay.model import Chunk, Document

EXAMPLES = """\
  assay chunk src/client.py
  assay chunk src/client.py --chunker syntax_tree --format json
  assay chunk src docs --chunker "fixed_lines(size=800, overlap=100)"
  git show HEAD:client.py | assay chunk - --name client.py --chunker syntax_tree --format text"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Files, and how to cut them."""
    parser.add_argument("paths", nargs="*", metavar="file", help="text files, or folders of them; - reads standard input")
    parser.add_argument(
        "-c",
        "--chunker",
        default="fixed_lines",
        metavar="CHUNKER",
        help="chunker to use; assay chunkers lists all (default: fixed_lines)",
    )
    parser.add_argument("--name", metavar="NAME", help="file name for standard input; its extension says the language")
    parser.add_argument(
        "-f",
        "--format",
        default="table",
        choices=("table", "json", "text"),
        metavar="FORMAT",
        help="output format: table, json or text (default: table)",
    )


def run_chunk(options: argparse.Namespace) -> int:
    """Read, cut and show files. Notes go to standard error, and so does the summary if the output is JSON."""
    from assay.chunkers import chunk_documents, parse_chunker

    chunker = parse_chunker(options.chunker)
    chunker.check()
    notes: list[str] = []
    documents = _documents(options, notes)
    remarks: Counter[str] = Counter()
    chunks = chunk_documents(chunker, documents, remarks)
    notes += [f"{counted(count, 'file')}: {what}" for what, count in remarks.items()]
    sys.stderr.write("".join(f"note: {printable(note)}\n" for note in notes))
    summary = _summary(chunks, documents)
    if options.format == "json":
        write_json(list(map(_describe, chunks)))
        sys.stderr.write(summary)
    else:
        sys.stdout.write((_table if options.format == "table" else _texts)(chunks) + summary)
    return 0


def _documents(options: argparse.Namespace, notes: list[str]) -> list[Document]:
    """All given files, each once."""
    if not options.paths:
        raise UsageError("give a file to cut: assay chunk file.py --chunker syntax_tree")
    if options.paths.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    if options.name and "-" not in options.paths:
        raise UsageError("--name is for standard input: assay chunk - --name file.py")
    documents_by_id: dict[str, Document] = {}
    for path in options.paths:
        for document in _read(path, options.name or "stdin", notes):
            documents_by_id.setdefault(document.doc_id, document)
    return list(documents_by_id.values())


def _read(path: str, name: str, notes: list[str]) -> Sequence[Document]:
    from assay.model import Document

    if path == "-":
        return [Document(name, _decode(name, sys.stdin.buffer.read(), notes))]
    if Path(path).is_dir():
        return _folder(Path(path), notes)
    called = Path(path).as_posix()
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise DataError("no such file", source=called) from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", source=called) from None
    return [Document(called, _decode(called, content, notes))]


def _folder(folder: Path, notes: list[str]) -> list[Document]:
    """The source files in a folder. Hidden files, binary files and files with other extensions are left out, and counted."""
    from dataclasses import replace

    from assay.datasets import Notes, SourceTree

    tree = SourceTree(folder, Notes(folder.as_posix()))
    documents = tree.documents(())
    notes += [f"{(folder / repair.place).as_posix()}: {repair.what}" for repair in tree.notes.repairs]
    if skipped := {why: count for why, count in sorted(tree.skipped.items()) if count}:
        notes.append(f"{folder.as_posix()}: left out: {', '.join(f'{why} ({count:,})' for why, count in skipped.items())}")
    if not documents:
        raise DataError(f"{folder.as_posix()}: this folder has no source files. To cut a file of any kind, give its path")
    return [replace(document, doc_id=(folder / name).as_posix()) for name, document in documents.items()]


def _decode(name: str, content: bytes, notes: list[str]) -> str:
    """The text of a file in any encoding; repairs are noted."""
    from assay.datasets import decode_source

    text, repairs = decode_source(content)
    notes += [f"{name}: {repair}" for repair in repairs]
    return text


def _describe(chunk: Chunk) -> dict[str, object]:
    """Plain JSON values."""
    names = ("doc_id", "number", "start", "end", "start_line", "end_line", "title", "text")
    return {"id": chunk.chunk_id, **{name: getattr(chunk, name) for name in names}}


def _table(chunks: Sequence[Chunk]) -> str:
    from assay.reports import Column, Table, cells, table_section
    from assay.text import words_of

    rows = [
        cells(chunk.chunk_id, f"{chunk.start:,}", f"{chunk.end:,}", f"{len(words_of(chunk.text)):,}", chunk.title or "")
        for chunk in chunks
    ]
    figures = (Column("start"), Column("end"), Column("words"))
    heads = (Column("chunk", kind="text"), *figures, Column("title", kind="prose"))
    return text_here([table_section(Table(heads, tuple(rows)))]) + "\n" if chunks else ""


def _texts(chunks: Sequence[Chunk]) -> str:
    """Each chunk below a line with its id. Control characters are escaped on a terminal."""
    blocks = []
    for chunk in chunks:
        title = f"  {printable(chunk.title)}" if chunk.title else ""
        blocks.append(f"=== {printable(chunk.chunk_id)}{title}\n{_escape_for_terminal(chunk.text).rstrip(chr(10))}\n\n")
    return "".join(blocks)


def _escape_for_terminal(text: str) -> str:
    if not sys.stdout.isatty():
        return text
    return "\n".join("\t".join(map(printable, line.rstrip("\r").split("\t"))) for line in text.split("\n"))


def _summary(chunks: Sequence[Chunk], documents: Sequence[Document]) -> str:
    from assay.chunkers import sizes
    from assay.reports import Style

    chunk_sizes = sizes(chunks)
    parts = [f"{counted(chunk_sizes.n, 'chunk')} of {counted(len(documents), 'file')}"]
    parts += [
        f"{name}: {_spread(distribution)}"
        for name, distribution in (("characters", chunk_sizes.characters), ("words", chunk_sizes.tokens))
        if distribution
    ]
    return Style(terminal_width(), use_colour()).wrapped(" · ".join(parts)) + "\n"


def _spread(sizes: Distribution) -> str:
    spread = f"5–95 % {sizes.p5:,.0f}–{sizes.p95:,.0f}"
    return f"median {sizes.median:,.0f}, mean {sizes.mean:,.0f}, {spread}, largest {sizes.max:,.0f}"


COMMAND = Command("chunk", "cut files into chunks and show them", add_arguments, run_chunk, EXAMPLES, also_takes="paths")
