"""Documents into chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from assay.chunkers._chunker import BoundChunker, Piece
from assay.model import Chunk, Document

JOINT = " > "
"""Between the title of a document and that of a piece."""


def chunk_documents(
    chunker: BoundChunker, documents: Iterable[Document], remarks: Counter[str] | None = None
) -> list[Chunk]:
    """The chunks of all documents, in order. In `remarks` is counted what was done otherwise than asked.

    A document of white space alone has none.
    """
    chunks: list[Chunk] = []
    for document in documents:
        cut = chunker.cut(document)
        if cut.remark and remarks is not None:
            remarks[cut.remark] += 1
        chunks += _placed(document, cut.pieces)
    return chunks


def _placed(document: Document, pieces: Iterable[Piece]) -> Iterator[Chunk]:
    """Pieces with their lines. Starts ascend, so that each line feed is looked at once."""
    text, line, line_start, seen = document.text, 1, 0, 0
    for number, piece in enumerate(pieces, 1):
        start, end = piece.start, piece.end
        line += text.count("\n", seen, start)
        line_start = max(line_start, text.rfind("\n", seen, start) + 1)
        seen = start
        columns = None
        if start > line_start or (end < len(text) and text[end - 1] != "\n"):
            last_start = max(line_start, text.rfind("\n", start, end - 1) + 1)
            columns = (start - line_start + 1, end - last_start)
        last_line = line + text.count("\n", start, end - 1)
        titles = [title for title in (document.title, piece.title) if title]
        title = JOINT.join(titles) or None
        yield Chunk(document.doc_id, number, start, end, line, last_line, text[start:end], title, columns, document.group)
