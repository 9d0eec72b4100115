"""Chunk: a stretch of a document that is retrieved by itself."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.records import Document


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, and where it stands: characters [start, end), lines start_line … end_line counted from 1.

    A line ends in a line feed, which belongs to it.
    """

    doc_id: str
    number: int
    """Which chunk of its document it is, counted from 1."""
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    title: str | None = None
    """What the document is called, and the section, class or function that the chunk stands in."""
    columns: tuple[int, int] | None = None
    """Where in its lines the first and the last character stand, counted from 1; None for whole lines."""
    group: str | None = None
    """The group of its document."""

    @property
    def chunk_id(self) -> str:
        """`src/client.py:12-40`; `notes.txt:3.1-3.80` where it does not consist of whole lines.

        It depends on the chunk's place alone, not on the other chunks, and no two places of a document share one.
        """
        if self.columns is None:
            return f"{self.doc_id}:{self.start_line}-{self.end_line}"
        first, last = self.columns
        return f"{self.doc_id}:{self.start_line}.{first}-{self.end_line}.{last}"

    def to_document(self) -> Document:
        """The chunk as a provider indexes it: under its own id, in the group of its document."""
        place = {name: getattr(self, name) for name in ("doc_id", "start", "end", "start_line", "end_line")}
        return Document(self.chunk_id, self.text, title=self.title, group=self.group, metadata=place)


def document_of_chunk(chunk_id: str) -> str:
    """The id of the document that a chunk belongs to: what stands before the last colon."""
    return chunk_id.rpartition(":")[0]
