"""fixed_chars: so many characters, whatever they are."""

from __future__ import annotations

from dataclasses import replace

from assay.chunkers._chunker import OVERLAP, SIZE, Chunker, Cut


def fixed_chars(text: str, path: str, *, size: int, overlap: int) -> Cut:  # noqa: ARG001 (the same for every language)
    """The last chunk may be shorter. None lies wholly within the overlap of the one before."""
    starts = range(0, max(1, len(text) - overlap), size - overlap)
    return Cut.at([(start, min(start + size, len(text))) for start in starts])


CHUNKER = Chunker(
    "fixed_chars",
    "so many characters, whatever they are",
    fixed_chars,
    params=(replace(SIZE, meaning="characters of a chunk at most, white space included"), OVERLAP),
)
