"""Chunkers: ways to cut documents into pieces. One per file; each ends in its CHUNKER record."""

from assay.chunkers._chunker import BoundChunker, Chunker, Cut, Piece, all_chunkers, parse_chunker
from assay.chunkers._documents import chunk_documents
from assay.chunkers._sizes import ChunkSizes, Distribution, sizes

__all__ = [
    "BoundChunker",
    "ChunkSizes",
    "Chunker",
    "Cut",
    "Distribution",
    "Piece",
    "all_chunkers",
    "chunk_documents",
    "parse_chunker",
    "sizes",
]
