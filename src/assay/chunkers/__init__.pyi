from assay.chunkers.chunker import BoundChunker as BoundChunker
from assay.chunkers.chunker import Chunker as Chunker
from assay.chunkers.chunker import ChunkSizes as ChunkSizes
from assay.chunkers.chunker import Cut as Cut
from assay.chunkers.chunker import Distribution as Distribution
from assay.chunkers.chunker import Piece as Piece
from assay.chunkers.chunker import all_chunkers as all_chunkers
from assay.chunkers.chunker import chunk_documents as chunk_documents
from assay.chunkers.chunker import find_chunker as find_chunker
from assay.chunkers.chunker import parse_chunker as parse_chunker
from assay.chunkers.chunker import sizes as sizes
from assay.chunkers.chunker import written_value as written_value

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
