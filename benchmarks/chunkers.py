"""Chunkers, on the sources of this project: against chonkie's token chunker, and against parsing alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.chunkers import chunk_documents, parse_chunker
from assay.chunkers.syntax import parse
from assay.model import Document
from benchmarks._timing import Row, best_time, faster, within

SOURCES = Path(__file__).parents[1] / "src"
TRIES = 9


def measure() -> Iterator[Row]:
    """Whole lines, and syntax trees."""
    documents = _documents()
    yield _fixed_lines(documents)
    yield _syntax_tree(documents)


def _documents() -> list[Document]:
    return [Document(file.name, file.read_text(encoding="utf-8")) for file in sorted(SOURCES.rglob("*.py"))]


def _fixed_lines(documents: list[Document]) -> Row:
    """Both end in chunks with their places; chonkie's default is one token per character."""
    import chonkie

    ours, theirs = parse_chunker("fixed_lines(size=1500)"), chonkie.TokenChunker(chunk_size=2048)

    def run_theirs() -> None:
        for document in documents:
            theirs.chunk(document.text)

    size = f"{sum(len(document.text) for document in documents) / 1e6:.1f} MB in {len(documents)} files"
    mine = best_time(lambda: chunk_documents(ours, documents), TRIES)
    return faster(f"fixed_lines, {size}", "chonkie's token chunker", mine, best_time(run_theirs, TRIES), 5)


def _syntax_tree(documents: list[Document]) -> Row:
    """The same files, parsed and thrown away."""
    chunker = parse_chunker("syntax_tree")

    def run_theirs() -> None:
        for document in documents:
            parse(document.text.encode(), "python")

    mine = best_time(lambda: chunk_documents(chunker, documents), TRIES)
    return within(f"syntax_tree, {len(documents)} files", "parsing alone", mine, best_time(run_theirs, TRIES), 2)
