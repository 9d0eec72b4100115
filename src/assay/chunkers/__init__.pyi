from assay.chunkers._chunker import BoundChunker as BoundChunker
from assay.chunkers._chunker import Chunker as Chunker
from assay.chunkers._chunker import Cut as Cut
from assay.chunkers._chunker import Piece as Piece
from assay.chunkers._chunker import all_chunkers as all_chunkers
from assay.chunkers._chunker import find_chunker as find_chunker
from assay.chunkers._chunker import parse_chunker as parse_chunker
from assay.chunkers._chunker import written_value as written_value
from assay.chunkers._documents import chunk_documents as chunk_documents
from assay.chunkers._sizes import ChunkSizes as ChunkSizes
from assay.chunkers._sizes import Distribution as Distribution
from assay.chunkers._sizes import sizes as sizes

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
