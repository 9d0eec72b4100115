"""chonkie: the real package, and packages that say wrong places."""

from typing import ClassVar, NamedTuple

import chonkie
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.chunkers import parse_chunker

from ._texts import HARD, texts_of


def test_as_chonkie_does_it():
    for kind in ("Token", "Sentence", "Recursive", "Code"):
        settings = {"language": "python"} if kind == "Code" else {}
        theirs = getattr(chonkie, f"{kind}Chunker")(chunk_size=150, **settings)
        for name in ("python", "emoji", "crlf", "markdown"):
            texts = texts_of(HARD[name], f"chonkie(kind={kind.lower()}, size=150)")
            assert texts == [chunk.text for chunk in theirs.chunk(HARD[name])], (kind, name)


class Reported(NamedTuple):
    """What a package says of a chunk."""

    text: str
    start_index: int


class Package:
    """A package that says these chunks of any text; chunkers of one size are made once."""

    reported: ClassVar[list[Reported]] = []

    def __init__(self, *_, **__):
        pass

    def chunk(self, _):
        return self.reported


def cut_as_reported(text, reported):
    """The chunks of a text, where the package says these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chonkie, "RecursiveChunker", Package)
        patch.setattr(Package, "reported", reported)
        return texts_of(text, "chonkie(size=4321)")


def test_places_that_are_wrong_are_put_right():
    text = "日本語 one\nécole two\nplain three\n"
    lines = text.splitlines(keepends=True)
    in_bytes = [Reported(line, len("".join(lines[:number]).encode())) for number, line in enumerate(lines)]
    assert cut_as_reported(text, in_bytes) == lines
    left_out = [Reported("aa", 5), Reported("bb", 9), Reported("cc", 14)]
    assert cut_as_reported("head aa, bb;  cc tail", left_out) == ["head aa, ", "bb;  ", "cc tail"]
    assert cut_as_reported("abcdef", [Reported("ab", 0), Reported("\ufffdX", 2), Reported("ef", 4)]) == ["abcd", "ef"]
    assert cut_as_reported("abc", [Reported("x", 0)]) == ["abc"]


@given(st.lists(st.text("aé日\n", min_size=1), max_size=8), st.lists(st.integers(-5, 60), min_size=8, max_size=8))
def test_wrong_places_lose_nothing(pieces, places):
    text = "".join(pieces)
    reported = [Reported(piece, place) for piece, place in zip(pieces, places, strict=False)]
    assert "".join("".join(cut_as_reported(text, reported)).split()) == "".join(text.split())


def test_code_may_exceed_its_size_and_says_so():
    text = "NAMES = '" + "word " * 99 + "'\nx = [\n" + "    1,\n" * 100 + "]\n"
    assert max(map(len, texts_of(text, "chonkie(kind=code, size=50)", "a.py"))) > 50
    (size,) = (param for param in parse_chunker("chonkie").chunker.params if param.name == "size")
    assert "exceed" in size.meaning
