"""What holds for every chunker, whatever it is given."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.chunkers.chunker import all_chunkers, chunk_documents, parse_chunker
from assay.model.records import Document

from ._texts import HARD, PYTHON, assert_sound, chunks_of, solid

KINDS = [
    *("fixed_lines", "fixed_lines(size={size}, overlap={third})", "fixed_chars(size={size}, overlap={third})"),
    *("recursive", "sentence", "markdown", "markdown(headings=1, size={size})", "syntax_tree"),
    *(f"chonkie(kind={kind}, size={{size}})" for kind in ("token", "sentence", "recursive", "code")),
]
"""Every chunker, with a size to be filled in."""
ENDINGS = ("py", "js", "ts", "tsx", "go", "rs", "java", "c", "cpp", "md")
CUT_TO_SIZE = ("fixed_lines", "recursive", "sentence", "markdown", "syntax_tree")


def written(kind, size):
    text = kind if "{size}" in kind or "(" in kind else f"{kind}(size={{size}})"
    return text.format(size=size, third=size // 3)


def test_every_chunker_is_tried():
    assert {kind.partition("(")[0] for kind in KINDS} == set(all_chunkers())


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 7, 100])
def test_nothing_is_lost_and_every_place_is_right(kind, size, name):
    text = HARD[name] if size > 1 else HARD[name][:600]
    assert_sound(text, chunks_of(text, written(kind, size)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_white_space_alone_has_no_chunk(kind):
    assert chunks_of("", written(kind, 10)) == []
    assert chunks_of(" \n\t\r\n\u3000", written(kind, 2)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_one_line_of_a_megabyte(kind):
    text = "var a=function(b){return b+1};" * 35_000
    chunks = chunks_of(text, written(kind, 1500), "big.js")
    assert chunks[-1].end == len(text)
    assert {chunk.end_line for chunk in chunks} == {1}
    assert all(one.end >= other.start for one, other in pairwise(chunks))
    if kind != "chonkie(kind=sentence, size={size})":  # it leaves a sentence whole, however long it is
        assert max(len(chunk.text) for chunk in chunks) <= 1600


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("kind", CUT_TO_SIZE)
def test_no_chunk_is_larger_than_asked(kind, name):
    for size in (5, 100):
        assert all(
            solid(chunk.text) <= size + (name == "surrogate pairs") for chunk in chunks_of(HARD[name], written(kind, size))
        )


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", HARD)
def test_any_text_in_any_language(name, ending):
    text = HARD[name]
    assert_sound(text, chunks_of(text, "syntax_tree(size=40)", f"file.{ending}"))


PIECES = [
    "def f(x):\n",
    "    return x\n",
    "class A:\n",
    "{",
    "}",
    "(",
    ")",
    "'",
    '"""',
    "# c\n",
    "# H\n",
    "```\n",
    "日本",
    "😀",
]
PIECES += [
    "\n",
    "\n\n",
    " ",
    "\t",
    "\r\n",
    "a. B",
    "! ",
    "。",
    "word ",
    "x = 1\n",
    ";",
    "\ud83d",
    "\ude00",
    "\0",
    "\u3000",
    "---\n",
]


@settings(max_examples=60)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.integers(1, 40))
def test_any_mixture(text, size):
    for kind in KINDS:
        assert_sound(text, chunks_of(text, written(kind, size)))


@settings(max_examples=60)
@given(st.text(max_size=200), st.integers(1, 50))
def test_any_text_at_all(text, size):
    for kind in KINDS:
        assert_sound(text, chunks_of(text, written(kind, size)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_chunks_every_time_and_whoever_else_is_there(kind):
    chunker = parse_chunker(written(kind, 80))
    documents = [Document("a.py", PYTHON), Document("b.md", HARD["markdown"]), Document("c", "")]
    together = chunk_documents(chunker, documents)
    assert together == [chunk for document in documents for chunk in chunk_documents(chunker, [document])]
    assert len({chunk.chunk_id for chunk in together}) == len(together)


@pytest.mark.parametrize("kind", KINDS)
def test_its_name_reads_back(kind):
    chunker = parse_chunker(written(kind, 33))
    assert parse_chunker(chunker.name) == chunker
