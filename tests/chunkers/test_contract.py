"""What holds for every chunker, whatever it is given."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.chunkers import all_chunkers, chunk_documents, parse_chunker
from assay.model import Document

from ._texts import HARD, PYTHON, assert_sound, chunks_of, solid

KINDS = [
    *("fixed_lines(size={size})", "fixed_lines(size={size}, overlap={third})", "fixed_chars(size={size}, overlap={third})"),
    *("recursive(size={size})", "sentence(size={size})", "markdown(size={size})", "markdown(headings=1, size={size})"),
    "syntax_tree(size={size})",
    *(f"chonkie(kind={kind}, size={{size}})" for kind in ("token", "sentence", "recursive", "code")),
]
"""Every chunker, with a size to be filled in."""
ENDINGS = ("py", "js", "ts", "tsx", "go", "rs", "java", "c", "cpp", "md")
CUT_TO_SIZE = ("fixed_lines", "recursive", "sentence", "markdown", "syntax_tree")
PIECES = [
    "def f(x):\n",
    "    return x\n",
    "class A:\n",
    "日本",
    "a. B",
    "word ",
    "x = 1\n",
    "# H\n",
    "```\n",
    "---\n",
    "\r\n",
]
PIECES += ["\r\n", *"{}()';!😀。\n \t\ud83d\ude00\0\u3000", '"""', "\n\n"]


def written(kind, size):
    return kind.format(size=size, third=size // 3)


def check_sound(kind, size, n_letters=None):
    for name, text in HARD.items():
        try:
            assert_sound(text[:n_letters], chunks_of(text[:n_letters], written(kind, size)))
        except AssertionError as error:
            raise AssertionError(f"{kind}, {name}: {error}") from error


def test_nothing_is_lost_and_every_place_is_right():
    assert {kind.partition("(")[0] for kind in KINDS} == set(all_chunkers())
    for kind in KINDS:
        check_sound(kind, 1, 100)
        check_sound(kind, 7, 400)
        check_sound(kind, 100, 1200)
        assert chunks_of(" \n\t\r\n\u3000", written(kind, 2)) == []


def check_long_line(kind, n_letters):
    text = ("var a=function(b){return b+1};" * (n_letters // 30 + 1))[:n_letters]
    chunks = chunks_of(text, written(kind, 1500), "big.js")
    assert chunks[-1].end == len(text)
    assert {chunk.end_line for chunk in chunks} == {1}
    assert all(chunk.end >= following.start for chunk, following in pairwise(chunks))
    if kind != "chonkie(kind=sentence, size={size})":  # it leaves a sentence whole, however long it is
        assert max(len(chunk.text) for chunk in chunks) <= 1600


def test_one_long_line():
    for kind in KINDS:
        check_long_line(kind, 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_long_texts(kind):
    check_long_line(kind, 1_050_000)
    for size in (7, 100):
        check_sound(kind, size)


def test_no_chunk_is_larger_than_asked():
    for kind in CUT_TO_SIZE:
        for name, text in HARD.items():
            for size, part in ((5, text[:300]), (100, text[:1500])):
                largest = max((solid(chunk.text) for chunk in chunks_of(part, f"{kind}(size={size})")), default=0)
                assert largest <= size + (name == "surrogate pairs"), (kind, name, size)


def test_any_text_in_any_language():
    for ending in ENDINGS:
        for text in HARD.values():
            assert_sound(text[:300], chunks_of(text[:300], "syntax_tree(size=40)", f"file.{ending}"))


@pytest.mark.slow
def test_long_texts_in_any_language():
    for ending in ENDINGS:
        for text in HARD.values():
            assert_sound(text, chunks_of(text, "syntax_tree(size=40)", f"file.{ending}"))


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=200), st.integers(1, 50))
def test_any_mixture_and_any_text(text, size):
    for kind in KINDS:
        assert_sound(text, chunks_of(text, written(kind, size)))


def test_the_same_chunks_every_time_and_whoever_else_is_there():
    documents = [Document("a.py", PYTHON), Document("b.md", HARD["markdown"]), Document("c", "")]
    for kind in KINDS:
        chunker = parse_chunker(written(kind, 80))
        together = chunk_documents(chunker, documents)
        assert together == [chunk for document in documents for chunk in chunk_documents(chunker, [document])], kind
        assert len({chunk.chunk_id for chunk in together}) == len(together), kind
        assert parse_chunker(chunker.name) == chunker
