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
    *(
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
    ),
    *(
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
    ),
]
each_kind = pytest.mark.parametrize("kind", KINDS)


def written(kind, size):
    return kind.format(size=size, third=size // 3)


def test_every_chunker_is_tried():
    assert {kind.partition("(")[0] for kind in KINDS} == set(all_chunkers())


def check_sound(kind, size, n_letters=None):
    for name, text in HARD.items():
        try:
            assert_sound(text[:n_letters], chunks_of(text[:n_letters], written(kind, size)))
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


@each_kind
def test_nothing_is_lost_and_every_place_is_right(kind):
    check_sound(kind, 1, 300)
    check_sound(kind, 7, 1000)
    check_sound(kind, 100, 3000)


@pytest.mark.slow
@each_kind
def test_nothing_is_lost_of_long_texts(kind):
    for size in (7, 100):
        check_sound(kind, size)


@each_kind
def test_a_file_of_white_space_alone_has_no_chunk(kind):
    assert chunks_of("", written(kind, 10)) == []
    assert chunks_of(" \n\t\r\n\u3000", written(kind, 2)) == []


def check_long_line(kind, n_letters):
    text = ("var a=function(b){return b+1};" * (n_letters // 30 + 1))[:n_letters]
    chunks = chunks_of(text, written(kind, 1500), "big.js")
    assert chunks[-1].end == len(text)
    assert {chunk.end_line for chunk in chunks} == {1}
    assert all(chunk.end >= following.start for chunk, following in pairwise(chunks))
    if kind != "chonkie(kind=sentence, size={size})":  # it leaves a sentence whole, however long it is
        assert max(len(chunk.text) for chunk in chunks) <= 1600


@each_kind
def test_one_long_line(kind):
    check_long_line(kind, 30_000)


@pytest.mark.slow
@each_kind
def test_one_line_of_a_megabyte(kind):
    check_long_line(kind, 1_050_000)


@pytest.mark.parametrize("kind", CUT_TO_SIZE)
def test_no_chunk_is_larger_than_asked(kind):
    for name, text in HARD.items():
        for size, part in ((5, text[:600]), (100, text[:3000])):
            largest = max((solid(chunk.text) for chunk in chunks_of(part, f"{kind}(size={size})")), default=0)
            assert largest <= size + (name == "surrogate pairs"), (name, size)


def test_any_text_in_any_language():
    for ending in ENDINGS:
        for text in HARD.values():
            assert_sound(text[:600], chunks_of(text[:600], "syntax_tree(size=40)", f"file.{ending}"))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_long_texts_in_any_language(ending):
    for text in HARD.values():
        assert_sound(text, chunks_of(text, "syntax_tree(size=40)", f"file.{ending}"))


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=200), st.integers(1, 50))
def test_any_mixture_and_any_text(text, size):
    for kind in KINDS:
        assert_sound(text, chunks_of(text, written(kind, size)))


@each_kind
def test_the_same_chunks_every_time_and_whoever_else_is_there(kind):
    chunker = parse_chunker(written(kind, 80))
    documents = [Document("a.py", PYTHON), Document("b.md", HARD["markdown"]), Document("c", "")]
    together = chunk_documents(chunker, documents)
    assert together == [chunk for document in documents for chunk in chunk_documents(chunker, [document])]
    assert len({chunk.chunk_id for chunk in together}) == len(together)
    assert parse_chunker(chunker.name) == chunker
