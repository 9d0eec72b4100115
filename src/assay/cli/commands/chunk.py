"""assay chunk and assay chunkers: cut files into chunks and show them; list chunkers, or explain one."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.output_options import add_text_or_json
from assay.cli.program import Command, Group
from assay.cli.streams import write_json
from assay.cli.terminal import terminal_width, text_here, use_colour
from assay.errors import DataError, UsageError
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.chunkers import Chunker, Distribution
    from assay.model import Chunk, Document
    from assay.reports import Section

EXAMPLES = """\
  assay chunk src/client.py
  assay chunk src/client.py --chunker syntax_tree --format json
  assay chunk src docs --chunker "fixed_lines(size=800, overlap=100)"
  git show HEAD:client.py | assay chunk - --name client.py --chunker syntax_tree --format text"""
CHUNKERS_EXAMPLES = """\
  assay chunkers
  assay chunkers syntax_tree
  assay chunkers -f json"""


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
    parser.add_argument("--name", metavar="NAME", help="file name for standard input; its extension sets the language")
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
        notes.append(
            f"{folder.as_posix()}: files left out: {', '.join(f'{why} ({count:,})' for why, count in skipped.items())}"
        )
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


def add_chunkers_arguments(parser: argparse.ArgumentParser) -> None:
    """A chunker to explain, or none for the list."""
    parser.add_argument("chunker", nargs="?", help="chunker to explain; without it, list all chunkers")
    add_text_or_json(parser)


def run_chunkers(options: argparse.Namespace) -> int:
    """List or explain."""
    from assay.chunkers import all_chunkers, find_chunker

    chosen = find_chunker(options.chunker.partition("(")[0]) if options.chunker else None
    if options.format == "json":
        write_json(_describe_chunker(chosen) if chosen else list(map(_describe_chunker, all_chunkers().values())))
        return 0
    sys.stdout.write(text_here([_chunker_section(chosen) if chosen else _list_section(all_chunkers().values())]))
    return 0


def _describe_chunker(chunker: Chunker) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "name": chunker.name,
        "meaning": chunker.meaning,
        "edge_cases": _edge_cases(chunker),
        "parameters": [{"name": param.name, "default": param.default, "meaning": param.meaning} for param in chunker.params],
    }


def _edge_cases(chunker: Chunker) -> str:
    """What happens in cases that the meaning does not cover: the docstring of its function."""
    return " ".join((inspect.getdoc(chunker.split) or "").split())


def _list_section(chunkers: Iterable[Chunker]) -> Section:
    from assay.reports import Table, cells, table_section, text_columns

    rows = tuple(cells(chunker.name, chunker.meaning) for chunker in chunkers)
    return table_section(Table(text_columns("chunker", "what a chunk is", prose=True), rows))


def _chunker_section(chunker: Chunker) -> Section:
    from assay.chunkers import written_value
    from assay.reports import Paragraph, Section, Table, cells, text_columns

    rows = tuple(cells(param.name, written_value(param.default), param.meaning) for param in chunker.params)
    params = Table(text_columns("parameter", "default", "meaning", prose=True), rows)
    return Section(parts=(Paragraph(f"{chunker.name}: {chunker.meaning}"), Paragraph(_edge_cases(chunker)), params))


CHUNK = Command(
    "chunk",
    "cut files into chunks and show them",
    add_arguments,
    run_chunk,
    EXAMPLES,
    also_takes="paths",
    group=Group.DATA,
)
CHUNKERS = Command(
    "chunkers", "list or explain chunkers", add_chunkers_arguments, run_chunkers, CHUNKERS_EXAMPLES, group=Group.LOOK_UP
)
