"""Sizes of chunks, worked out by hand."""

from assay.chunkers import ChunkSizes, Distribution, sizes
from assay.model.records import Chunk


def chunk(text):
    return Chunk("d", 1, 0, len(text), 1, 1, text)


def test_none():
    assert sizes([]) == ChunkSizes(0, None, None)


def test_one():
    found = sizes([chunk("two words")])
    assert found == ChunkSizes(1, Distribution(9, 9, 9, 9, 9), Distribution(2, 2, 2, 2, 2))


def test_several():
    """Lengths 0, 10 … 200: the 5th percentile is the second, the 95th the last but one."""
    found = sizes(chunk("a" * length) for length in reversed(range(0, 201, 10)))
    assert found.n == 21
    assert found.characters == Distribution(100, 10, 100, 190, 200)
    assert found.tokens == Distribution(20 / 21, 1, 1, 1, 1)


def test_words_are_those_of_every_script():
    assert sizes([chunk("東京 Anfälle")]).tokens.max == 3
